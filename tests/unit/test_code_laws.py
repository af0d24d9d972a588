"""Laws of code: whatever was done, the code rebuilds the same state and cells, and running it twice is as once."""

import json

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

import cxg_widget
from cxg_widget import CxgWidget
from cxg_widget.code.writers import WRITERS
from cxg_widget.display.settings import STATE
from tests.examples import MORE
from tests.unit.test_undo_machine import Machine

SIX_CORNERS = [[0.123456789, 0.1], [3.987654321, 0.2], [5.5, 3.33333], [4.1, 6.00001], [1.2, 6.789], [-1.3, 3.21]]


def rebuilt(code, dataset, monkeypatch, times=1):
    """Run code in an empty namespace, with the dataset of a test in the place of its path."""
    with monkeypatch.context() as patch:
        patch.setattr(cxg_widget, "CxgWidget", lambda _, **more: CxgWidget(dataset, restore=False, **more))
        space = {"CxgWidget": cxg_widget.CxgWidget}
        for _ in range(times):
            exec(code, space)
    return space["w"]


def state_of(widget):
    """Return the state without the times of steps; a polygon is replaced by its cells, as its corners are rounded."""

    def plain(value):
        if isinstance(value, dict) and "polygon" in value:
            return len(widget.sets.apply(value)), widget.sets.apply(value).mask.tobytes()
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items() if key not in ("at", "of") or "set" not in value}
        return [plain(one) for one in value] if isinstance(value, list | tuple) else value

    state = json.loads(json.dumps(widget.state))
    for annotation in state.get("annotations", []):
        for step in annotation["log"]:
            del step["at"]
    return plain(state)


def statements(code):
    """Return code without comments, such as calls that were left out."""
    return [line for line in code.splitlines() if not line.startswith("#")]


class Written(Machine):
    """Makes results too, and ends each run of the undo machine by writing and running the code."""

    patch = None

    @rule(of=st.sampled_from([None, "set 0", {"is_doublet": True}]), within=st.sampled_from([None, "selection"]))
    def composition(self, of, within):
        self.do(lambda: self.w.composition("cell_type", of, within=within))

    @rule(column=st.sampled_from(["cell_type", "is_doublet"]))
    def samples(self, column):
        self.do(lambda: self.w.study().composition(column))

    @rule(reduction=st.sampled_from([None, "count"]))
    def pixels(self, reduction):
        self.do(lambda: self.w.aggregate(reduction, width=3, height=2))

    def teardown(self):
        if not hasattr(self, "w"):
            return
        w = self.w
        for since in (None, 0, -3 if self.at > 3 else 0):
            code = w.code(since=since)
            found = rebuilt(code, w.dataset, self.patch)
            assert state_of(found) == state_of(w), code
            assert np.array_equal(found.selection.mask, w.selection.mask), code
            if since is None:
                assert statements(found.code()) == statements(code)
            found.close()
        compile(w.code("scanpy"), "code", "exec")
        w.close()


def test_code_of_any_sequence_of_gestures_rebuilds_the_same_state_and_masks(monkeypatch):
    machine = type("Written", (Written,), {"patch": monkeypatch})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=6 * MORE, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck),
            phases=[Phase.generate], derandomize=True, report_multiple_bugs=False,
        ),
    )  # fmt: skip


def test_each_setting_has_a_writer_and_each_writer_a_setting():
    assert {*WRITERS} == {*STATE}
