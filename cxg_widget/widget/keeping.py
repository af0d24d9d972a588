"""Saves the state of a widget to disk while it is used, and finds states saved for the same dataset."""
# Changes with cxg_widget/widget/kept_states.py: what is counted of a kept state.

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import PurePath
from time import time
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cxg_widget.compute.jobs import AT_REST
from cxg_widget.display.settings import BY_NAME, Settings
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.rules.packed_rows import as_json
from cxg_widget.text.names import shown
from cxg_widget.widget.kept_states import MOST_BYTES, MOST_OFFERED, Header, KeptState, KeptStates, digest, notebook_path
from cxg_widget.wire import protocol
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.session.session import Session

Restoring = bool | Literal["ask"]
REST_S, MOST_S = 2.0, 15.0
"""Seconds after its last change that a state is saved, and the longest time between saves during changes."""
OF_KERNEL = ("render", "max_points", "aggregator")
"""Settings for drawing in this kernel, which are not part of a saved state."""
_MADE = ("annotations", "sets", "gene_sets", "pinned_genes", "filters", "panels")
"""Settings made by a user; a state is worth saving if one of them is set."""
_dismissed: set[str] = set()
"""Declined offers, until the kernel ends: running a cell again does not offer them again."""


def check_restore(restore: Any) -> Restoring:
    """Return the parameter `restore`; raises `InvalidValue` if it is invalid."""
    if restore == "ask" and os.environ.get("CXG_WIDGET_RESTORE", "").strip() == "0":
        return False
    if restore is True or restore is False or (isinstance(restore, str) and restore == "ask"):
        return restore  # type: ignore[return-value]
    raise InvalidValue(f"restore must be True, False or 'ask'; found {shown(restore)}")


class Keeper:
    """Saves the state of one widget, unless `restore` is False.

    Parameters
    ----------
    session : whose settings are saved
    settled : waits until no step is in progress
    restore : as in `CxgWidget`
    say : shows a failure in the page
    """

    def __init__(
        self, session: Session, settled: Callable[[], object], restore: Restoring, say: Callable[[Exception], object]
    ) -> None:
        self.restore = restore = check_restore(restore)
        self._session, self._settled, self._say = session, settled, say
        self._is_on = restore is not False
        self._lock = threading.RLock()
        self._states: KeptStates | None = None
        self._name, self._last, self._has_warned = "", "", False
        self._offered: list[KeptState] | None = None

    def note_change(self) -> None:
        """Note that something has changed."""
        if self._is_on:
            AT_REST.call(self, REST_S, self.keep, most_s=MOST_S)

    def keep(self) -> None:
        """Save the state now, off the main thread if there is time; failures are never shown as errors."""
        if not self._is_on:
            return
        with self._lock, suppress(CxgWidgetError):  # the store may be out of reach, or closed meanwhile
            self._settled()
            settings = self._session.settings
            if not any(getattr(settings, name) for name in _MADE):
                if self._name and self._last:
                    self._there().remove(self._name)
                self._last = ""
                return
            text = _text(settings)
            saved = dict(self._session.saved_labels)
            if (last := digest(repr(saved), 16) + digest(text)) == self._last:
                return
            if len(text) > MOST_BYTES and not self._has_warned:
                self._has_warned = True
                self._say(
                    InvalidValue(f"sets and labels take more than {MOST_BYTES >> 20} MB and are not kept: save labels.")
                )
            if self._there().write(self._name, self._header(settings, saved, text), text.encode()):
                self._last = last

    def close(self) -> None:
        """Save unsaved changes and stop saving."""
        if AT_REST.drop(self):
            with suppress(Exception):  # closing goes on if the disk fails
                self.keep()
        self._is_on = False

    def find(self) -> list[KeptState]:
        """Return saved states that fit, newest of this notebook first; reads no identity if there are none."""
        AT_REST.finish_if(lambda key: isinstance(key, Keeper) and key is not self)  # saved just now by this kernel
        states = self._there()
        found = [one for one in states.find() if one.name != self._name]
        identity = digest(self._session.dataset.content_identity) if found else ""
        return [one for one in found if one.header.identity == identity]

    def read(self, kept: KeptState) -> dict[str, Any]:
        """Return a saved state; raises `InvalidStore`. Labels saved to files count as saved again."""
        state = self._there().read(kept)
        self._session.saved_labels.update(kept.header.saved)
        return {name: value for name, value in state.items() if name in BY_NAME and name not in OF_KERNEL}

    def offer(self) -> Frame | None:
        """Return the offer for a page that has drawn its first points; None if there is none."""
        if self.restore != "ask":
            return None
        with self._lock:
            if self._offered is None:
                self._offered = [one for one in self.find() if one.name not in _dismissed][:MOST_OFFERED]
            return self._frame() if self._offered else None

    def answer(self, name: str) -> KeptState | None:
        """Return the offered state of a name, None if the user declines; either ends the offer.

        Raises
        ------
        InvalidValue
            If none of that name is offered.
        """
        offered = self._offered or []
        kept = next((one for one in offered if one.name == name), None)
        if kept is None and name:
            raise InvalidValue("that state is no longer offered.")
        if kept is None:
            _dismissed.update(one.name for one in offered)
        return kept

    def end_offer(self) -> Frame:
        """Return the frame that removes the offer from the page."""
        self._offered = []
        return self._frame()

    def _frame(self) -> Frame:
        listed = [
            {
                "name": one.name, "at": one.header.at, "notebook": "" if one.is_of_here else one.header.notebook,
                "counts": dict(one.header.counts), "unsaved": one.header.unsaved,
            }
            for one in self._offered or []
        ]  # fmt: skip
        return Frame(protocol.Kept(listed))

    def _there(self) -> KeptStates:
        with self._lock:
            if self._states is None:
                self._states = KeptStates(self._session.dataset.uri, notebook_path())
                self._name = self._states.name(secrets.token_hex(8))
            return self._states

    def _header(self, settings: Settings, saved: dict[str, str], text: str) -> Header:
        session, logs = self._session, {one["name"]: one["log"] for one in settings.annotations}
        n_labelled = {
            name: int(np.count_nonzero(session.loader.replay.codes(log).codes >= 0)) for name, log in logs.items()
        }
        lasting = {name: saved[name] for name in logs if name in saved}
        counts = {
            "sets": len(settings.sets), "labels": sum(n_labelled.values()), "annotations": len(logs),
            "gene_sets": len(settings.gene_sets), "pins": len(settings.pinned_genes),
            "filters": len(settings.filters), "panels": len(settings.panel_numbers),
        }  # fmt: skip
        unsaved = sum(n > 0 and saved.get(name) != logs[name].key for name, n in n_labelled.items())
        identity = digest(session.dataset.content_identity)
        name = PurePath(notebook_path()).name[:200]
        return Header(identity, time(), name, counts, lasting, unsaved, digest(text))


def _text(settings: Settings) -> str:
    """Return the state as JSON, without values JSON cannot hold, such as datashader reductions."""
    parts = []
    for name, one in BY_NAME.items():
        value = getattr(settings, name)
        if name in OF_KERNEL or (value == one.default and name != "color"):
            continue
        with suppress(TypeError, ValueError):
            parts.append(f"{json.dumps(name)}: {json.dumps(value, default=as_json, allow_nan=False)}")
    return "{" + ", ".join(parts) + "}"


def merged(kept: Mapping[str, Any], now: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a saved state with settings given to the widget, which win, and with what was made since.

    Parameters
    ----------
    now : settings of the widget; all are kept, except where the saved state has the same name
    given : settings passed to the widget by name
    """
    state = dict(kept)
    for name in ("annotations", "sets", "gene_sets"):
        before, later = list(state.get(name) or []), list(getattr(now, name))
        names = {one.get("name") for one in before if isinstance(one, Mapping)}
        state[name] = [*before, *(one for one in later if one["name"] not in names)]
    pins = list(state.get("pinned_genes") or [])
    state["pinned_genes"] = [*pins, *(one for one in now.pinned_genes if one not in pins)]
    return {**state, **{name: getattr(now, name) for name in OF_KERNEL}, **given}
