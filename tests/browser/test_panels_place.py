"""Two columns as the axes, chosen by hand: a field for each, which finds columns of numbers and genes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser


def chosen(page: Any) -> list[Any]:
    return [value for name, value in calls(page, "setTrait") if name == "embedding"]


def test_two_columns_are_chosen_by_keys_and_nothing_is_asked_for_before_both_are(panels: Any) -> None:
    panels.get_by_label("Embedding", exact=True).select_option("Two columns…")
    across, up = (panels.get_by_role("combobox", name=f"{axis} column") for axis in ("Horizontal", "Vertical"))
    across.focus()
    panels.keyboard.type("n_counts")
    expect(panels.get_by_role("option", name="n_counts")).to_have_count(1)
    panels.keyboard.press("Enter")
    assert chosen(panels) == []
    up.focus()
    panels.keyboard.type("CD3E")
    expect(panels.get_by_role("option", name="CD3E")).to_have_count(1)
    panels.keyboard.press("Enter")
    assert chosen(panels) == [["obs:n_counts", "var:CD3E"]]


def test_on_offer_are_columns_of_numbers_and_genes_alone(panels: Any) -> None:
    show(panels, "twoColumns")
    across = panels.get_by_role("combobox", name="Horizontal column")
    expect(across).to_have_value("n_counts")
    across.focus()
    offered = panels.get_by_role("listbox", name="Horizontal column").get_by_role("option")
    expect(offered.first).to_be_visible()
    assert offered.filter(has_text="cell_type").count() == 0
    panels.keyboard.press("Escape")
    expect(offered).to_have_count(0)
    expect(across).to_have_value("n_counts")


def test_a_column_is_drawn_by_its_logarithm_at_a_click_and_the_place_is_another_by_the_menu(panels: Any) -> None:
    show(panels, "twoColumns")
    menu = panels.get_by_label("Embedding", exact=True)
    expect(menu).to_have_value("Two columns…")
    panels.get_by_role("checkbox", name="Horizontal log1p").click()
    settle(panels)
    menu.select_option("X_pca")
    assert chosen(panels) == [["log1p:obs:n_counts", "var:CD3E"], "X_pca"]
