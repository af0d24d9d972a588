"""`w.sets`: named sets of cells, as a mapping. Every edit is a change of the trait."""
# Changes with cxg_widget/selection/cell_set.py and cxg_widget/wire/messages/selecting.py: operations on sets.
# Changes with js/src/panels/sets/set_maker.js and js/src/panels/sets/sets_panel.js: operations on sets.

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import reduce
from operator import and_, or_, sub
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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
from cxg_widget.selection.geojson import OWN, Place, ReadSet, features_of, place_in, read_geojson, save_geojson, sets_of
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.text.names import not_found, shown
from cxg_widget.text.nouns import Noun
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.widget.widget import CxgWidget
    from cxg_widget.wire.protocol import EditSet

_ALGEBRA: dict[str, Callable[[CellSet, CellSet], CellSet]] = {"union": or_, "intersection": and_, "difference": sub}


class Sets(MutableMapping[str, CellSet]):
    """Named sets of cells, in the order in which they were made.

    `w.sets.add("B cells", {"cell_type": "B cell"})` names cells, `w.sets.add("mine")` names the selection, and
    `w.sets["c"] = w.sets["a"] - w.sets["b"]` stores a difference. A set made by gestures, values of columns or a query
    has a rule. `w.sets.apply(rule)` finds its cells in another dataset or widget.

    Examples
    --------
    >>> w.sets["NK"] = {"cell_type": "NK cell"}
    >>> w.sets["not NK"] = ~w.sets["NK"]
    >>> list(w.sets)
    ['NK', 'not NK']
    """

    def __init__(self, widget: CxgWidget, rules: list[Rule]) -> None:
        self._widget = widget
        self._rules = rules

    @property
    def rules(self) -> list[Rule]:
        """A copy of each set as JSON: {"name", "rule"}, and "within" for a set inside another.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> w.sets.rules
        [{'name': 'NK', 'rule': {'obs': 'cell_type', 'in': ['NK cell']}, 'color': '#0072b2'}]
        """
        rules: list[Rule] = own_copy(self._rules)
        return rules

    def add(self, name: str, what: Any = None, *, within: str | None = None) -> CellSet:
        """Make a set of cells under a new name.

        Parameters
        ----------
        name : of the new set
        what : None = the selection; the name of a set; a query such as "n_counts > 500"; {obs column: values}; a mask
            (n_obs,), rows or obs index labels; a polygon (k, 2) in data units; a rule as `CellSet.rule` returns it; a
            set or a selection, which is found by its rule if it belongs to another dataset
        within : name of a parent set, as in a tree of gates: only cells of the parent are in the new set

        Raises
        ------
        InvalidValue
            If the name is invalid or taken.
        UnknownName
            If there is no set `within`, or a rule uses an unknown name.
        SelectionError
            If there are no such cells.

        Examples
        --------
        >>> w.sets.add("high", "n_counts > 5000")
        <set of 248 of 1,000 cells>
        >>> w.sets.add("mine")
        <set of 80 of 1,000 cells>
        """
        if name in self._by_name():
            raise InvalidValue(f"there is a set {shown(name)} already; w.sets[{shown(name)}] = ... replaces it.")
        cells = self._cells(with_values(what))
        self._put(name, cells if within is None else self[within] & cells, within)
        return self[name]

    def apply(self, rule: Rule) -> CellSet:
        """Return the cells that match a rule in this dataset, as an unnamed set.

        Parameters
        ----------
        rule : as `CellSet.rule` returns it; {"set": name} refers to the sets of this widget

        Raises
        ------
        UnknownName
            If it uses unknown columns, genes, layers, embeddings or sets; one sentence names all of them.
        InvalidValue, SelectionError
            If it is not a rule, or its values do not fit the columns.

        Examples
        --------
        >>> rule = w.selection.rule
        >>> len(w.sets.apply(rule)) == len(w.selection)
        True
        """
        dataset, known = self._widget.dataset, {one["name"]: one["rule"] for one in self._now()}
        check_names(check_rule(rule), dataset, known)
        rule = expanded(rule, known)
        bits = pack_mask(mask_of_rule(rule, dataset))
        return self._of(bits, rule)

    def frame(self) -> pd.DataFrame:
        """Return the sets as a table, a row per set: `n` cells, `filtered` = how many pass the filters, and `within`.

        `n` and `filtered` are Int64, missing if the cells cannot be found; `w.sets[name]` then raises the reason.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> w.sets.frame().columns.tolist()
        ['n', 'filtered', 'within']
        """
        import pandas as pd

        session, sets = self._widget._session, self._now()
        counted = session.sets.counts(session.settings, session.mask)
        n = [(None, None) if isinstance(one, CxgWidgetError) else one[:2] for one in counted]
        names = pd.Index([one["name"] for one in sets], name="set")
        table = pd.DataFrame(n, columns=["n", "filtered"], index=names, dtype="Int64")
        table["within"] = pd.Series([one.get("within") for one in sets], names, dtype=object)
        return table

    def to_geojson(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any] | None:
        """Return the sets as GeoJSON, or write them to a file that QuPath, geopandas and spatialdata can read.

        Coordinates are those of the current embedding. A set of lassos in it becomes a Polygon, with holes where lassos
        were subtracted, or a MultiPolygon; overlapping lassos become features of the same name. Any other set (values,
        queries, rows, lassos in another embedding) becomes a MultiPoint of its cells.

        Parameters
        ----------
        path : .geojson or .json file, which is replaced; None = return the collection as a dict

        Raises
        ------
        InvalidValue
            If there are no sets, or the suffix is another one.
        TargetNotWritten
            If the file cannot be written; an existing one stays as it was.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> w.sets.to_geojson("regions.geojson")
        """
        self._widget._check_open()
        sets = self._now()
        if not sets:
            raise InvalidValue('this widget has no set to save; w.sets.add("mine") makes one of the selection.')
        place, colors = self._place(), self.colors
        points: list[NDArray[np.float32]] = []  # read for the first set that is not a polygon

        def places(name: str) -> NDArray[np.float32]:
            if not points:
                points.append(self._widget.dataset.embedding(place.embedding, place.axes))
            found: NDArray[np.float32] = points[0][self[name].mask]
            return found

        features = [one for held in sets for one in features_of(held, colors[held["name"]], place, places)]
        own = {"embedding": place.embedding, "axes": list(place.axes)}
        found: dict[str, Any] = {"type": "FeatureCollection", OWN: own, "features": features}
        if path is None:
            return found
        save_geojson(path, found)
        return None

    def from_geojson(self, source: Any) -> list[str]:
        """Make sets from the regions of GeoJSON in one step; sets of the same names are replaced.

        Coordinates are in the embedding that the file names, as `to_geojson` writes it, or in the current one. Polygons
        of one name become one set, named after the region or its class in QuPath. Points are skipped with a warning,
        except those of `to_geojson`, whose rule finds their cells.

        Parameters
        ----------
        source : path of a file, GeoJSON as a dict or list, or an object with `__geo_interface__`, such as a
            GeoDataFrame

        Returns
        -------
        names of the sets

        Raises
        ------
        DatasetNotFound, InvalidStore
            If there is no such file, or it is not JSON.
        InvalidValue
            If it is not GeoJSON, has no areas, or an area is invalid.
        UnknownName, SelectionError
            If the rule of a set does not fit this dataset.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> square = {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]]}
        >>> w.sets.from_geojson({"type": "Feature", "geometry": square, "properties": {"name": "corner"}})
        ['corner']
        """
        self._widget._check_open()
        is_path = isinstance(source, str | os.PathLike)
        document = read_geojson(source) if is_path else getattr(source, "__geo_interface__", source)
        read, n_left_out = sets_of(document, self._place(document))
        if not read:
            raise InvalidValue("this GeoJSON has no polygons; from_geojson() makes a set of each named polygon.")
        # Check that all of them fit before making the first.
        made = {check_name(one.name): self.apply(one.rule) for one in read}
        self._put_all(made, {one.name: one for one in read})
        if n_left_out:
            warn_caller(f"from_geojson() left out {Noun('feature', 'features').counted(n_left_out)} without a polygon.")
        return list(made)

    def edit(self, message: EditSet) -> None:
        """Apply an action of the Sets panel; raises as the method it calls."""
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
        """Return the cells of a set; raises `UnknownName` if there is none of that name."""
        rule = self._rule_of(name)
        bits = self._widget._session.set_bits.of(rule)
        return self._of(bits, None if "rows" in rule else rule)

    def __setitem__(self, name: str, what: Any) -> None:
        """Make or replace a set; a replaced one keeps its parent.

        Sets inside it keep their cells. Those that it no longer contains move up to its parent.
        """
        cells, within = self._cells(with_values(what)), self._by_name().get(name, {}).get("within")
        self._put(name, cells if within is None else self[within] & cells, within)

    def __delitem__(self, name: str) -> None:
        """Delete a set; the sets inside it stay and move up to its parent."""
        self._rule_of(name)
        above = self._by_name()[name].get("within")
        left = [one for one in self._now() if one["name"] != name]
        self._set([_placed(one, above) if one.get("within") == name else one for one in left])

    @property
    def colors(self) -> dict[str, str]:
        """The "#rrggbb" of each set, used by `w.color = "sets"`, or "sets:NAME" for one of them.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> list(w.sets.colors)
        ['NK']
        """
        found = set_colors(self._now())
        return {name: found[name] for name in self._by_name()}

    def recolor(self, name: str, color: Any) -> None:
        """Set the color of a set, which it keeps.

        Parameters
        ----------
        color : "#rrggbb", a CSS name or three numbers

        Raises
        ------
        UnknownName, InvalidValue
            If there is no such set, or the color is invalid.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> w.sets.recolor("NK", "crimson")
        >>> w.sets.colors
        {'NK': '#dc143c'}
        """
        self._rule_of(name)
        hue = check_color(color)
        self._set([{**one, "color": hue} if one["name"] == name else one for one in self._now()])

    def rename(self, name: str, to: str) -> None:
        """Rename the set `name` to `to`; raises `UnknownName` and `InvalidValue` as `add`.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> w.sets.rename("NK", "killers")
        >>> list(w.sets)
        ['killers']
        """
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

    def _place(self, document: Any = None) -> Place:
        """Return the current embedding, or that of a GeoJSON document if this dataset has it."""
        settings, dataset = self._widget._session.settings, self._widget.dataset
        shown_now = settings.embedding
        place = Place(
            list(shown_now) if isinstance(shown_now, tuple) else shown_now, (settings.axes[0], settings.axes[1])
        )
        own = place_in(document)
        if own is None or not isinstance(own.embedding, str):
            return place if own is None or any(one not in dataset.obs_columns for one in own.embedding) else own
        return own if max(own.axes) < dataset.embeddings.get(own.embedding, 0) else place

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

    def _put_all(self, made: Mapping[str, CellSet], read: Mapping[str, ReadSet]) -> None:
        """Store sets read from a file in one change; a set inside another stays there if that contains it."""
        known = self._by_name()
        for name, cells in made.items():
            rule = rule_of_set(cells.rule)
            self._widget._session.set_bits.know(rule, cells.bits)
            color = read[name].color
            known[name] = {"name": name, "rule": rule, **({} if color is None else {"color": color})}
        colors = set_colors(list(known.values()))
        found = []
        for name, one in known.items():
            above: Any = read[name].within if name in made else one.get("within")
            # Other sets keep their parent, unless that has other cells now.
            is_below = above in known and above != name
            if is_below and (name in made or above in made):
                is_below = self._holds(made[above] if above in made else self[above], one)
            found.append(_placed({**one, "color": colors[name]}, above if is_below else None))
        self._set(found)

    def _holds(self, cells: CellSet, one: Rule) -> bool:
        """Return whether some cells contain all of a set; True if the cells of the set cannot be found."""
        try:
            return not (self._widget._session.set_bits.of(one["rule"]) & ~cells.bits).any()
        except CxgWidgetError:
            return True

    def _color_of(self, name: str) -> str:
        """Return the color of a set, or of a new one; it does not change when other sets come and go."""
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
        """Return the current sets; this object may be older than the last change."""
        rules: list[Rule] = self._widget._kept("sets")
        return rules

    def _set(self, rules: list[Rule]) -> None:
        self._widget.sets = rules
        self._rules = self._now()


def _placed(one: Rule, within: str | None) -> Rule:
    rest = {key: value for key, value in one.items() if key != "within"}
    return rest if within is None else {**rest, "within": within}
