"""Markers while you draw: keeps the sketch of the matrix on show, and ranks genes by it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.indexed import IndexedCells
from cxg_widget.cells.loader import Loader
from cxg_widget.compare.quick_markers import QuickMarkers, Sketched
from cxg_widget.compare.sketch_store import SketchStore, sketch_key
from cxg_widget.compare.sketch_tiles import Tiles
from cxg_widget.compute.jobs import in_background
from cxg_widget.display.settings import Settings
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError
from cxg_widget.session.analysis.meant import cells_meant
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import Newest
from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.polygon import as_polygon
from cxg_widget.text.names import shown, text_of
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 20
_EACH_S = 0.2
"""Seconds between announcements of progress."""


class QuickLists:
    """Ranks genes of cells by the sketch of the current embedding and layer.

    announce : takes a frame that was not requested, from any thread
    """

    def __init__(self, loader: Loader, display: DisplayState, announce: Callable[[Frame], object]) -> None:
        self._loader, self._display, self._announce = loader, display, announce
        self._making = Newest("the sketch was cancelled.")
        self._held: tuple[Hashable, Sketched] | None = None
        self._searched: Hashable = None
        self._drawn: tuple[object, Tiles] | None = None

    # For Python.

    def table(self, what: Any, n: Any) -> pd.DataFrame:
        """Return the first n genes of cells, given as `cells_meant` takes them; makes the sketch if there is none."""
        import pandas as pd

        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InvalidValue(f"n takes a whole number from 1 on; found {shown(n)}")
        mask = cells_meant(what, self._loader, self._display).mask
        if not mask.any():
            raise SelectionError("the selection is empty; w.quick_markers({column: values}) takes other cells.")
        settings = self._display.settings
        sketched = self._find(settings) or self._make(settings, lambda: None, "")
        found = sketched.resolve(mask, int(n))
        names, dataset = self._loader.dataset.names_in(settings.layer), self._loader.dataset
        labels = [names.var_labels[at] for at in found.positions.tolist()]
        table = pd.DataFrame(found.columns, index=pd.Index(labels, name=dataset.index_name("var"), dtype=object))
        return table.assign(exact=found.is_exact)

    # For the front-end.

    def frames(self, request: p.AskQuick) -> Iterator[Frame]:
        """Yield the genes of the cells in a polygon, or of the selected cells; without a sketch, what it would take.

        Raises
        ------
        InvalidOption
            If Dask workers hold the cells.
        CxgWidgetError
            If the cells or the matrix cannot be read.
        """
        shown, mask, _ = self._display.now(request.panel)
        # The layer is that of the plot, whatever layer colors a panel: the exact test takes it too.
        settings, _ = self._display.place(request.panel)
        sketched = self._find(settings)
        if sketched is None:
            yield self._missing(settings)
        elif request.polygon:
            found = sketched.estimate(self._count(request.polygon, sketched, self._loader.of(shown)), _SHOWN)
            yield self._found(found, settings)
        else:
            yield self._found(sketched.resolve(mask, _SHOWN), settings)

    def make(self, request: p.MakeSketch) -> Iterator[Frame]:
        """Make the sketch, and yield the genes of the selected cells; raises as `frames`, and `Overtaken` if ended."""
        settings, _ = self._display.place(request.panel)
        check = self._making.begin()
        if self._find(settings) is None:
            in_background(lambda: self._make(settings, check, "sketch"), gives_way=True).result()
        yield from self.frames(p.AskQuick([], panel=request.panel))

    def end(self) -> None:
        """Cancel the sketch that the page has requested."""
        self._making.end()

    def close(self) -> None:
        """Cancel what is being made, and release the sketch."""
        self._making.end()
        self._held = self._drawn = None

    # Sketches.

    def _find(self, settings: Settings) -> Sketched | None:
        """Return the sketch in memory, or on disk; None if there is none."""
        if not self._n_genes(settings):
            dataset = self._loader.dataset
            raise InvalidValue(f"{dataset.title} has no {dataset.var_noun.many} to compare by.")
        if self._loader.is_elsewhere:
            raise InvalidOption(
                "quick markers need all cells in this process, and Dask workers hold them; w.markers() works on Dask."
            )
        key, held = self._key(settings), self._held
        if held is not None and held[0] == key:
            return held[1]
        if self._searched == key:  # not on disk
            return None
        self._searched = key
        store, dataset = SketchStore(), self._loader.dataset
        name = self._name(settings)
        if name is None or not store.has(name):
            return None
        found = store.load(name, self._index(settings), self._n_genes(settings))
        return None if found is None else self._hold(key, Sketched(dataset, settings.layer, *found))

    def _make(self, settings: Settings, check: Callable[[], None], ends_by: p.EndsBy) -> Sketched:
        """Read the matrix once, and keep the sketch in memory and on disk."""
        dataset, last = self._loader.dataset, 0.0

        def tell(done: float, what: str) -> None:
            nonlocal last
            now = monotonic()
            if now - last >= _EACH_S:
                last = now
                self._announce(Frame(p.Progress("reading", min(done, 0.999), ends_by, what)))

        try:
            made = Sketched.make(dataset, settings.layer, self._index(settings), tell, check)
        finally:
            self._announce(Frame(p.Progress("reading", 1.0, ends_by)))
        name, store = self._name(settings), SketchStore()
        # From the file the system may take the memory back.
        if name is not None and store.save(name, made.tiles, made.sketch):
            found = store.load(name, made.tiles.index, self._n_genes(settings))
            made = made if found is None else Sketched(dataset, settings.layer, *found)
        return self._hold(self._key(settings), made)

    def _hold(self, key: Hashable, sketched: Sketched) -> Sketched:
        self._held, self._drawn = (key, sketched), None
        return sketched

    @staticmethod
    def _key(settings: Settings) -> Hashable:
        return settings.place_key, settings.layer

    def _name(self, settings: Settings) -> str | None:
        """Return the name of the file; None if nothing identifies the data."""
        dataset = self._loader.dataset
        if not dataset.identity:
            return None
        embedding = dataset.find_embedding(settings.embedding)
        return sketch_key(dataset.identity, dataset.n_obs, embedding, settings.axes, settings.layer)

    def _n_genes(self, settings: Settings) -> int:
        return len(self._loader.dataset.names_in(settings.layer).var_labels)

    def _index(self, settings: Settings) -> SpatialIndex:
        held, loader = self._loader.of(settings), self._loader
        cells = held.wait_for_index(lambda: False) if held.is_aggregated else held.index_if_built()
        if isinstance(cells, IndexedCells):
            return cells.index
        # Not kept by the loader: while points travel, nothing else needs an index.
        return loader.share("index", settings.place_key, lambda: SpatialIndex.build(held.xy()))

    # Cells of a shape.

    def _count(self, corners: list[float], sketched: Sketched, held: Holder) -> NDArray[np.int64]:
        """Count the cells of each tile that a lasso would select."""
        if len(corners) % 2:
            raise InvalidValue(f"a lasso must list x and y of each corner; found {len(corners)} numbers")
        settings = held.settings
        tiles, drawn = sketched.tiles, (settings.filters, settings.hidden, settings.color_key, sketched)
        if settings.filters or settings.hidden:
            if self._drawn is None or self._drawn[0] != drawn:
                shown = held.shown()
                self._drawn = drawn, tiles if shown is None else tiles.only(shown)
            tiles = self._drawn[1]
        return tiles.count_in_polygon(as_polygon(np.reshape(corners, (-1, 2))))

    # Answers.

    def _missing(self, settings: Settings) -> Frame:
        dataset = self._loader.dataset
        plan = dataset.plan(None, None, settings.layer)
        message = p.Quick(
            has_sketch=False, n_bytes=Sketched.size_bytes(dataset, settings.layer), read_bytes=plan.n_bytes,
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
