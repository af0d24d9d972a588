"""A machine that does anything to a widget, by hand and in Python: each intention is a step, and all are undone."""

import json

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from cxg_widget.errors import CxgWidgetError
from cxg_widget.widget import history
from tests.examples import MORE
from tests.memory import small
from tests.unit.test_early_lassos import recorded
from tests.unit.test_tissue import FACTORS, quadrants

N = 120
FEW = st.integers(0, 3)
COLORS = [
    None, "cell_type", "n_counts", "donor name", "is_doublet", "var:CD3E", ["CD3E", "MS4A1"], "set:pair",
    "sets", "sets:set 0",
    "sets:set 1", "note 0", "note 1", "set:own 0",
]  # fmt: skip
PLACES = ["umap", "pca", "spatial", ("n_genes", "CD3E"), ("log1p:n_counts", "var:MS4A1")]
SETTINGS = {
    "vmin": [None, 1.0, "p5"], "vmax": [None, 3000.0, "p90"], "center": [None, 0.5], "scale": ["linear", "log"],
    "zero": ["color", "grey"], "cmap": ["viridis", "magma"],
    "palette": [None, {"B cell": "red"}, ["#112233", "#445566"]],
    "blend": ["mean", "colors"], "density": ["log", "eq_hist"], "filtered": ["grey", "hide"], "axes": [[1, 0], [0, 1]],
    "labels": [None, "cell_type", "note 0"], "contours": [None, True, "cell_type", ["set 0"], ["set 0", "set 1"]],
    "difference": [None, ["set 0", "set 1"], ["set 1", "set 2"]], "tissue": [None, True], "statistic": ["mean", "max"],
    "study_design": [None, *({"sample": "donor name", "condition": one} for one in ("cell_type", "note 0"))],
    "layer": [None], "color": COLORS, "embedding": PLACES,
    "hidden": [[], ["B cell"], ["T cell", "(missing)"], ["x"], ["set 0"]],
}  # fmt: skip
BESIDES = {"view": [[0, 1, 0, 1], None], "opacity": [0.5, 1.0], "tool": ["pan", "lasso"], "tissue_opacity": [0.3, 1.0]}
FILTERS = {
    "n_genes": [(500, None), (None, 3000)], "cell_type": [["B cell"], "T cell"], "var:CD3E": [(0.1, None)],
    "set:set 0": [True, False], "set:set 1": [True, False], "note 0": ["x", ["x", "y"]], "note 1": ["y"],
}  # fmt: skip
LOOKS = [
    {"color": "CD3E"}, {"color": "note 0"}, {"color": "set:own 0"},
    {"color": "n_counts", "vmax": "p90", "cmap": "magma"},
    {"within": {"cell_type": ["B cell"]}}, {"within": {"note 0": ["x"]}}, {"color": "sets"}, {"color": "sets:set 0"},
    {"color": "sets:set 1", "embedding": "pca"}, {"color": "CD3E", "within": {"note 1": ["y"]}},
]  # fmt: skip

SHOWN = {"points", "color", "palette", "filter", "look", "place"}
"""What is sent of what is on show, whatever was asked."""


def seen(widget):
    state = {name: value for name, value in widget.state.items() if name in history.UNDONE}
    return json.dumps(state, sort_keys=True), widget.selection.mask.tobytes()


class Machine(RuleBasedStateMachine):
    patch = None

    @initialize()
    def begin(self):
        dataset = small(N)
        dataset._xy["spatial"] = np.abs(dataset._xy["umap"]) * 100
        dataset.embeddings["spatial"] = 2
        dataset.images = {"V1/hires": (quadrants(20, 30), FACTORS)}
        self.w = w = recorded(dataset, self.patch, color="cell_type")
        w.sets.add("set 0", {"cell_type": ["B cell", "T cell"]})
        w.sets.add("set 1", [1, 2, 3, 50], within="set 0")
        w.annotations.new("note 0", of="cell_type").assign("x", {"is_doublet": True})
        w._handle_custom_msg({"id": 1, "kind": "module", "known": []}, [])  # panels are sent from now on
        w.front.settle()
        w._history._past.clear()
        self.first = seen(self.w)
        self.moments, self.at = [self.first], 0

    def teardown(self):
        if not hasattr(self, "w"):
            return
        w, moments = self.w, self.moments
        while self.undo():
            pass
        assert seen(w) == self.first
        assert len(moments) <= history.MOST_STEPS
        while w.redo():
            w.front.settle()
        assert seen(w) == moments[-1]
        w.close()

    def undo(self):
        done = self.w.undo()
        self.w.front.settle()
        assert done == (self.at > 0), "a step more or less than there were intentions"
        self.at -= done
        assert seen(self.w) == self.moments[self.at]
        return done

    def do(self, act, *, fits=False):
        """Do one thing, which is one step or, where it fails or changes nothing, none; what fits never fails."""
        failed = False
        try:
            act()
        except CxgWidgetError:
            assert not fits, "what fits was refused"
            failed = True
        self.w.front.settle()
        now = seen(self.w)
        if failed:
            assert now == self.moments[self.at], "what failed changed something"
        elif now != self.moments[self.at]:
            del self.moments[self.at + 1 :]
            self.moments.append(now)
            self.at += 1
        if not failed:
            self.check_shown()

    def check_shown(self):
        """Check that what is on show can be told, and taken again without changing anything."""
        assert self.w.summary
        self.w.state = json.loads(json.dumps(self.w.state))
        assert seen(self.w) == self.moments[self.at], "the state of now is another one"
        sent = [one for one, _ in self.w.front.settle().sent]
        self.w.front.sent.clear()
        assert [one for one in sent if one["kind"] == "error" and one["of"] in SHOWN] == []

    # What one looks at.

    @rule(name=st.sampled_from(list(SETTINGS)), data=st.data())
    def set(self, name, data):
        value = data.draw(st.sampled_from(SETTINGS[name]))
        self.do(lambda: setattr(self.w, name, value))

    @rule(name=st.sampled_from(list(SETTINGS)), data=st.data())
    def set_by_hand(self, name, data):
        value = data.draw(st.sampled_from(SETTINGS[name]))
        self.do(lambda: self.w.set_state({name: list(value) if isinstance(value, tuple) else value}))

    @rule(name=st.sampled_from(list(BESIDES)), data=st.data())
    def look(self, name, data):
        setattr(self.w, name, data.draw(st.sampled_from(BESIDES[name])))
        self.w.front.settle()

    # Selection and filters.

    @rule(seed=FEW, mode=st.sampled_from(["replace", "add", "subtract", "intersect"]))
    def select(self, seed, mode):
        mask = np.random.default_rng(seed).random(N) < 0.4
        self.do(lambda: self.w.select(mask, mode))

    @rule(what=st.sampled_from([{"cell_type": "B cell"}, {"note 0": "x"}, {"cell_type": "none"}]), within=st.booleans())
    def select_values(self, what, within):
        self.do(lambda: self.w.select(what, within="filter" if within else None))

    @rule(query=st.sampled_from(["n_genes > 2000", "cell_type == 'B cell'", "no_such > 1", "n_genes >"]))
    def query(self, query):
        self.do(lambda: self.w.select(query=query))

    @rule(low=st.floats(-2, 3), mode=st.sampled_from(["replace", "add", "subtract"]))
    def lasso(self, low, mode):
        corners = [low, low, low + 4, low, low + 4, low + 5, low, low + 5]
        ask = {"id": 1, "kind": "lasso", "polygon": corners, "mode": mode}
        self.do(lambda: self.w._handle_custom_msg(ask, []))

    @rule()
    def clear(self):
        self.do(self.w.clear_selection)

    @rule(name=st.sampled_from(list(FILTERS)), data=st.data())
    def filter(self, name, data):
        kept = data.draw(st.sampled_from(FILTERS[name]))
        self.do(lambda: self.w.filters.__setitem__(name, kept))

    @rule(query=st.sampled_from(["n_genes > 900", None, "is_doublet", "no_such"]))
    def filter_query(self, query):
        self.do(lambda: self.w.filter(query))

    @rule()
    def no_filters(self):
        self.do(self.w.filters.clear)

    # Sets.

    @rule(
        i=FEW,
        what=st.sampled_from([None, {"cell_type": ["T cell"]}, [1, 2, 3], [10**9]]),
        within=st.sampled_from([None, 0, 1]),
    )
    def add_set(self, i, what, within):
        self.do(lambda: self.w.sets.add(f"set {i}", what, within=None if within is None else f"set {within}"))

    @rule(i=FEW, j=FEW, k=FEW, sign=st.sampled_from("|&-"))
    def combine_sets(self, i, j, k, sign):
        def act():
            one, other = self.w.sets[f"set {i}"], self.w.sets[f"set {j}"]
            self.w.sets[f"set {k}"] = {"|": one | other, "&": one & other, "-": one - other}[sign]

        self.do(act)

    @rule(i=FEW, j=FEW, op=st.sampled_from(["rename", "drop", "put", "color", "select"]))
    def edit_set(self, i, j, op):
        def act():
            sets, name = self.w.sets, f"set {i}"
            if op == "rename":
                sets.rename(name, f"set {j}")
            elif op == "drop":
                del sets[name]
            elif op == "put":
                sets[name] = ~sets[name]
            elif op == "color":
                sets.recolor(name, ["red", "blue", "#123456", "no colour"][j])
            else:
                self.w.select(sets[name])

        self.do(act)

    @rule(i=FEW, j=FEW, op=st.sampled_from(["rename", "drop"]), all_sets=st.booleans(), more=st.booleans())
    def edit_a_set_that_is_named_everywhere(self, i, j, op, all_sets, more):
        w, name = self.w, f"set {i}"
        color = "sets" if all_sets else f"sets:{name}"
        self.do(lambda: setattr(w, "color", color))
        self.do(lambda: w.panel(color=color))
        self.do(lambda: w.filters.__setitem__(f"set:{name}", more))
        self.do(lambda: setattr(w, "contours", [name]))
        self.do(lambda: setattr(w, "difference", [name, f"set {j}"]))
        fits = name in w.sets and (op == "drop" or i == j or f"set {j}" not in w.sets)
        self.do(lambda: w.sets.rename(name, f"set {j}") if op == "rename" else w.sets.__delitem__(name), fits=fits)

    @rule(
        sets=st.sampled_from([(), (0,), (0, 1), (2, 3)]),
        color=st.sampled_from(["sets", "sets:set 0", "cell_type"]),
        filters=st.booleans(),
    )
    def state_of_sets(self, sets, color, filters):
        named = [{"name": f"set {i}", "rule": {"obs": "n_genes", "range": [500 + i, None]}} for i in sets]
        state = {
            "sets": named,
            "color": color,
            "difference": [one["name"] for one in named] if len(named) == 2 else None,
        }
        state |= {"filters": [{"obs": "n_genes", "range": [500, None]}]} if filters else {}
        self.do(lambda: setattr(self.w, "state", state))

    # Labels.

    @rule(i=st.integers(0, 1), of=st.sampled_from([None, "cell_type", "note 0", "n_counts"]))
    def new_note(self, i, of):
        self.do(lambda: self.w.annotations.new(f"note {i}", of=of))

    @rule(
        i=st.integers(0, 1),
        label=st.sampled_from(["x", "y", "B cell", None, "nan"]),
        what=st.sampled_from([None, {"is_doublet": True}]),
    )
    def assign(self, i, label, what):
        self.do(lambda: self.w.annotations[f"note {i}"].assign(label, what))

    @rule(
        i=st.integers(0, 1),
        a=st.sampled_from(["x", "y", "B cell"]),
        b=st.sampled_from(["x", "z", "B cell"]),
        op=st.sampled_from("rmdD"),
    )
    def edit_note(self, i, a, b, op):
        def act():
            note = self.w.annotations[f"note {i}"]
            if op == "r":
                note.rename(a, b)
            elif op == "m":
                note.merge([a, "y"], b)
            elif op == "d":
                note.delete(a)
            else:
                del self.w.annotations[f"note {i}"]

        self.do(act)

    @rule(i=st.integers(0, 1), op=st.sampled_from(["rename", "merge", "delete", "drop"]), color=st.booleans())
    def edit_labels_that_panels_show(self, i, op, color):
        w, name = self.w, f"note {i}"
        self.do(lambda: w.split(name))
        if color:
            self.do(lambda: w.panel(color=name))

        def act():
            note = w.annotations[name]
            first = note.labels[0] if note.labels else "x"
            if op == "rename":
                note.rename(first, "new")
            elif op == "merge":
                note.merge(note.labels[:2], "new")
            elif op == "delete":
                note.delete(first)
            else:
                del w.annotations[name]

        self.do(act, fits=name in w.annotations and op == "drop")

    # Genes, panels, all at once.

    @rule(i=FEW, genes=st.sampled_from([["CD3E"], ["MS4A1", "DENSE"], ["no such"]]))
    def gene_set(self, i, genes):
        self.do(lambda: setattr(self.w.genes, "sets", {**{f"own {i}": genes}}))

    @rule(gene=st.sampled_from(["CD3E", "DENSE", "no such"]))
    def pin(self, gene):
        self.do(lambda: self.w.genes.pin(gene))

    @rule(look=st.sampled_from(LOOKS))
    def panel(self, look):
        self.do(lambda: self.w.panel(**look))

    @rule(colors=st.lists(st.sampled_from(["CD3E", "cell_type", "note 0", "no such"]), min_size=1, max_size=3))
    def grid(self, colors):
        self.do(lambda: self.w.grid(colors))

    @rule(column=st.sampled_from(["cell_type", "donor name", "n_genes", "note 0"]))
    def split(self, column):
        self.do(lambda: self.w.split(column))

    @rule(at=FEW, op=st.sampled_from(["remove", "vmax", "clear"]))
    def edit_panel(self, at, op):
        def act():
            panels = self.w.panels
            if op == "clear":
                panels.clear()
            elif at < len(panels):
                panels[at].remove() if op == "remove" else setattr(panels[at], "color", "MS4A1")

        self.do(act)

    @precondition(lambda self: len(self.moments) > 1)
    @rule(data=st.data())
    def state(self, data):
        """Go to a state that there was; its selection is none of it."""
        past = json.loads(data.draw(st.sampled_from(self.moments))[0])
        self.do(lambda: setattr(self.w, "state", past), fits=True)

    @rule(
        more=st.sampled_from(
            [{"color": "no such"}, {"color": "var:CD3E", "vmax": 3}, {"embedding": "pca", "axes": [2, 3]}]
        )
    )
    def partial_state(self, more):
        self.do(lambda: setattr(self.w, "state", more))

    # Back and forth.

    @rule(n=st.integers(1, 3))
    def back(self, n):
        for _ in range(n):
            self.undo()

    @rule()
    def forth(self):
        done = self.w.redo()
        self.w.front.settle()
        assert done == (self.at < len(self.moments) - 1)
        self.at += done
        assert seen(self.w) == self.moments[self.at]


def test_whatever_is_done_each_intention_is_a_step_and_all_of_them_are_undone(monkeypatch):
    machine = type("Machine", (Machine,), {"patch": monkeypatch})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=10 * MORE,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
            derandomize=True,
            report_multiple_bugs=False,
        ),
    )
