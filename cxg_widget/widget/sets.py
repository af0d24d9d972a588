"""`w.sets`: named sets of cells, as a mapping; every change is a change of the trait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from functools import reduce
from operator import and_, or_, sub
from typing import TYPE_CHECKING, Any

from cxg_widget.color.palettes import check_color
from cxg_widget.compute.bits import pack_mask
from cxg_widget.display.by_sets import set_colors
from cxg_widget.display.settings import own_copy
from cxg_widget.errors import CxgWidgetError, InvalidValue, UnknownName
from cxg_widget.rules.forms import Rule, check_rule
from cxg_widget.rules.named import check_name, expanded, rule_of_set
from cxg_widget.rules.rule import check_names
from cxg_widget.rules.rule import mask_of as mask_of_rule
from cxg_widget.selection.cell_set import Bits, CellSet
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.widget.widget import CxgWidget
    from cxg_widget.wire.protocol import EditSet

_ALGEBRA: dict[str, Callable[[CellSet, CellSet], CellSet]] = {"union": or_, "intersection": and_, "difference": sub}


class Sets(MutableMapping[str, CellSet]):
    """Sets of cells by their names, in the order in which they were made.

    `w.sets.add("B cells", {"cell_type": "B cell"})` names some cells, `w.sets.add("mine")` the selection, and
    `w.sets["c"] = w.sets["a"] - w.sets["b"]` what algebra gives. A set has its rule where it was made by gestures,
    values of columns or a query; `w.sets.apply(rule)` finds its cells in another dataset or widget.
    """

    def __init__(self, widget: CxgWidget, rules: list[Rule]) -> None:
        self._widget = widget
        self._rules = rules

    @property
    def rules(self) -> list[Rule]:
        """Each set as JSON, a copy: {"name", "rule"}, and "within" of a set that was made in another."""
        rules: list[Rule] = own_copy(self._rules)
        return rules

    def add(self, name: str, what: Any = None, *, within: str | None = None) -> CellSet:
        """Name some cells that have no name yet.

        Parameters
        ----------
        what : None = the selection; the name of a set; a query, as "n_counts > 500"; {obs column: values}; a mask
            (n_obs,), rows or obs index labels; a polygon (k, 2) in data units; a rule as `CellSet.rule` gives it; a set
            or a selection, of which that of another dataset is found by its rule
        within : name of a set: only its cells count, and the new one stands below it, as a gate in a tree of gates

        Raises
        ------
        InvalidValue
            If the name is taken, or none.
        UnknownName
            If there is no set `within`, or a rule names what there is not.
        SelectionError
            If no cells are meant.
        """
        if name in self._by_name():
            raise InvalidValue(f"there is a set {shown(name)} already; w.sets[{shown(name)}] = ... takes its place.")
        cells = self._cells(with_values(what))
        self._put(name, cells if within is None else self[within] & cells, within)
        return self[name]

    def apply(self, rule: Rule) -> CellSet:
        """Return the cells that a rule means in this dataset, as a set without a name.

        Parameters
        ----------
        rule : as `CellSet.rule` gives it, {"set": name} being one of these sets

        Raises
        ------
        UnknownName
            If it names columns, genes, layers, embeddings or sets that there are not: one sentence names all of them.
        InvalidValue, SelectionError
            If it is no rule, or its values do not fit.
        """
        dataset, known = self._widget.dataset, {one["name"]: one["rule"] for one in self._now()}
        check_names(check_rule(rule), dataset, known)
        rule = expanded(rule, known)
        bits = pack_mask(mask_of_rule(rule, dataset))
        return self._of(bits, rule)

    def frame(self) -> pd.DataFrame:
        """Return the sets as a table: a row each, by name, with `n` cells, `filtered` of them, and `within`.

        Both numbers, Int64, are missing where cells cannot be found; `w.sets[name]` says why.
        """
        import pandas as pd

        session, sets = self._widget._session, self._now()
        counted = session.sets.counts(session.settings, session.mask)
        n = [(None, None) if isinstance(one, CxgWidgetError) else one[:2] for one in counted]
        names = pd.Index([one["name"] for one in sets], name="set")
        table = pd.DataFrame(n, columns=["n", "filtered"], index=names, dtype="Int64")
        table["within"] = pd.Series([one.get("within") for one in sets], names, dtype=object)
        return table

    def edit(self, message: EditSet) -> None:
        """Do what a hand asks for; raises as what it does."""
        if message.op == "add":
            self.add(message.name, within=message.within or None)
        elif message.op == "put":
            self[message.name] = self._widget.selection
        elif message.op == "select":
            self._widget.select(self[message.name], message.mode)
        elif message.op == "others":
            self._widget.select(~self[message.name], message.mode)
        elif message.op == "zoom":
            self._widget.zoom_to(self[message.name])
        elif message.op == "color":
            self.recolor(message.name, message.to)
        elif message.op == "rename":
            self.rename(message.name, message.to)
        elif message.op in _ALGEBRA:
            self.add(message.name, reduce(_ALGEBRA[message.op], [self[name] for name in message.of]))
        else:
            del self[message.name]

    def __getitem__(self, name: str) -> CellSet:
        """Return the cells of a set; raises `UnknownName` where there is none of that name."""
        rule = self._rule_of(name)
        bits = self._widget._session.set_bits.of(rule)
        return self._of(bits, None if "rows" in rule else rule)

    def __setitem__(self, name: str, what: Any) -> None:
        """Name some cells as `add` does, in the place of a set of that name, and within what that stood in.

        Sets that were made within it stay as they are; those that it does not hold any more stand below what it is in.
        """
        cells, within = self._cells(with_values(what)), self._by_name().get(name, {}).get("within")
        self._put(name, cells if within is None else self[within] & cells, within)

    def __delitem__(self, name: str) -> None:
        """Forget a set; those that were made within it stay, below what it was in."""
        self._rule_of(name)
        above = self._by_name()[name].get("within")
        left = [one for one in self._now() if one["name"] != name]
        self._set([_placed(one, above) if one.get("within") == name else one for one in left])

    @property
    def colors(self) -> dict[str, str]:
        """The "#rrggbb" of each set where it colours cells: `w.color = "sets"`, or "sets:NAME" for one."""
        found = set_colors(self._now())
        return {name: found[name] for name in self._by_name()}

    def recolor(self, name: str, color: Any) -> None:
        """Give a set another colour, which it keeps.

        Parameters
        ----------
        color : "#rrggbb", a CSS name or three numbers

        Raises
        ------
        UnknownName, InvalidValue
            If there is no such set, or it is no colour.
        """
        self._rule_of(name)
        hue = check_color(color)
        self._set([{**one, "color": hue} if one["name"] == name else one for one in self._now()])

    def rename(self, name: str, to: str) -> None:
        """Give a set another name; raises `UnknownName` and `InvalidValue` as `add`."""
        self._rule_of(name)
        if check_name(to) != name and to in self._by_name():
            raise InvalidValue(f"there is a set {shown(to)} already.")
        renamed = [{**one, "name": to} if one["name"] == name else one for one in self._now()]
        self._set([_placed(one, to) if one.get("within") == name else one for one in renamed])

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name())

    def __len__(self) -> int:
        return len(self._rules)

    def __eq__(self, other: object) -> bool:
        return self._rules == (other._rules if isinstance(other, Sets) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {self._shown(name)}" for name in self) + "}"

    def _shown(self, name: str) -> str:
        try:
            return repr(self[name])
        except CxgWidgetError as error:
            return f"<set whose {self._widget.dataset.obs_noun.many} cannot be found: {error}>"

    def _cells(self, what: Any) -> CellSet:
        if isinstance(what, SelectedCells):
            what = what.found_in(self._widget.dataset)
        if isinstance(what, CellSet):
            return what
        found = self._widget._session.cells(what)
        return self._of(pack_mask(found.mask), found.rule)

    def _of(self, bits: Bits, rule: Rule | None) -> CellSet:
        settings = self._widget._session.settings
        return CellSet(self._widget.dataset, bits, rule, settings.layer, settings.own_gene_sets)

    def _put(self, name: str, cells: CellSet, within: str | None) -> None:
        rule = rule_of_set(cells.rule)
        self._widget._session.set_bits.know(rule, cells.bits)
        made = _placed({"name": check_name(name), "rule": rule, "color": self._color_of(name)}, within)
        left_out = [
            one for one in self._by_name().values() if one.get("within") == name and not self._holds(cells, one)
        ]
        moved = {one["name"]: _placed(one, within) for one in left_out}
        self._set(list({**self._by_name(), **moved, name: made}.values()))

    def _holds(self, cells: CellSet, one: Rule) -> bool:
        """Say whether some cells hold all of a set; True of a set whose cells cannot be found."""
        try:
            return not (self[one["name"]].bits & ~cells.bits).any()
        except CxgWidgetError:
            return True

    def _color_of(self, name: str) -> str:
        """Return the colour that a set has, or a new one gets: it stays when others come and go."""
        known = self._now()
        return set_colors(known if name in self._by_name() else [*known, {"name": name}])[name]

    def _rule_of(self, name: str) -> Rule:
        known = self._by_name()
        if name not in known:
            raise UnknownName(not_found("set", name, known, "this widget"))
        rule: Rule = known[name]["rule"]
        return rule

    def _by_name(self) -> dict[str, Rule]:
        return {one["name"]: one for one in self._now()}

    def _now(self) -> list[Rule]:
        """Return the sets of the widget now, whatever they were when this object was taken."""
        rules: list[Rule] = self._widget._kept("sets")
        return rules

    def _set(self, rules: list[Rule]) -> None:
        self._widget.sets = rules
        self._rules = self._now()


def _placed(one: Rule, within: str | None) -> Rule:
    rest = {key: value for key, value in one.items() if key != "within"}
    return rest if within is None else {**rest, "within": within}
