"""`w.panels`, and `w.panel`, `w.grid`, `w.split`: linked panels. Every edit is a change of the trait."""
# Changes with cxg_widget/display/looks.py: what panels override.

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, overload

from cxg_widget.display.looks import MOST_PANELS, NAMES
from cxg_widget.display.settings import own_copy
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from cxg_widget.rules.by_value import is_missing
from cxg_widget.text.names import join_missing, label_of, misspelt, not_found, shown
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.rules.forms import Rule
    from cxg_widget.widget.widget import CxgWidget


class Panel:
    """One panel. Set `color`, `embedding`, `cmap`, `layer`, `vmin` or `vmax` to change it: `p.color = "NKG7"`.

    A panel inherits every setting that it does not override. `p.remove()` removes it.

    Examples
    --------
    >>> panel = w.panel(color="NKG7", within={"sex": "female"})
    >>> panel.cmap = "magma"
    """

    def __init__(self, widget: CxgWidget, number: int) -> None:
        super().__setattr__("_widget", widget)
        super().__setattr__("number", number)

    @property
    def look(self) -> dict[str, Any]:
        """Settings that the panel overrides; {} = the plot itself.

        Raises
        ------
        UnknownName
            If the panel was removed.

        Examples
        --------
        >>> w.panels = [{"color": "CD3E"}, {"color": "NKG7"}]
        >>> w.panels[1].look
        {'color': 'NKG7'}
        """
        looks = {one["id"]: one for one in self._widget.panels.looks}
        if self.number not in looks:
            raise UnknownName("this panel was removed; w.panels lists the current ones.")
        return {name: value for name, value in looks[self.number].items() if name != "id"}

    @property
    def within(self) -> Rule | None:
        """Rule of the cells that the panel shows; None = all.

        Examples
        --------
        >>> panels = w.split("condition")
        >>> w.panels[0].within
        {'obs': 'condition', 'in': ['control']}
        """
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
        """Remove this panel; the last one leaves the single plot.

        Examples
        --------
        >>> w.panel(color="NKG7").remove()
        """
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
    """List of the panels, in order; empty if there is only the plot.

    `w.panels[1].remove()`, `del w.panels[1]` and `w.panels.clear()` remove panels.

    Examples
    --------
    >>> w.grid(["cell_type", "CD3E"])
    [<Panel of the plot itself>, <Panel color='CD3E'>]
    >>> w.panels[1].color = "NKG7"
    >>> del w.panels[1]
    """

    def __init__(self, widget: CxgWidget, looks: Sequence[dict[str, Any]]) -> None:
        self._widget = widget
        self._looks = looks

    @property
    def looks(self) -> list[dict[str, Any]]:
        """A copy of the settings that each panel overrides.

        Examples
        --------
        >>> w.panels = [{"color": "CD3E"}, {"color": "NKG7"}]
        >>> w.panels.looks
        [{'color': 'CD3E', 'id': 1}, {'color': 'NKG7', 'id': 2}]
        """
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
        """Remove a panel.

        Examples
        --------
        >>> panel = w.panel(color="NKG7")
        >>> w.panels.remove(panel)
        """
        panel.remove()

    def clear(self) -> None:
        """Remove all panels and show the single plot.

        Examples
        --------
        >>> w.panel(color="NKG7")
        <Panel color='NKG7'>
        >>> w.panels.clear()
        >>> w.panels
        []
        """
        self._widget.panels = []

    def add(self, look: dict[str, Any]) -> Panel:
        """Add a panel; the first call also makes the plot a panel. See `CxgWidget.panel`."""
        before = self.looks or [{"id": 1}]
        self._widget.panels = [*before, {"id": max(one["id"] for one in before) + 1, **look}]
        return Panel(self._widget, max(one["id"] for one in self._widget.panels.looks))

    def replace(self, looks: Sequence[Mapping[str, Any]]) -> None:
        """Replace all panels; each new one has a number that no panel has had."""
        last = max((one["id"] for one in self.looks), default=0)
        self._widget.panels = [{"id": last + 1 + at, **look} for at, look in enumerate(looks)]

    def __eq__(self, other: object) -> bool:
        return self.looks == (other.looks if isinstance(other, Panels) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


class PanelMethods:
    """The methods of a widget that show panels."""

    panels: Any
    color: Any
    _dataset: Dataset
    _check_open: Callable[[], None]
    _step: Callable[[], AbstractContextManager[None]]

    def panel(self, **look: Any) -> Panel:
        """Add a panel with another color, another embedding, or some of the cells.

        Panels of one embedding share one camera. All panels share hover, selection, filters and tools. A panel inherits
        every setting that it does not override.

        Parameters
        ----------
        **look : `embedding` as the trait, without a third axis; `color` as the trait, with `layer`, `cmap` (a name),
            `vmin` and `vmax`; `within` = {column: kept values} as `w.filters` takes them, the cells that the panel
            shows

        Returns
        -------
        the panel: `.remove()` removes it, and each of the above is an attribute

        Raises
        ------
        UnknownName, InvalidValue
            If a name or value is invalid, this would be more than 12 panels, or Dask workers hold the cells.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.panel(color="NKG7")
        <Panel color='NKG7'>
        >>> len(w.panels)
        2
        """
        self._check_open()
        now: Panels = self.panels
        return now.add(look)

    def grid(self, colors: Sequence[Any]) -> Panels:
        """Replace all panels by one per color; the first is the plot itself.

        Parameters
        ----------
        colors : list of values of the trait `color`, or of dicts with the parameters of `panel`

        Returns
        -------
        `w.panels`

        Raises
        ------
        UnknownName, InvalidValue
            As in `panel`; the panels stay as they were.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.grid(["cell_type", "CD3E", "NKG7"])
        [<Panel of the plot itself>, <Panel color='CD3E'>, <Panel color='NKG7'>]
        """
        self._check_open()
        if isinstance(colors, str) or not isinstance(colors, Sequence) or len(colors) == 0:
            raise InvalidValue(f"grid() takes a list of colors; found {shown(colors)}")
        first, *rest = (one if isinstance(one, Mapping) else {"color": one} for one in colors)
        is_plot = set(first) == {"color"}
        with self._step():
            self.panels.replace([{} if is_plot else first, *rest])
            if is_plot:
                self.color = first["color"]
        now: Panels = self.panels
        return now

    def split(self, column: str, values: Sequence[Any] | None = None) -> Panels:
        """Replace all panels by one per category of an obs column, each with the cells of its category.

        The panels share the colors and limits of the widget, so that the same color means the same value in all of
        them. `w.filtered = "grey"` shows the cells of the other panels pale in the background. Cells without a category
        are in no panel.

        Parameters
        ----------
        column : obs column of categories
        values : list of categories, in the order of the panels, with None for cells without one; None = all categories

        Returns
        -------
        `w.panels`

        Raises
        ------
        UnknownName, InvalidValue
            If there is no such column or category, the column holds numbers, this would be more than 12 panels, or Dask
            workers hold the cells.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> len(w.split("condition"))
        2
        """
        self._check_open()
        self.panels.replace(_looks_of_split(self._dataset, column, values))
        now: Panels = self.panels
        return now


def _looks_of_split(dataset: Dataset, column: Any, values: Any) -> list[dict[str, Any]]:
    """Return the settings of a panel for each category of an obs column; raises as `CxgWidget.split`."""
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
    """Return the requested categories, given by value or by legend label; None = missing."""
    by_label = {label_of(one): one for one in categories}
    wanted = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    found = {label_of(one): one for one in wanted if not is_missing(one)}
    unknown = [one for label, one in found.items() if label not in by_label and one != MISSING_LABEL]
    if unknown:
        sentence = not_found("value", unknown[0], by_label, f"obs column {column!r}")
        raise UnknownName(join_missing([sentence, *map(shown, unknown[1:])]))
    return [None if is_missing(one) else by_label.get(label_of(one)) for one in wanted]
