"""Laws of the one function that changes settings, without a session: whatever is asked, in any order, read or not."""

import random

import pytest

from cxg_widget.change.change import DRAWN, READS, change
from cxg_widget.change.known import Unread
from cxg_widget.change.reactions import OwnLimits
from cxg_widget.display.by_sets import resolve_sets
from cxg_widget.display.color_target import is_number, resolve
from cxg_widget.display.settings import SETTINGS, STATE, Settings
from cxg_widget.rules.filters import hidden_by, is_of_values
from cxg_widget.session.changes import SettingsCheck
from cxg_widget.widget.history import UNDONE
from tests.memory import small
from tests.test_architecture import PACKAGE, imports

LABELS = {
    "cell_type": ["T cell", "B cell", "<img src=x onerror=alert(1)>"], "donor name": ["d0", "d1", "d2", "d3"],
    "is_doublet": ["False", "True"],
}  # fmt: skip
SETS = [{"name": name, "rule": {"obs": "n_genes", "range": [low, None]}} for name, low in (("a", 500), ("b", 900))]
KEPT = {"obs": "cell_type", "in": ["B cell"]}
ASKED = {
    "color": [None, "cell_type", "donor name", "n_counts", "CD3E", ["CD3E", "MS4A1"], "set:pair", "set:own", "sets"],
    "hidden": [[], ["B cell"], ["d1"]],
    "filters": [[], [KEPT], [{"not": KEPT}], [{"obs": "n_genes", "range": [500, None]}], [{"set": "a", "of": "x"}]],
    "embedding": ["umap", "pca"], "axes": [[0, 1], [1, 0]], "view": [None, [0.0, 1.0, 0.0, 1.0]],
    "vmin": [None, 0.5, "p1"], "vmax": [None, 7.0, "p99"], "center": [None, 1.0], "scale": ["linear", "log"],
    "sets": [[], SETS[:1], SETS, [{**SETS[0], "name": "c"}]], "gene_sets": [[], [{"name": "own", "genes": ["CD3E"]}]],
    "contours": [None, True, ["a"], ["a", "b"]], "difference": [None, ["a", "b"]], "layer": [None], "cmap": ["magma"],
    "panels": [[], [{"id": 1}, {"id": 2, "color": "CD3E"}], [{"id": 1}, {"id": 2, "color": "sets:a"}]],
    "palette": [None, ["#112233"]], "blend": ["mean", "colors"], "statistic": ["auto", "sum"], "render": ["raster"],
    "point_size": [None, 5.0], "tool": ["pan", "lasso"],
}  # fmt: skip


class Plain:
    """What is known of a small dataset; labels are those of its columns, or unread."""

    def __init__(self, dataset, *, is_read=True):
        self.dataset, self.limits, self.is_read = dataset, OwnLimits(), is_read

    def annotations(self, _):
        return {}

    def target(self, settings):
        names = [one["name"] for one in settings.sets]
        of_sets = resolve_sets(settings.color, names, self.dataset, settings.layer, settings.own_gene_sets)
        return of_sets or resolve(settings.color, self.dataset, settings.layer, settings.own_gene_sets)

    def legend_column(self, settings):
        target = self.target(settings)
        return target.name if target.source == "obs" and not is_number(target, self.dataset) else None

    def labels(self, settings):
        if not self.is_read:
            raise Unread(settings)
        target = self.target(settings)
        return LABELS[target.name] if target.source == "obs" else [one["name"] for one in settings.sets]

    def fits(self, settings):
        return None in (settings.vmin, settings.vmax) or isinstance(settings.vmin, str)

    def render_mode(self, settings):
        return settings.render

    def are_other_codes(self, before, now):
        return before.color_key != now.color_key

    def filters_except_legend(self, settings):
        column = self.legend_column(settings)
        return tuple(one for one in settings.filters if not is_of_values(one, column))


FIRST = Settings(embedding="umap", color="cell_type")


def walks(n=300):
    """Yield settings, what is asked of them, what is known, and the change, of random walks."""
    rng = random.Random(0)
    for _ in range(n // 30):
        known, now = Plain(small(30)), FIRST
        for _ in range(30):
            names = rng.sample(list(ASKED), rng.choice([1, 1, 1, 2, 3]))
            asked = {name: rng.choice(ASKED[name]) for name in names}
            if str(asked.get("color", ""))[:4] == "sets" and not asked.get("sets", now.sets):
                continue  # which checks refuse
            if asked.get("color") == "set:own" and not asked.get("gene_sets", now.gene_sets):
                continue
            if {"sets", "gene_sets"} & asked.keys() and "color" in asked:
                continue
            found = change(now, asked, known)
            yield now, asked, known, found
            known.limits, now = found.limits, found.settings


def test_what_is_asked_is_what_comes_of_it_but_for_axes_that_an_embedding_lacks():
    n = 0
    for before, asked, _, found in walks():
        expected = before.having(asked)
        for name in asked.keys() - {"axes", "hidden"}:
            assert getattr(found.settings, name) == getattr(expected, name), (name, asked)
        if "hidden" in asked and "filters" not in asked:
            assert found.settings.hidden == expected.hidden
        assert max(found.settings.axes) < {"umap": 2, "pca": 5}[found.settings.embedding]
        n += 1
    assert n > 150


def test_the_order_in_which_things_are_asked_does_not_matter():
    for before, asked, known, found in walks():
        assert change(before, dict(reversed(asked.items())), known).settings == found.settings


def test_asking_for_what_is_set_already_changes_and_sends_nothing():
    for _, _, known, found in walks():
        now = found.settings
        again = change(now, {name: getattr(now, name) for name in STATE}, known)
        assert (again.settings, again.sends, again.names) == (now, (), ())


def test_what_is_hidden_is_what_the_filter_of_the_legends_column_leaves_out():
    n = 0
    for *_, known, found in walks():
        now, column = found.settings, known.legend_column(found.settings)
        if column is not None:
            rules = [one for one in now.filters if is_of_values(one, column)]
            assert list(now.hidden) == [one for rule in rules for one in hidden_by(rule, LABELS[column])]
            n += len(rules)
    assert n > 10


def test_asking_for_all_that_there_was_undoes_any_change():
    for before, _, known, found in walks():
        back = change(found.settings, {name: getattr(before, name) for name in UNDONE}, known).settings
        assert {name: getattr(back, name) for name in UNDONE} == {name: getattr(before, name) for name in UNDONE}


def test_only_settings_that_hang_together_with_what_was_asked_change():
    followers = {
        "embedding": {"axes", "view", "views"}, "axes": {"view", "views"}, "panels": {"views"}, "hidden": {"filters"},
        "filters": {"hidden"}, "color": {"hidden", "vmin", "vmax", "center"}, "layer": {"vmin", "vmax", "center"},
        "statistic": {"vmin", "vmax", "center"},
    }  # fmt: skip
    named = {"color", "hidden", "filters", "contours", "difference", "panels", "views", "vmin", "vmax", "center"}
    followers |= {"sets": named, "gene_sets": {*named, "hover", "table"}}
    for _, asked, _, found in walks():
        may = {*asked, *(one for name in asked for one in followers.get(name, ()))}
        assert set(found.names) <= may, asked


def test_nothing_is_read_to_find_a_change():
    n = 0
    for before, asked, known, _ in walks():
        known.dataset.reads.clear()
        change(before, asked, known)
        assert [one for one in known.dataset.reads if not one.startswith("obs/cell_id")] == []
        n += 1
    assert n > 100


def test_labels_that_are_not_read_are_asked_for_and_no_others():
    unread = Plain(small(30), is_read=False)
    with pytest.raises(Unread) as asked:
        change(FIRST, {"filters": [KEPT]}, unread)
    assert asked.value.settings.filters == (KEPT,)
    assert change(FIRST, {"filters": [{"not": KEPT}]}, unread).settings.hidden == ("B cell",)
    assert change(FIRST, {"color": "CD3E"}, unread).settings.color == "CD3E"


def test_settings_that_the_page_draws_by_alone_are_never_sent():
    values = {
        "cmap": "magma",
        "opacity": 0.5,
        "zero": "grey",
        "density": "log",
        "filtered": "grey",
        "view": (0, 1, 0, 1),
    }
    for name, value in values.items():
        assert name not in DRAWN
        assert change(FIRST, {name: value}, Plain(small(30))).sends == ()
    assert set(STATE) >= DRAWN


def test_each_need_of_a_setting_is_one_that_can_be_read():
    assert set(READS) <= set(STATE)
    assert {one.name for one in SETTINGS if one.cost in ("color", "points", "filter")} <= set(READS)
    assert all(callable(getattr(SettingsCheck, need, None)) for need in READS.values())


def test_the_room_of_changes_imports_nothing_that_reads_waits_or_draws():
    files = sorted((PACKAGE / "change").glob("*.py"))
    assert len(files) > 2
    known = {"__future__", "collections", "dataclasses", "functools", "typing", "cxg_widget"}
    imported = {module for path in files for module in imports(path)}
    assert {module.split(".")[0] for module in imported} <= known
    assert not any(module.startswith(("cxg_widget.compute", "cxg_widget.files")) for module in imported)
