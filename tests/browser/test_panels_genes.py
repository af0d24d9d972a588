"""The panel of genes, drawn by the second module: genes pinned, brushed, colored by; sets, and pasted lists."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser


def trait(page: Any, name: str) -> Any:
    settle(page)
    return page.evaluate("(name) => store.get().traits[name]", name)


def labels(page: Any, where: str) -> list[str]:
    return list(page.locator(f"{where} .opener .label").all_text_contents())


def test_a_gene_is_pinned_and_unpinned_by_the_keyboard_alone_and_opens_at_once(panels: Any) -> None:
    show(panels, "categories")
    panels.evaluate("() => root.querySelector('canvas').focus()")
    panels.keyboard.press("g")
    field = panels.get_by_role("combobox", name="Pin a gene")
    expect(field).to_be_focused()
    panels.keyboard.type("cd3")
    expect(panels.locator("#pins .label")).to_have_text(["CD3E", "CD3D", "CD3G", "CD34", "CD38"])
    panels.keyboard.press("ArrowDown")
    panels.keyboard.press("Enter")
    assert trait(panels, "pinned_genes") == ["CD3D"]
    expect(field).to_have_value("")
    panels.keyboard.type("MS4A1")
    panels.keyboard.press("Enter")  # before the answer
    expect(panels.locator(".pinned .opener .label")).to_have_text(["CD3D", "MS4A1"])
    expect(panels.locator(".pinned .counted")).to_have_count(2)
    panels.keyboard.press("ArrowDown")
    panels.keyboard.press("Tab")
    panels.keyboard.press("Enter")
    assert trait(panels, "pinned_genes") == ["MS4A1"]


def test_the_gene_on_show_is_pinned_beside_its_name_and_all_are_unpinned_at_once(panels: Any) -> None:
    show(panels, "genes")
    pin = panels.get_by_role("region", name="Legend").get_by_role("button", name="Pin CD3E")
    expect(pin).to_have_attribute("aria-pressed", "true")
    pin.click()
    assert trait(panels, "pinned_genes") == ["MS4A1"]
    expect(pin).to_have_attribute("aria-pressed", "false")
    pin.click()
    assert trait(panels, "pinned_genes") == ["MS4A1", "CD3E"]
    panels.get_by_role("button", name="Unpin all").click()
    assert trait(panels, "pinned_genes") == []


def test_the_genes_of_a_list_are_pinned_together(panels: Any) -> None:
    show(panels, "genes")
    panels.get_by_role("combobox", name="Pin a gene").fill("CD3D, CD3E")
    panels.get_by_role("option", name="all of CD3E, CD3D").click()
    assert trait(panels, "pinned_genes") == ["CD3E", "MS4A1", "CD3D"]


def test_an_open_gene_says_how_many_zeros_there_are_and_what_var_holds_and_its_brush_is_a_filter(panels: Any) -> None:
    show(panels, "genes")
    assert labels(panels, ".pinned") == ["CD3E", "MS4A1"]
    expect(panels.locator(".pinned .colors[aria-pressed=true]")).to_have_attribute("aria-label", "Color by CD3E")
    expect(panels.locator(".pinned .opener .filtered")).to_have_count(1)
    panels.locator(".pinned .opener").first.click()
    body = panels.locator(".pinned .body")
    expect(body.locator("p.caption, .caption").filter(has_text="zeros")).to_have_text("48\u00a0% zeros (bar truncated)")
    assert body.locator("dt").all_text_contents() == ["feature_name", "<b>length</b>"]
    body.get_by_label("Lower limit of CD3E").fill("2.5")
    panels.keyboard.press("Enter")
    assert trait(panels, "filters") == [{"var": "MS4A1", "range": [1, None]}, {"var": "CD3E", "range": [2.5, None]}]


def test_sets_color_pin_and_go_and_those_of_the_store_stay(panels: Any) -> None:
    show(panels, "genes")
    assert labels(panels, ".gene-sets") == ["T cells", "hallmarks <i>"]
    panels.get_by_role("button", name="Color by hallmarks <i>").click()
    assert calls(panels, "setTrait")[-1] == ["color", "set:hallmarks <i>"]
    show(panels, "genes")
    panels.get_by_role("button", name="Pin all genes of hallmarks <i>").click()
    assert trait(panels, "pinned_genes") == ["CD3E", "MS4A1", "CD3D", "CD3G", "CD34", "CD38"]
    panels.locator(".gene-sets .opener").first.click()
    panels.locator(".gene-sets").get_by_role("button", name="Pin CD3D", exact=True).click()
    assert "CD3D" not in trait(panels, "pinned_genes")
    assert panels.locator(".gene-sets [aria-label^=Delete]").count() == 1
    panels.get_by_role("button", name="Delete T cells").click()
    assert trait(panels, "gene_sets") == []


def test_a_pasted_list_becomes_a_set_and_what_was_left_out_is_told_in_sight(panels: Any) -> None:
    show(panels, "genes")
    panels.locator(".pinned .opener").nth(1).click()
    panels.get_by_role("button", name="Paste genes or GMT").click()
    field = panels.get_by_label("List of genes or GMT lines")
    expect(field).to_be_focused()
    field.fill("CD3E\nFOO CD8A")
    panels.get_by_label("Name of the gene set").fill("<b>mine</b>")
    panels.keyboard.press("Enter")
    expect(panels.locator(".paste [role=status]")).to_contain_text("Added 1 gene set. Not found, skipped: ")
    expect(panels.locator(".paste [role=status]")).to_be_in_viewport(ratio=1)
    assert trait(panels, "gene_sets")[1:] == [{"name": "<b>mine</b>", "genes": ["CD3E", "CD8A"]}]
    assert labels(panels, ".gene-sets")[1] == "<b>mine</b>"


def test_what_is_typed_in_the_paste_field_is_there_when_the_panel_comes_back(panels: Any) -> None:
    show(panels, "genes")
    panels.get_by_role("button", name="Paste genes or GMT").click()
    field = panels.get_by_label("List of genes or GMT lines")
    field.fill("CD3E\nCD8A")
    panels.keyboard.press("Escape")
    expect(field).to_have_count(0)
    panels.get_by_role("button", name="Genes", exact=True).click()
    expect(field).to_have_value("CD3E\nCD8A")


def test_both_panels_share_the_drawer_and_closing_one_leaves_the_other(panels: Any) -> None:
    show(panels, "bothPanels")
    for name in ("Columns", "Genes"):
        box = panels.get_by_role("complementary", name=name).bounding_box()
        assert box["height"] > 200
    assert labels(panels, ".pinned") == ["<img src=x onerror=window.hacked=1>", "a"]
    panels.get_by_role("button", name="Close columns").click()
    assert trait(panels, "open_panels") == ["genes"]
    expect(panels.get_by_role("complementary", name="Genes")).to_be_visible()
    assert panels.evaluate("() => window.hacked") is None


def test_what_a_store_measured_is_called_by_its_own_name(panels: Any) -> None:
    show(panels, "spectra")
    panels.evaluate("() => store.set({ traits: { ...store.get().traits, open_panels: ['genes'] } })")
    panel = panels.get_by_role("complementary", name="m/z windows")
    expect(panel.get_by_role("combobox", name="Pin an m/z window")).to_be_visible()
    expect(panel.get_by_role("region", name="m/z window sets")).to_be_visible()
    assert "gene" not in panel.inner_text().lower()
