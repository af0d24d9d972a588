"""Laws of changes: each comes out as it was recorded, and then the page and the traits agree."""

import json
import re
from typing import get_args, get_type_hints

import pytest

from cxg_widget.display.settings import SETTINGS
from cxg_widget.wire import protocol
from tests.transitions import FILE, replay

WALKS = json.loads(FILE.read_text(encoding="utf-8"))
EDITS = {one.kind: set(get_args(get_type_hints(one)["op"])) for one in (protocol.EditSet, protocol.EditAnnotation)}
"""Messages of the page that change settings, with all that each can do."""


def portable(steps):
    """Return steps as JSON has them, without the number of colormaps, which is that of matplotlib's version."""
    return json.loads(re.sub(r"\(\d+ in all\)", "(all)", json.dumps(steps)))


@pytest.mark.parametrize("walk", WALKS, ids=[one["walk"] for one in WALKS])
def test_each_recorded_transition_comes_out_as_it_was_recorded(walk):
    asks = [step["ask"] for step in walk["steps"]]
    found = [step for _, step in replay(walk["begin"], asks)]
    assert portable(found) == portable(walk["steps"])


@pytest.mark.parametrize("walk", WALKS, ids=[one["walk"] for one in WALKS])
def test_after_each_transition_the_page_has_what_the_traits_have(walk):
    asks = [step["ask"] for step in walk["steps"]]
    for walker, step in replay(walk["begin"], asks):
        widget = walker.widget
        told = [one.name for one in SETTINGS if one.is_synced and one.name not in walker.spelt]
        page, traits = ({name: one[name] for name in told} for one in (walker.page, widget.get_state()))
        assert json.loads(json.dumps(page)) == json.loads(json.dumps(traits)), step["ask"]


def test_the_record_changes_every_setting_and_has_every_message_that_changes_some():
    steps = [step for walk in WALKS for step in walk["steps"]]
    assert {name for step in steps for name in step.get("after", ())} == {one.name for one in SETTINGS}
    asked = [step["ask"][1] for step in steps if step["ask"][0] == "message"]
    assert {one["kind"] for one in asked} >= {"undo", "lasso", "category", "pick", "clear", *EDITS}
    for kind, operations in EDITS.items():
        assert {one.get("op") for one in asked if one["kind"] == kind} >= operations
    assert sum("says" in step for step in steps) > 100
