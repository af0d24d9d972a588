"""Laws of colormaps: a name, the same turned round, colors of one's own, and matplotlib's as matplotlib has them."""

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.color.colormap_lookup import as_synced, check_colormap, stops_of
from cxg_widget.color.colormaps import COLORMAPS
from cxg_widget.color.rgb import hex_rgb, ramp
from cxg_widget.errors import CxgWidgetError
from tests.memory import small
from tests.stills import still


@pytest.mark.parametrize("name", COLORMAPS)
def test_a_name_with_r_behind_it_is_the_same_colors_the_other_way_round(name):
    turned = name.removesuffix("_r") if name.endswith("_r") else f"{name}_r"
    assert check_colormap(turned) == turned
    assert stops_of(turned) == stops_of(name)[::-1]
    assert as_synced(turned) == turned


def test_colors_of_ones_own_are_kept_from_low_to_high():
    assert check_colormap(["navy", "#fff", (1.0, 0.0, 0.0)]) == ["#000080", "#ffffff", "#ff0000"]
    assert check_colormap(np.array(["black", "white"])) == ["#000000", "#ffffff"]
    assert stops_of(("#000000", "#ffffff"), dark=True) == ["#000000", "#ffffff"]


@pytest.mark.parametrize("name", ["coolwarm", "jet", "Set1", "twilight_shifted_r"])
def test_colormaps_of_matplotlib_are_as_matplotlib_has_them(name):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    colormap = matplotlib.colormaps[name]
    truth = np.rint(colormap(np.linspace(0, 1, min(colormap.N, 256)))[:, :3] * 255)
    for given in (name, colormap):
        found = np.array([hex_rgb(stop) for stop in stops_of(check_colormap(given))])
        assert np.abs(found - truth).max() <= 1 + (colormap.N > 256)  # of more colors those of even steps
    assert as_synced(name)["name"] == name


@pytest.mark.parametrize(
    "wrong", ["virdis", "", 5, None, [], ["red"], ["red", "nocolour"], {"a": "red"}, "viridis_r_r"]
)
def test_what_is_no_colormap_is_refused_and_the_one_before_stays(wrong):
    w = CxgWidget(small(50), cmap="magma")
    with pytest.raises((CxgWidgetError, ValueError)):
        w.cmap = wrong
    assert w.cmap == "magma"
    w.close()


def test_the_state_brings_a_colormap_back_and_pictures_are_drawn_by_it():
    w = CxgWidget(small(300), color="n_counts", cmap=["#102030", "#f0e0d0"])
    again = CxgWidget(w.dataset, **w.state)
    assert again.cmap == w.cmap == ["#102030", "#f0e0d0"]
    again.set_state({"cmap": as_synced(again.cmap)})  # as the page sends it back
    assert again.cmap == w.cmap
    _, key = still(again._session, None, (120, 120), paper=_paper())
    assert list(key.ramp) == ["#102030", "#f0e0d0"]
    assert ramp(list(key.ramp)).shape == (256, 3)
    again.close()
    w.close()


def _paper():
    from cxg_widget.color.paper import PAPERS

    return PAPERS["white"]
