"""Laws of category colours."""

import colorcet
import pytest

from cxg_widget.errors import InvalidValue
from cxg_widget.palettes import OKABE_ITO, category_palette, check_palette, default_palette, named_palette


def test_the_copied_glasbey_palette_is_that_of_colorcet():
    assert named_palette("glasbey", 256) == colorcet.palette["glasbey_category10"]


@pytest.mark.parametrize("count", [0, 1, 8, 9, 256, 1101])
def test_there_is_a_colour_for_each_category(count):
    colors = default_palette(count)
    assert len(colors) == count
    assert len(set(colors)) == min(count, 256)
    assert count > 8 or colors == list(OKABE_ITO[:count])


def test_the_users_colour_wins_over_the_stores_over_the_default():
    stored = {"a": "#111111", "b": "#222222"}
    assert category_palette(["a", "b", "c"], stored, {"a": "#333333"}) == ["#333333", "#222222", OKABE_ITO[2]]
    assert category_palette(["a", "b", "c"], stored, ["#000000", "#ffffff"]) == ["#000000", "#ffffff", "#000000"]
    assert category_palette(["a"], stored, "tab10") == ["#1f77b4"]


@pytest.mark.parametrize("wrong", [3, [], ["#12"], {"a": None}, "rainbow"])
def test_what_is_no_palette_is_refused(wrong):
    with pytest.raises(InvalidValue):
        check_palette(wrong)
