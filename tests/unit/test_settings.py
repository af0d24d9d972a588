"""A setting is declared once, and what follows from it follows for each of them."""

import dataclasses
import inspect

import numpy as np
import pytest

from cxg_widget import CxgWidget, errors
from cxg_widget.display.settings import SETTINGS, STATE, Settings
from cxg_widget.wire.protocol import Aggregate
from tests.memory import small

# One other value of each setting, as a user would give it.
OTHERS = {
    "panels": [{"id": 1}, {"id": 2, "color": "CD3E", "vmax": 2.0}],
    "labels": "cell_type", "contours": True, "difference": ["B", "A"],
    "tissue": "V1/hires", "tissue_opacity": 0.5, "views": [{"embedding": "pca", "view": [0.0, 1.0, 0.0, 1.0]}],
    "embedding": "pca", "axes": [1, 0], "color": "cell_type", "layer": None, "cmap": "magma", "palette": "tab20",
    "vmin": 0.5, "vmax": "p99", "limits": "follow", "center": 1.5, "scale": "log", "zero": "grey",
    "blend": "colors",
    "point_size": 3, "opacity": 0.5, "tool": "lasso", "view": [0, 1, 0, 1], "height": 300,
    "panel_width": 300, "wheel_zoom": False, "open_panels": ["columns"], "hidden": ["B cell"],
    "hover": ["n_genes"], "density": "log",
    "statistic": "max", "aggregator": "datashader", "render": "raster", "max_points": 7, "legend": False,
    "background": "dark",
    "table": {"columns": ["obs:n_genes"], "sort": "index", "descending": True, "of": "selection"},
    "filtered": "grey",
    "pinned_genes": ["CD3E"], "gene_sets": [{"name": "mine", "genes": ["CD3E", "MS4A1"]}],
    "filters": [{"obs": "n_genes", "range": [500, None]}],
    "annotations": [{"name": "own", "log": [{"of": "cell_type", "n": 9, "at": "2026-01-31T12:00:00+00:00"}]}],
    "study_design": {
        "sample": "donor name", "condition": "cell_type", "covariates": ["n_genes"], "pair": None, "excluded": ["d1"]
    },
    "sets": [{"name": "T", "rule": {"obs": "cell_type", "in": ["T cell"]}}],
}  # fmt: skip


def test_an_image_is_asked_for_with_every_setting_that_it_depends_on():
    asked = {field.name for field in dataclasses.fields(Aggregate)}
    assert {one.name for one in SETTINGS if one.cost == "image"} <= asked


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.name)
def test_each_setting_is_a_trait_with_its_default_and_its_meaning(setting):
    trait = CxgWidget.class_traits()[setting.name]
    default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
    assert trait.default() == default
    assert trait.help == setting.doc
    assert bool(trait.metadata.get("sync")) is setting.is_synced


def test_every_setting_has_another_value_here():
    assert set(OTHERS) == set(STATE) == {one.name for one in dataclasses.fields(Settings)}


@pytest.mark.parametrize("name", STATE)
def test_what_is_set_is_kept_by_trait_session_and_state(name):
    dataset = small(200)
    dataset.images = {"V1/hires": (np.zeros((4, 4, 3), np.uint8), {"tissue_hires_scalef": 0.5})}
    w = CxgWidget(dataset, color="cell_type", sets={"A": {"query": "n_genes > 5"}, "B": {"query": "n_genes < 9"}})
    setattr(w, name, OTHERS[name])
    kept = getattr(w, name)
    kept = kept.setting.as_json() if name == "table" else getattr(kept, "looks" if name == "panels" else "rules", kept)
    assert getattr(w._session.settings, name) == (tuple(kept) if isinstance(kept, list) else kept)
    again = CxgWidget(w.dataset, **w.state)
    assert getattr(again, name) == kept
    again.close()
    w.close()


@pytest.mark.parametrize("name", STATE)
def test_each_setting_refuses_what_it_is_not_in_one_sentence_that_names_it(name):
    w = CxgWidget(small(50), color=None)
    before = getattr(w, name)
    with pytest.raises(errors.CxgWidgetError) as caught:
        setattr(w, name, object())
    assert "\n" not in str(caught.value)
    assert getattr(w, name) == before
    w.close()


def test_settings_cannot_change_once_they_are_taken():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().color = "CD3E"
    hash(Settings().place_key)
    hash(Settings(color=["CD3E", "CD4"]).color_key)
    assert list(inspect.signature(Settings).parameters) == list(STATE)


def test_what_a_saved_page_can_change_is_synced_and_reads_nothing_of_the_store():
    free = [one for one in SETTINGS if not one.needs_kernel]
    assert len(free) > 10
    assert [one.name for one in free if not one.is_synced or one.cost in ("points", "color", "filter")] == []
