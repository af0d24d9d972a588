"""Markers while you draw: caches the sketch of the displayed matrix, and ranks genes by it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.indexed import IndexedCells
from cxg_widget.cells.loader import Loader
from cxg_widget.compare.quick_markers import MakeMatrix, QuickMarkers, Sketched
from cxg_widget.compare.sketch_store import SketchStore, sketch_key
from cxg_widget.compare.sketch_tiles import Tiles
from cxg_widget.compare.sketch_values import ValueOrder
from cxg_widget.compute.jobs import in_background
from cxg_widget.counts.counter import Column
from cxg_widget.display.settings import Settings
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError
from cxg_widget.rules.forms import Rule, check_rule
from cxg_widget.session.analysis.meant import EVERYTHING, cells_meant, note_call
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import Newest
from cxg_widget.session.gestures import mask_of
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.polygon import as_polygon
from cxg_widget.text.names import shown, text_of
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 20
_MOST_HERE = 20_000_000
"""Most cells that are indexed beside workers that hold them: 20 bytes each."""
_EACH_S = 0.2
"""Seconds between announcements of progress."""


class QuickLists:
    """Ranks genes of cells by the sketch of the current embedding and layer, or of a column.

    announce : takes a frame that was not requested, from any thread
    """

    def __init__(self, loader: Loader, display: DisplayState, announce: Callable[[Frame], object]) -> None:
        self._loader, self._display, self._announce = loader, display, announce
        self._making = Newest("the sketch was cancelled.")
        self._reading = Newest("the shape moved on.")
        # The newest of an embedding, and the newest of a column.
        self._held: dict[bool, tuple[Hashable, Sketched]] = {}
        self._searched: Hashable = None
        self._drawn: tuple[object, Tiles] | None = None

    # For Python.

    def table(self, what: Any, n: Any) -> pd.DataFrame:
        """Return the first n genes of cells, given as `cells_meant` takes them; makes the sketch if there is none.

        Cells of a rule of one column are found by the sketch of this column.
        """
        import pandas as pd

        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InvalidValue(f"n takes a whole number from 1 on; found {shown(n)}")
        cells = cells_meant(what, self._loader, self._display)
        mask, rule, *_ = cells
        if not mask.any():
            raise SelectionError("the selection is empty; w.quick_markers({column: values}) takes other cells.")
        settings, column = self._display.settings, None if what is None else _column_of(rule or {})
        if column is not None and column[1] in self._loader.dataset.own_columns:
            column = None  # labels change too often to keep sums of each
        sketched = self._find(settings, column) or self._make(settings, column, lambda: None, "")
        found = sketched.resolve(mask, int(n))
        names, dataset = self._loader.dataset.names_in(settings.layer), self._loader.dataset
        labels = [names.var_labels[at] for at in found.positions.tolist()]
        table = pd.DataFrame(found.columns, index=pd.Index(labels, name=dataset.index_name("var"), dtype=object))
        note_call(self._display, "quick_markers", EVERYTHING, {"a": cells}, n=None if n == _SHOWN else int(n))
        return table.assign(exact=found.is_exact)

    # For the front-end.

    def frames(self, request: p.AskQuick) -> Iterator[Frame]:
        """Yield the genes of cells in a polygon, of a brush or of the selection; without a sketch, its cost.

        Raises
        ------
        InvalidValue
            If the polygon or the rule is invalid.
        InvalidOption
            If Dask workers hold more than 20 million cells.
        CxgWidgetError
            If the cells or the matrix cannot be read.
        Overtaken
            If the genes of another shape are requested while cells are read.
        """
        check = self._reading.begin()
        shown, mask, _ = self._display.now(request.panel)
        # The layer is that of the plot, whatever layer colors a panel: the exact test takes it too.
        settings, _ = self._display.place(request.panel)
        column = _column_of_brush(request.rule)
        sketched = self._find(settings, column)
        if sketched is None:
            yield self._missing(settings, column)
        elif column is not None:
            yield self._found(self._of_brush(request, column, sketched, check), settings)
        elif request.polygon and request.is_released:
            drawn = mask_of(p.Lasso(request.polygon, "replace"), self._loader.of(shown), mask)
            yield self._found(sketched.resolve(drawn, _SHOWN, check), settings)
        elif request.polygon:
            found = sketched.estimate(self._count(request.polygon, sketched, self._loader.of(shown)), _SHOWN)
            yield self._found(found, settings)
        else:
            yield self._found(sketched.resolve(mask, _SHOWN, check), settings)

    def make(self, request: p.MakeSketch) -> Iterator[Frame]:
        """Make the sketch, and yield the genes of the cells; raises as `frames`, and `Overtaken` if canceled."""
        settings, _ = self._display.place(request.panel)
        column, check = _column_of_brush(request.rule), self._making.begin()
        if self._find(settings, column) is None:
            in_background(lambda: self._make(settings, column, check, "sketch"), gives_way=True).result()
        yield from self.frames(p.AskQuick([], request.rule, is_released=True, panel=request.panel))

    def end(self) -> None:
        """Cancel the sketch that the page has requested."""
        self._making.end()

    def close(self) -> None:
        """Cancel what is being made, and release the sketch."""
        self._making.end()
        self._held, self._drawn = {}, None

    # Sketches, of the embedding, or of a column that is not None.

    def _find(self, settings: Settings, column: Column | None) -> Sketched | None:
        """Return the sketch in memory, or on disk; None if there is none."""
        if not self._n_genes(settings):
            dataset = self._loader.dataset
            raise InvalidValue(f"{dataset.title} has no {dataset.var_noun.many} to compare by.")
        n_obs, many = self._loader.dataset.n_obs, self._loader.dataset.obs_noun.many
        if self._loader.is_elsewhere and n_obs > _MOST_HERE:
            raise InvalidOption(
                f"quick markers index all {many} in this process, and beside Dask at most {_MOST_HERE:,}; found "
                f"{n_obs:,}. w.markers() has no limit."
            )
        key, held = self._key(settings, column), self._held.get(column is not None)
        if held is not None and held[0] == key:
            return held[1]
        if self._searched == key:  # not on disk
            return None
        self._searched = key
        store, dataset = SketchStore(), self._loader.dataset
        name = self._name(settings, column)
        if name is None or not store.has(name):
            return None
        found = store.load(name, self._index(settings, column), self._n_genes(settings))
        if found is None:
            return None
        return self._hold(settings, column, Sketched(dataset, settings.layer, *found, self._workers(settings)))

    def _make(
        self, settings: Settings, column: Column | None, check: Callable[[], None], ends_by: p.EndsBy
    ) -> Sketched:
        """Read the matrix once, and cache the sketch in memory and on disk."""
        dataset, workers, last = self._loader.dataset, self._workers(settings), 0.0

        def tell(done: float, what: str) -> None:
            nonlocal last
            now = monotonic()
            if now - last >= _EACH_S:
                last = now
                self._announce(Frame(p.Progress("reading", min(done, 0.999), ends_by, what)))

        try:
            made = Sketched.make(dataset, settings.layer, self._index(settings, column), tell, check, matrix=workers)
        finally:
            self._announce(Frame(p.Progress("reading", 1.0, ends_by)))
        name, store = self._name(settings, column), SketchStore()
        # The system can reclaim the memory of a mapped file.
        if name is not None and store.save(name, made.tiles, made.sketch):
            found = store.load(name, made.tiles.index, self._n_genes(settings))
            made = made if found is None else Sketched(dataset, settings.layer, *found, workers)
        return self._hold(settings, column, made)

    def _workers(self, settings: Settings) -> MakeMatrix | None:
        return self._loader.of(settings).matrix if self._loader.is_elsewhere else None

    def _hold(self, settings: Settings, column: Column | None, sketched: Sketched) -> Sketched:
        self._held[column is not None], self._drawn = (self._key(settings, column), sketched), None
        return sketched

    @staticmethod
    def _key(settings: Settings, column: Column | None) -> Hashable:
        return column or settings.place_key, settings.layer

    def _name(self, settings: Settings, column: Column | None) -> str | None:
        """Return the name of the file; None if nothing identifies the data."""
        dataset = self._loader.dataset
        if not dataset.identity:
            return None
        if column is not None:
            source, label, layer = column
            return sketch_key(dataset.identity, dataset.n_obs, (source, label, layer or ""), (), settings.layer)
        embedding = dataset.find_embedding(settings.embedding)
        return sketch_key(dataset.identity, dataset.n_obs, embedding, settings.axes, settings.layer)

    def _n_genes(self, settings: Settings) -> int:
        return len(self._loader.dataset.names_in(settings.layer).var_labels)

    def _index(self, settings: Settings, column: Column | None) -> SpatialIndex | ValueOrder:
        if column is not None:
            return ValueOrder.read(self._loader.dataset, column)
        held, loader = self._loader.of(settings), self._loader
        cells = held.wait_for_index(lambda: False) if held.is_aggregated else held.index_if_built()
        if isinstance(cells, IndexedCells):
            return cells.index
        # Not cached by the loader: while cells are sent as points, nothing else needs an index.
        return loader.share("index", settings.place_key, lambda: SpatialIndex.build(held.xy()))

    # Cells of a shape or a brush.

    def _of_brush(
        self, request: p.AskQuick, column: Column, sketched: Sketched, check: Callable[[], None]
    ) -> QuickMarkers:
        """Return the genes of the cells that pass a filter and the filters of other columns."""
        rule, loader, tiles = request.rule, self._loader, sketched.tiles
        settings, _ = self._display.place(request.panel)
        own = loader.of(settings).counter.own_rule(column, settings.filters)
        others = [one for one in settings.filters if one is not own]
        passing = loader.crossfilter.passing(others)
        if request.is_released:
            mask = loader.mask_of(rule)
            return sketched.resolve(mask if passing is None else mask & passing, _SHOWN, check)
        if passing is not None:
            tiles = self._kept((others, id(sketched)), tiles, lambda: passing)
        return sketched.estimate(tiles.count_in_range(*rule["range"]), _SHOWN)

    def _count(self, corners: list[float], sketched: Sketched, held: Holder) -> NDArray[np.int64]:
        """Count the cells of each tile that a lasso would select."""
        if len(corners) % 2:
            raise InvalidValue(f"a lasso must list x and y of each corner; found {len(corners)} numbers")
        settings = held.settings
        tiles, drawn = sketched.tiles, (settings.filters, settings.hidden, settings.color_key, id(sketched))
        if settings.filters or settings.hidden:
            tiles = self._kept(drawn, tiles, held.shown)
        return tiles.count_in_polygon(as_polygon(np.reshape(corners, (-1, 2))))

    def _kept(self, drawn: object, tiles: Tiles, mask_of: Callable[[], NDArray[np.bool_] | None]) -> Tiles:
        """Return the tiles with only the cells of a mask; cached for all frames of one shape."""
        if self._drawn is None or self._drawn[0] != drawn:
            mask = mask_of()
            self._drawn = drawn, tiles if mask is None else tiles.only(mask)
        return self._drawn[1]

    # Answers.

    def _missing(self, settings: Settings, column: Column | None) -> Frame:
        dataset, layer = self._loader.dataset, settings.layer
        n_bytes = Sketched.size_bytes(dataset, layer, is_of_column=column is not None)
        message = p.Quick(
            has_sketch=False, n_bytes=n_bytes, read_bytes=dataset.plan(None, None, layer).n_bytes,
            is_remote=dataset.is_remote, n_cells=0, n_read=0, names=[], symbols=[],
        )  # fmt: skip
        return Frame(message, {"values": np.zeros((5, 0), dtype=np.float32)})

    def _found(self, found: QuickMarkers, settings: Settings) -> Frame:
        dataset = self._loader.dataset
        names = dataset.names_in(settings.layer)
        at, aliases = found.positions.tolist(), names.var_aliases
        labels = [text_of(names.var_labels[one]) for one in at]
        symbols = [] if aliases is None else [str(aliases[one]) for one in at]
        message = p.Quick(
            has_sketch=True, n_bytes=0, read_bytes=0, is_remote=dataset.is_remote, n_cells=found.n_cells,
            n_read=found.n_read, names=labels, symbols=symbols,
        )  # fmt: skip
        with np.errstate(over="ignore"):
            return Frame(message, {"values": np.stack(list(found.columns.values())).astype(np.float32)})


def _column_of(rule: Rule) -> Column | None:
    """Return the only column of a rule; None if it is another rule."""
    inner = rule.get("not", rule)
    if "range" not in inner and "in" not in inner:
        return None
    if "obs" in inner:
        return "obs", inner["obs"], None
    return ("var", inner["var"], inner.get("layer")) if isinstance(inner.get("var"), str) else None


def _column_of_brush(rule: Rule) -> Column | None:
    if rule and (_column_of(check_rule(rule)) is None or "range" not in rule):
        raise InvalidValue(
            f"a brush moves over a range of numbers, {{obs, range}} or {{var, range}}; found {shown(rule)}"
        )
    return _column_of(rule)
