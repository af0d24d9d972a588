"""Laws of category colors."""

import numpy as np
import pytest

from cxg_widget.color.palettes import (
    OKABE_ITO,
    PALETTES,
    category_palette,
    check_palette,
    default_palette,
    named_palette,
)
from cxg_widget.errors import InvalidValue

BACKGROUNDS = {"light": "#ffffff", "JupyterLab dark": "#111111", "our dark": "#181a1d", "VS Code dark": "#1e1e1e"}


def linear(colors):
    """Channels of "#rrggbb" in linear light, (n, 3). Source: IEC 61966-2-1."""
    rgb = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in colors]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(colors, background):
    """Contrast ratios (n,). Source: WCAG 2.2."""
    one, other = (linear(some) @ [0.2126, 0.7152, 0.0722] for some in (colors, [background]))
    return (np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05)


def closest(colors):
    """The smallest distance of two colors in Oklab. Source: Ottosson, "A perceptual color space" (2020)."""
    to_lms = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
              [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
    to_lab = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
              [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip
    lab = np.cbrt(linear(colors) @ np.transpose(to_lms)) @ np.transpose(to_lab)
    return min(np.linalg.norm(lab[i + 1 :] - lab[i], axis=1).min() for i in range(len(lab) - 1))


@pytest.mark.parametrize("background", BACKGROUNDS.values(), ids=BACKGROUNDS)
@pytest.mark.parametrize("name", [None, *PALETTES])
def test_every_color_of_every_palette_shows_on_light_and_on_dark(name, background):
    for count in range(1, 257):
        colors = default_palette(count) if name is None else named_palette(name, count)
        assert contrast(colors, background).min() >= 2, count
    assert set(default_palette(1101)) == set(default_palette(256))


@pytest.mark.parametrize(
    ("count", "distance"), [(8, 0.09), (20, 0.08), (33, 0.06), (64, 0.045), (100, 0.035), (256, 0.02)]
)
def test_colors_of_as_many_categories_can_be_told_apart(count, distance):
    assert closest(default_palette(count)) >= distance


def test_colors_of_the_store_and_of_the_user_are_drawn_as_they_are():
    pale, dark = "#ffffcc", "#000011"
    assert category_palette(["a", "b"], {"a": pale}, {"b": dark}) == [pale, dark]
    assert category_palette(["a", "b"], {}, [pale, dark]) == [pale, dark]


@pytest.mark.parametrize("count", [0, 1, 8, 9, 256, 1101])
def test_there_is_a_color_for_each_category(count):
    colors = default_palette(count)
    assert len(colors) == count
    assert len(set(colors)) == min(count, 256)
    assert count > 8 or colors == list(OKABE_ITO[:count])


def test_the_users_color_wins_over_the_stores_over_the_default():
    stored = {"a": "#111111", "b": "#222222"}
    assert category_palette(["a", "b", "c"], stored, {"a": "#333333"}) == ["#333333", "#222222", OKABE_ITO[2]]
    assert category_palette(["a", "b", "c"], stored, ["#000000", "#ffffff"]) == ["#000000", "#ffffff", "#000000"]
    assert category_palette(["a"], stored, "tab10") == ["#1f77b4"]


@pytest.mark.parametrize("wrong", [3, [], ["#12"], {"a": None}, "rainbow"])
def test_what_is_no_palette_is_refused(wrong):
    with pytest.raises(InvalidValue):
        check_palette(wrong)
