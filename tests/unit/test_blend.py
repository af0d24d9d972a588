"""Laws of two or three genes shown by a hue each; expected values come from numpy and scipy."""

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from cxg_widget import CxgWidget, errors
from cxg_widget.color.blend import BLENDED, CORNERS, LEVELS_OF, MOST_BLENDED, blend_codes, blend_colors, corner_code
from cxg_widget.color.rgb import hex_rgb
from cxg_widget.display.blend_coloring import PARTS
from cxg_widget.display.settings import SETTINGS
from tests.memory import small

GENES = ["CD3E", "MS4A1", "DENSE"]
# Machado, Oliveira and Fernandes 2009: what is left of linear red, green and blue without one sort of cones.
WITHOUT = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(rgb, seen_by=None):
    """CIE L*a*b* (n, 3) of sRGB 0..255, D65."""
    linear = np.asarray(rgb) / 255
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    if seen_by:
        linear = np.clip(linear @ np.array(WITHOUT[seen_by]).T, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    f = np.cbrt(np.maximum(linear @ to_xyz.T / (0.9505, 1, 1.089), 1e-9))
    return np.column_stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])])


def test_every_place_takes_as_many_genes():
    words = [{2: "two", 3: "three", 4: "four"}[k] for k in LEVELS_OF]
    assert ", ".join(words[:-1]) + f" or {words[-1]}" == BLENDED
    assert list(LEVELS_OF) == list(CORNERS) == list(PARTS) == list(range(2, MOST_BLENDED + 1))
    assert all(len(CORNERS[k][paper]) == 2**k for k in CORNERS for paper in ("light", "dark"))
    assert f"of {BLENDED}," in next(one.doc for one in SETTINGS if one.name == "blend")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_a_mix_lies_linearly_between_the_corners(k, dark):
    places = list(np.random.default_rng(k).random((k, 500)))
    corners = np.array(CORNERS[k]["dark" if dark else "light"], dtype=float)
    grid = corners.reshape((2,) * k + (3,)).transpose((*range(k)[::-1], k))  # the lowest bit is that of the first
    levels = LEVELS_OF[k] - 1
    stepped = np.column_stack([np.floor(one * levels + 0.5) / levels for one in places])
    expected = RegularGridInterpolator([(0, 1)] * k, grid)(stepped)
    found = np.array([hex_rgb(color) for color in blend_colors(k, dark=dark)])[blend_codes(places)]
    assert np.abs(found - expected).max() <= 0.51


@pytest.mark.parametrize("k", [2, 3])
def test_what_has_more_in_all_has_the_greater_code_and_lies_above(k):
    places = np.random.default_rng(0).random((k, 400))
    sums = np.floor(places * (LEVELS_OF[k] - 1) + 0.5).sum(axis=0)
    codes = blend_codes(list(places)).astype(int)
    assert np.all(np.diff(sums[np.argsort(codes)]) >= 0)
    places[0, :5] = np.nan
    assert np.all(blend_codes(list(places))[:5] == -1)
    assert (corner_code(k, 0), corner_code(k, 2**k - 1)) == (0, LEVELS_OF[k] ** k - 1)


@pytest.mark.parametrize("seen_by", [None, *WITHOUT])
@pytest.mark.parametrize("dark", [False, True])
def test_two_hues_their_mix_and_neither_are_told_apart_by_everybody(dark, seen_by):
    seen = lab(np.array(CORNERS[2]["dark" if dark else "light"], dtype=float), seen_by)
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)[np.triu_indices(4, 1)]
    assert apart.min() > 25
    grid = np.array([hex_rgb(blend_colors(2, dark=dark)[blend_codes([np.array([a]), np.array([a])])[0]])
                     for a in np.linspace(0, 1, LEVELS_OF[2])])  # fmt: skip
    lightness = lab(grid, seen_by)[:, 0]
    assert np.all(np.diff(lightness) * (1 if dark else -1) > 0)


def test_each_gene_lies_between_limits_of_its_own():
    dataset = small(3_000)
    w = CxgWidget(dataset, color=GENES[:2], blend="colors", vmin=0, vmax="p95")
    levels, places = LEVELS_OF[2] - 1, []
    for gene in GENES[:2]:
        values = dataset.vector(gene).dense(3_000).astype(float)
        places.append(np.clip(values / np.quantile(values, 0.95), 0, 1))
    colors = np.array([hex_rgb(color) for color in blend_colors(2, dark=False)])
    codes = w._session.coloring().codes.codes
    expected = blend_codes([np.floor(one * levels + 0.5) / levels for one in places])
    assert np.mean(np.abs(colors[codes] - colors[expected]).max(axis=1) <= 256 / levels) == 1  # a step at most
    assert np.mean(codes == expected) > 0.99
    legend = next(iter(w._session.streams.color())).message
    assert [name for name, *_ in legend.corners] == ["CD3E", "MS4A1", "CD3E + MS4A1", "none"]
    assert legend.colors[legend.corners[0][2]] == "#e67800"
    assert len(legend.colors) == len(legend.dark_colors) == LEVELS_OF[2] ** 2


def test_limits_mix_anew_and_the_state_brings_all_back():
    w = CxgWidget(small(), color=GENES, blend="colors")
    before = w._session.coloring().codes.codes
    seq = w._session.display.number("color")
    w.vmax = 0.01
    assert w._session.display.number("color") > seq
    assert w._session.coloring().codes.codes.mean() > before.mean()
    again = CxgWidget(small(), **w.state)
    assert again.state == w.state
    assert again.blend == "colors"
    w.blend = "mean"
    assert w._session.coloring().scale == "continuous"


def test_more_than_three_genes_are_refused_in_one_sentence_and_what_was_on_show_stays():
    w = CxgWidget(small(), color=GENES, blend="colors")
    with pytest.raises(ValueError, match=r"blend='colors' shows two or three genes; found 4 genes"):
        w.color = [*GENES, "ZERO"]
    assert w.color == GENES
    with pytest.raises(errors.UnknownName, match="blend"):
        CxgWidget(small(), blend="colours")
    for color in ("CD3E", ["CD3E"], "cell_type", None):
        w.color = color
        assert not hasattr(w._session.coloring(), "numbers_of")
