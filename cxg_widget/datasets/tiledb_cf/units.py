"""Units and labels for the axes of an embedding."""

from __future__ import annotations

from collections.abc import Mapping

from cxg_widget.datasets.base.embedding_names import is_map
from cxg_widget.datasets.tiledb_cf.coordinates import UNIT_ROLES, role_of
from cxg_widget.datasets.tiledb_cf.variables import Variable

_DEGREES, _POSITIONS, _TIME, _NONE = "degrees", "positions", "time", ""
_SPELLINGS: Mapping[str, str] = {
    **dict.fromkeys((*UNIT_ROLES, "degree", "deg"), _DEGREES),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers"), "km"),
    "1": _NONE,
}
_UNSAID: Mapping[str | None, str] = {"lon": _DEGREES, "lat": _DEGREES, "time": _TIME}


def share_units(x: Variable, y: Variable) -> bool:
    """Return whether two axes have the same unit, so that they need the same scale on screen.

    Units are compared by spelling, except degrees, meters and kilometers, which have several. Time shares a unit only
    with time. x and y of a projection share a unit if only one of them states it.
    """
    roles, units = {role_of(one)[0] for one in (x, y)}, {_unit(one) for one in (x, y)}
    if "time" in roles and len(roles) > 1:
        return False
    return len(units) == 1 or (roles == {"x", "y"} and _NONE in units)


def mean_nothing(x: Variable, y: Variable) -> bool:
    """Return whether single axes have no meaning and only distances do, as in a UMAP."""
    return is_map(x.name) and is_map(y.name)


def label_of(variable: Variable, *, from_first: bool = False) -> str:
    """Return the label of an axis: its quantity and unit.

    from_first : whether the axis shows the difference from its first value
    """
    name, unit = variable.text_of("long_name") or variable.name, _unit_text(variable)
    if from_first:
        unit = f"{unit.split(' since ')[0]} since the first".strip()
    elif _unit(variable) == _POSITIONS:
        unit = "position"
    return f"{name} ({unit})" if unit not in ("", "1") else name


def unit_of(variable: Variable) -> str:
    """Return the unit of the decoded values in the store's spelling; "" if there is none or the store does not say."""
    unit = _unit_text(variable)
    return "" if unit == "1" else unit


def _unit_text(variable: Variable) -> str:
    return variable.encoding.unit or variable.text_of("units")


def _unit(variable: Variable) -> str:
    """Return the unit of an axis in one common spelling; "" if it is unknown."""
    text = " ".join(_unit_text(variable).casefold().split())
    if text:
        return _SPELLINGS.get(text, text)
    return _UNSAID.get(role_of(variable)[0]) or (_POSITIONS if variable.attr is None else _NONE)
