"""Applies a state to a dataset part by part, and reports the parts that do not fit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cxg_widget.display.checks import split_options
from cxg_widget.display.color_target import color_of_itself
from cxg_widget.display.settings import SETTINGS, STATE
from cxg_widget.display.work import check_work
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.rules.filters import key_of
from cxg_widget.session.changes import ALL
from cxg_widget.session.session import Session
from cxg_widget.text.names import shown

PLACES = ("view", "views")
"""Settings that are not applied: the same corner of an embedding of other data may be empty."""
_READ = ALL - {"palette"}
"""What is read for a part; its palette may wait for another color, as in any state."""
_LISTS = frozenset(one.name for one in SETTINGS if one.default == ())
"""Settings whose entries are parts of their own, such as sets and filters."""
# A gene may be in the layer alone.
_ORDER = sorted((name for name in STATE if name not in PLACES), key=lambda name: name == "color")
_ORDER.sort(key=lambda name: STATE.index("layer" if name == "color" else name))


@dataclass(frozen=True)
class Part:
    """A part of a state: a setting, or one entry of a setting that lists several.

    Attributes
    ----------
    setting : name of the setting
    name : of the entry, such as that of a set; "" = the whole setting
    fault : why it does not fit; "" = it fits
    note : warning of a part that fits; "" = none
    """

    setting: str
    name: str = ""
    fault: str = ""
    note: str = ""


def check_state(state: Any) -> dict[str, Any]:
    """Return a state with known settings only; raises `InvalidValue`, `InvalidOption`."""
    if not isinstance(state, Mapping):
        raise InvalidValue(f"state must be a dict as `w.state` returns it; found {shown(state)}")
    return split_options(state, STATE, ())[0]


def fit(state: Mapping[str, Any], session: Session) -> tuple[list[Part], dict[str, Any]]:
    """Apply the parts of a state that fit to a session that shows nothing yet.

    Returns
    -------
    all parts, and the state without those that do not fit

    Raises
    ------
    CxgWidgetError
        If the state takes too much work, or the dataset cannot be read.
    """
    check_work(state, session.dataset.n_obs)
    own = color_of_itself(session.dataset)
    defaults = {one.name: one.default for one in SETTINGS if one.name not in PLACES} | {"color": own}
    if own is not None and _fault({"color": own}, session)[0]:
        defaults["color"] = None
    parts: list[Part] = []
    fitting: dict[str, Any] = {}
    for name in _ORDER:
        if name in state:
            found, value = _fit_setting(name, state[name], session)
            parts += found
            if not all(one.fault for one in found):
                fitting[name] = value
    kept = {name: fitting[name] for name in STATE if name in fitting}
    _apply(defaults | kept, session)  # at once: one setting may have changed another on the way
    return parts, kept


def _fit_setting(name: str, value: Any, session: Session) -> tuple[list[Part], Any]:
    """Apply a setting, or those of its entries that fit; return its parts and what was applied."""
    fault, note = _fault({name: value}, session)
    entries = value if name in _LISTS and isinstance(value, Sequence) and not isinstance(value, str) else []
    if not fault or len(entries) < 2:
        names = [_name_of(name, one) for one in entries] or [""]
        return [Part(name, one, fault, note) for one in names], value
    kept, parts = [], []
    for one in entries:
        fault, note = _fault({name: [_without_parent(one)]}, session)
        parts.append(Part(name, _name_of(name, one), fault, note))
        kept += [] if fault else [one]
    if name == "sets":
        names = [one["name"] for one in kept]
        kept = [one if one.get("within") in names else _without_parent(one) for one in kept]
    if kept:
        _apply({name: kept}, session)
    return parts, kept


def _without_parent(entry: Any) -> Any:
    """Return a set that is inside no other; its rule has the cells of its parent anyway."""
    is_inside = isinstance(entry, Mapping) and "within" in entry and "rule" in entry
    return {key: value for key, value in entry.items() if key != "within"} if is_inside else entry


def _fault(requested: Mapping[str, Any], session: Session) -> tuple[str, str]:
    """Apply settings; return why they do not fit, and what warnings they cause, "" = nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _apply(requested, session)
        except CxgWidgetError as error:
            return str(error) or type(error).__name__, ""
    return "", " ".join(str(one.message) for one in caught)


def _apply(requested: Mapping[str, Any], session: Session) -> None:
    labels = dict(session.dataset.own_columns)
    try:
        change = session.changes.find(session.changes.checked(requested), _READ)
        if "sets" in requested:  # a setting only checks their names
            for one in change.settings.sets:
                session.set_bits.of(one["rule"])
    except BaseException:
        session.loader.put_labels(labels)
        raise
    session.apply(change)


def _name_of(setting: str, entry: Any) -> str:
    """Return the name of an entry of a setting, as text."""
    if not isinstance(entry, Mapping):
        return str(entry) if isinstance(entry, str) else shown(entry)
    if setting == "filters":
        try:
            return key_of(entry)
        except CxgWidgetError:
            return shown(entry)
    if setting == "panels":
        own = {name: one for name, one in entry.items() if name != "id"}
        return ", ".join(f"{name} {one if isinstance(one, str) else shown(one)}" for name, one in own.items())
    return entry["name"] if isinstance(entry.get("name"), str) else shown(dict(entry))
