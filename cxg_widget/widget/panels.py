"""`w.panels`: the panels side by side; every change is a change of the trait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from cxg_widget.display.looks import MOST_PANELS, NAMES
from cxg_widget.display.settings import own_copy
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from cxg_widget.rules.by_value import is_missing
from cxg_widget.text.names import join_missing, label_of, misspelt, not_found, shown
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.rules.forms import Rule
    from cxg_widget.widget.widget import CxgWidget


class Panel:
    """One of the panels: `p.color = "NKG7"`, `p.embedding`, `p.cmap`, `p.layer`, `p.vmin`, `p.vmax` change it.

    `p.remove()` ends it. What it has not of its own is the widget's, also as that changes.
    """

    def __init__(self, widget: CxgWidget, number: int) -> None:
        super().__setattr__("_widget", widget)
        super().__setattr__("number", number)

    @property
    def look(self) -> dict[str, Any]:
        """What it shows otherwise than the widget; {} = it is the plot itself.

        Raises
        ------
        UnknownName
            If it has been removed.
        """
        looks = {one["id"]: one for one in self._widget.panels.looks}
        if self.number not in looks:
            raise UnknownName("this panel has been removed; w.panels lists those on show.")
        return {name: value for name, value in looks[self.number].items() if name != "id"}

    @property
    def within(self) -> Rule | None:
        """The rule of the cells it shows; None = all."""
        rule: Rule | None = self.look.get("within")
        return rule

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(f"a panel has no {name!r}; it has {', '.join(NAMES)}")
        look = self.look
        is_own = name in look or ("color" in look and name in ("vmin", "vmax"))
        return look.get(name) if is_own else getattr(self._widget, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in NAMES:
            close = misspelt(name, NAMES)
            raise InvalidOption(f"a panel has no {name!r}. {f'Did you mean {close!r}?' if close else ''}".strip())
        self.look  # noqa: B018 - raises where it has been removed
        looks = self._widget.panels.looks
        self._widget.panels = [{**one, name: value} if one["id"] == self.number else one for one in looks]

    def remove(self) -> None:
        """Show it no more; the last one leaves the plot alone."""
        self.look  # noqa: B018 - as above
        self._widget.panels = [one for one in self._widget.panels.looks if one["id"] != self.number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Panel) and (self._widget, self.number) == (other._widget, other.number)

    def __hash__(self) -> int:
        return hash((id(self._widget), self.number))

    def __repr__(self) -> str:
        described = ", ".join(f"{name}={shown(value)}" for name, value in self.look.items())
        return f"<Panel {described or 'of the plot itself'}>"


class Panels(Sequence[Panel]):
    """The panels side by side in their order; none where there is the plot alone.

    `w.panels[1].remove()`, `del w.panels[1]` and `w.panels.clear()` take them away.
    """

    def __init__(self, widget: CxgWidget, looks: Sequence[dict[str, Any]]) -> None:
        self._widget = widget
        self._looks = looks

    @property
    def looks(self) -> list[dict[str, Any]]:
        """What each shows otherwise than the widget, a copy."""
        return [own_copy(one) for one in self._looks]

    @overload
    def __getitem__(self, at: int) -> Panel: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Panel]: ...
    def __getitem__(self, at: int | slice) -> Panel | Sequence[Panel]:
        return [Panel(self._widget, one["id"]) for one in self.looks][at]

    def __len__(self) -> int:
        return len(self.looks)

    def __delitem__(self, at: int) -> None:
        self[at].remove()

    def remove(self, panel: Panel) -> None:
        """Take a panel away."""
        panel.remove()

    def clear(self) -> None:
        """Show the plot alone again."""
        self._widget.panels = []

    def add(self, look: dict[str, Any]) -> Panel:
        """Show one more panel, beside the plot where that was alone; see `CxgWidget.panel`."""
        before = self.looks or [{"id": 1}]
        self._widget.panels = [*before, {"id": max(one["id"] for one in before) + 1, **look}]
        return Panel(self._widget, max(one["id"] for one in self._widget.panels.looks))

    def replace(self, looks: Sequence[Mapping[str, Any]]) -> None:
        """Show other panels in the place of all; each has a number that none has had."""
        last = max((one["id"] for one in self.looks), default=0)
        self._widget.panels = [{"id": last + 1 + at, **look} for at, look in enumerate(looks)]

    def __eq__(self, other: object) -> bool:
        return self.looks == (other.looks if isinstance(other, Panels) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


def looks_of_split(widget: CxgWidget, column: Any, values: Any) -> list[dict[str, Any]]:
    """Return a look for each category of an obs column, or for some of them; raises as `CxgWidget.split`."""
    dataset = widget.dataset
    name = str(column).removeprefix("obs:")
    kinds = {one.name: one.kind for one in dataset.obs_columns.values()}
    if name not in kinds:
        wanted = [one for one, kind in kinds.items() if kind not in ("int", "float")]
        raise UnknownName(not_found("obs column of categories", column, wanted))
    if kinds[name] in ("int", "float"):
        raise InvalidValue(f"split() takes an obs column of categories; {shown(name)} holds numbers ({kinds[name]})")
    categories = list(dataset.codes(name).categories)
    if values is not None:
        categories = _meant(name, categories, values)
    if not categories:
        raise InvalidValue(f"split() shows a panel for each category; {shown(name)} has none.")
    if len(categories) > MOST_PANELS:
        some = f"w.split({name!r}, values=[...]) takes some of them"
        raise InvalidValue(
            f"split() shows 1 to {MOST_PANELS} categories; {shown(name)} has {len(categories):,}. {some}."
        )
    return [{"within": {name: [one]}} for one in categories]


def _meant(column: str, categories: Sequence[Any], values: Any) -> list[Any]:
    """Return the categories that are requested, by value or by label in the legend; None = missing."""
    by_label = {label_of(one): one for one in categories}
    wanted = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    found = {label_of(one): one for one in wanted if not is_missing(one)}
    unknown = [one for label, one in found.items() if label not in by_label and one != MISSING_LABEL]
    if unknown:
        sentence = not_found("value", unknown[0], by_label, f"obs column {column!r}")
        raise UnknownName(join_missing([sentence, *map(shown, unknown[1:])]))
    return [None if is_missing(one) else by_label.get(label_of(one)) for one in wanted]
