"""The widget: what users call. How settings change is in `changing.py`, what the page asks in `answering.py`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from ipywidgets import CallbackDispatcher
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.datasets import looks_like_anndata, open_dataset, option_names
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.checks import Given, check_mode, split_options
from cxg_widget.display.settings import STATE, own_copy
from cxg_widget.display.target import color_of_itself
from cxg_widget.display.work import check_work
from cxg_widget.draw.lettering import load_letters
from cxg_widget.errors import CxgWidgetError, InvalidOption, InvalidValue, SelectionError
from cxg_widget.rules.combining import NOTHING, combined_rule
from cxg_widget.rules.filters import query_filter
from cxg_widget.selection.pandas_query import pandas_mask
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.session.changes import ALL
from cxg_widget.session.costs import Cost
from cxg_widget.session.exchange import Exchange
from cxg_widget.session.gestures import polygon_rule
from cxg_widget.session.pictures.figure_files import FigureSize
from cxg_widget.session.session import Session
from cxg_widget.text.names import shown
from cxg_widget.text.warned import warn_caller
from cxg_widget.widget import saving
from cxg_widget.widget.answering import PageChanges
from cxg_widget.widget.displaying import DisplayingWidget, watch_boxes
from cxg_widget.widget.genes import Genes
from cxg_widget.widget.history import History
from cxg_widget.widget.keeping import Keeper, Restoring
from cxg_widget.widget.panels import Panel, Panels, looks_of_split
from cxg_widget.widget.static_picture import NotebookPicture
from cxg_widget.widget.traits import HeldBack
from cxg_widget.wire import protocol

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from cxg_widget.rules.forms import Rule

_IN_A_ROW = "".join(
    f".widget-box:not(.widget-vbox) > {child} {{ flex: 1 1 0; min-width: min(16rem, 100%); }}\n"
    for child in (".cxg-widget", ":has(.cxg-widget)")
)
"""A widget is as wide as it may be; of itself it has no width, which is what a row of ipywidgets would give it, or the
boxes in it."""
DEFAULT_HEIGHT = 600
_OF_STATE = ALL - {"palette"}
"""What a state needs: its palette may wait for another coloring."""
_BUNDLE = Path(__file__).parents[1] / "static" / "widget.js"
# Given a path, anywidget keeps every widget for good, to be said of changes of the file; `make dev` asks for that.
_ESM: Any = _BUNDLE if os.environ.get("ANYWIDGET_HMR") == "1" else _BUNDLE.read_text(encoding="utf-8")


class CxgWidget(DisplayingWidget):
    """An interactive scatterplot of a single-cell dataset.

    Parameters
    ----------
    source : path or URI of a store, an AnnData object, or an open `Dataset`
    embedding : name of the embedding, None = the dataset's default; or two obs columns of numbers or genes, which are
        then the axes: ("n_genes", "CD3E"), "log1p:n_genes" for log(1 + x), and a third entry for the layer of genes
    color : obs column, gene or gene set ("obs:NAME", "var:NAME", "set:NAME" force one), a list of genes (their mean),
        None = no colour; where it is not given, what the dataset offers as `default_color`, else its cell types or
        clusters where a column has one of their usual names
    layer : name of the layer genes are read from; None = X
    height : CSS px
    dask : a `dask.distributed.Client` whose workers open the store, hold the cells and aggregate them; True = the
        current client; None = this process does it alone
    restore : what becomes of the sets, labels, filters, pins and panels that an earlier widget of this dataset kept in
        the folder for caches: "ask" offers them in the page, True brings back the newest at once (of this notebook
        where it has kept any), False neither offers nor keeps any. What is given here by name wins over what was kept.
        `CXG_WIDGET_RESTORE=0` makes False of "ask"
    **options : any trait below, and the options of `open_dataset`

    Raises
    ------
    DatasetNotFound, UnknownFormat, InvalidStore
        If the source cannot be opened.
    UnknownName, InvalidValue
        If a name or value is not valid for this dataset; both are ValueErrors.
    InvalidOption
        For an unknown keyword; a TypeError.

    Examples
    --------
    >>> w = CxgWidget("data.cxg")  # doctest: +SKIP
    >>> w.color = "CD3E"  # doctest: +SKIP
    >>> w.selection.obs()  # doctest: +SKIP
    """

    _esm = _ESM
    _css = _IN_A_ROW
    annotations: Any
    filters: Any
    table: Any

    def __init__(
        self,
        source: Any,
        *,
        embedding: str | Sequence[str] | None = None,
        color: Any = Given.NOT,
        layer: str | None = None,
        height: float = DEFAULT_HEIGHT,
        dask: Any = None,
        restore: Restoring = "ask",
        **more: Any,
    ) -> None:
        self._held_back = HeldBack()
        traits, opening = split_options(more, STATE, ("format", *option_names()))
        self._owns_dataset = not isinstance(source, Dataset)
        opened = open_dataset(source, **opening)
        # Annotations are of this widget.
        self._dataset: Dataset = opened if self._owns_dataset else opened.with_own_columns()
        self._color_of_itself = color_of_itself(self._dataset)
        self._exchange = Exchange(self.send, self._dataset.uri)
        read_with = _read_with(dask, source, opening)
        self._session = Session(self._dataset, announce=self._announce, read_with=read_with)
        self._callbacks = CallbackDispatcher()
        self._shown_before: dict[str, dict[str, Any]] = {}
        self._of_page = PageChanges(self._exchange.jobs, self._judge_filters, self._take)
        self._picture = NotebookPicture(self._session)
        self._keeper = Keeper(self._session, self._wait_for_step, restore, self._fail_keeping)
        self._open = True
        try:
            is_offered = color is Given.NOT
            color = self._color_of_itself if is_offered else color
            given = {"embedding": embedding, "color": color, "layer": layer, "height": height, **traits}
            # The session has the settings before there are traits: what does not fit leaves no half-made widget behind.
            check_work(given, self._dataset.n_obs)
            checked = self._session.changes.checked(given)
            self._session.apply(self._session.changes.find(checked, ("filters", "limits", "statistic")))
            # Reading begins before the comm is opened, which takes as long as the first columns do.
            prepared = self._exchange.jobs.submit("prepare", self._session.prepare)
            self._exchange.jobs.submit("order", self._session.prepare_order)
            super().__init__(_snapshot={"id": self._picture.id})
            unset = {
                "embedding": None,
                "layer": None,
                "height": DEFAULT_HEIGHT,
                **({"color": color} if is_offered else {}),
            }
            self._given = {name: checked[name] for name in given if name not in unset or given[name] != unset[name]}
            self._n_steps = count(1)
            self._history = History(self._moment, self._tell_steps)
            self._built, self._own_layout = True, self.layout
            self.on_msg(self._receive)
            self._exchange.jobs.submit("field", self._session.prepare_index)
            self._exchange.jobs.submit("letters", load_letters)
            watch_boxes(CxgWidget)
            if is_offered:
                prepared.add_done_callback(self._drop_unreadable)
            self._check_first("embedding" in self._given, color is not None and not is_offered)
            if isinstance(traits.get("annotations"), str | os.PathLike):
                self.annotations._note_saved(list(self.annotations))
            if restore is True:
                self._restore_newest()
        except BaseException:
            self.close()
            raise

    def _check_first(self, is_placed: bool, is_colored: bool) -> None:
        """Read what was given by name, so that what does not fit is said at once."""
        settings, check = self._session.settings, self._session.check
        if is_colored:
            check.coloring(settings)
            check.limits(settings)
        if is_placed:
            check.place(settings)
        check.landmarks(settings)
        check.panels(settings)
        check.hidden(settings)
        if is_colored and (said := check.misfit(settings)):
            warn_caller(f"palette: {said}")

    def _restore_newest(self) -> None:
        """Bring back what was kept last; where that cannot be, say so and show the dataset as it is."""
        try:
            for kept in self._keeper.find()[:1]:
                self._restore_kept(kept)
        except CxgWidgetError as error:
            warn_caller(f"restore=True: {error}")

    def _wait_for_step(self) -> None:
        if self._built:
            self._history.wait()

    def _fail_keeping(self, error: Exception) -> None:
        if self._open:
            self._exchange.fail("restore", error)

    # --- public --------------------------------------------------------------------------------------------------

    @property
    def dataset(self) -> Dataset:
        """The open dataset."""
        return self._dataset

    @property
    def selection(self) -> SelectedCells:
        """The selected cells as they are now: `.mask`, `.rows`, `len()`, `.obs(columns)`."""
        return self._session.selected

    @property
    def summary(self) -> str:
        """What is shown as text, a sentence a line: dataset, cells, embedding, colours, filters, selection.

        A screen reader says the same of the plot.

        Raises
        ------
        InvalidStore, DamagedStore
            If what is shown cannot be read.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        now = self._session.settings
        seen = None if now.view is None else (now.view[0], now.view[1], now.view[2], now.view[3])
        return self._session.in_words.summary(seen, (round(now.height * 4 / 3), now.height))

    @property
    def cost(self) -> Cost | None:
        """What the last action read of the store: `.n_bytes`, `.n_reads`, `.from_memory`, and `.of`, which action.

        What Dask's workers read is in it. `.is_ahead` says that storage far away was read ahead, so that requests were
        at most so many. None before the first one has ended, and where nothing counts what is read, such as of an
        AnnData of which a part lies in a file.
        """
        return self._session.costs.last

    def select(
        self, what: Any = None, mode: protocol.Mode = "replace", *, polygon: Any = None, query: str | None = None,
        engine: Literal["pandas"] | None = None, within: Any = None, **columns: Any,
    ) -> SelectedCells:  # fmt: skip
        """Select cells from Python.

        Parameters
        ----------
        what : {obs column: value or list of values}, of which each column must match; the name of a set; a query, as
            "n_counts > 500"; "selection", or "filter" = the cells that pass the filters; a boolean mask (n_obs,), row
            positions or obs index labels; corners as `polygon`; a rule; a set, of which that of another dataset is
            found by its rule. A set comes before a query, and a query before a label.
        mode : "replace", "add", "subtract" or "intersect"
        polygon : corners (k, 2), k >= 3, in data units of the embedding and axes on show; hidden categories count too
        query : as `filter` takes it
        engine : "pandas" = pandas evaluates the query, which then may call any of its methods: only for texts of your
            own. The selection has no rule then.
        within : takes of them those that are in other cells too, which are given as `what`; None = all
        **columns : refused with a sentence that says how a dict is written

        Returns
        -------
        the new selection

        Raises
        ------
        SelectionError, UnknownName
            If it cannot be made; the selection stays as it was.
        InvalidOption
            For a column given as a keyword.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        if columns:
            raise InvalidOption(f"select() takes columns as a dict: select({shown(columns)}).")
        mode = check_mode(mode, protocol.Mode)
        given = [one is not None for one in (what, polygon, query)]
        if sum(given) != 1:
            raise SelectionError(
                f"select() takes one of {{column: value}}, mask, rows, labels, polygon= or query=; found {sum(given)}"
            )
        if engine not in (None, "pandas") or (engine is not None and query is None):
            raise InvalidOption(f"engine= is 'pandas' or None, and goes with query=; found {shown(engine)}")
        rule: Rule | None
        what, within = with_values(what, within)
        query = query if engine == "pandas" else with_values(query)
        with self._session.costs.action("select"):
            if polygon is not None:
                mask, rule = self._session.polygon_mask(polygon), polygon_rule(polygon, self._session.settings)
            elif query is None:
                mask, rule, _ = self._session.cells(what)
            elif engine == "pandas":
                mask, rule = pandas_mask(query, self._dataset, self.layer, level=2), None
            else:
                mask, rule, _ = self._session.cells_of_query(query)
            population = self._session.population(within)
            if population.mask is not None:
                mask, rule = population.of(mask), combined_rule(rule, population.rule, "intersect")
        if mode != "replace":
            self._exchange.jobs.finish("lasso")  # of those that still wait, this is to change the outcome
        self._session.select(mask, mode, rule)
        self._selection_changed(self._session.streams.selection)
        return self.selection

    def aggregate(
        self, reduction: Any = None, *, color: Any = None, view: Any = None, width: int = 800, height: int = 600,
        within: Any = None,
    ) -> xr.DataArray | xr.Dataset:  # fmt: skip
        """Reduce all cells of a view to one value per pixel, exactly as datashader does, in blocks of rows.

        It reads all cells, however many are on show and whatever is hidden; those without coordinates count nowhere.

        Parameters
        ----------
        reduction : "count", "sum", "mean", "min", "max", "std", "var", "first" or "last", or an object of
            `datashader.reductions`, whose columns go by names as in `color`, "x" and "y" being the coordinates;
            None = what the widget shows: of numbers its `statistic`, which is the mean by "auto", else counts by
            category, or counts where there is no colour
        color : obs column, gene, gene set or list of genes that a name reduces; None = what the widget shows, but
            "count" then counts all cells. "count" of categories counts each.
        view : x0, x1, y0, y1 in data units; None = where all cells lie
        width, height : px, up to 100 million
        within : "filter" takes only the cells that pass the filters, "selection" the selected ones; or
            other cells as `select` takes them; None = all

        Returns
        -------
        `xarray.DataArray` (y, x), y ascending, with the centres of the pixels in data units as coordinates: uint32
        counts, else float64 with NaN where a pixel has no value; with a last axis of categories for counts by category,
        in none of which a cell without one counts. An `xarray.Dataset` for a `datashader.summary`.

        Raises
        ------
        UnknownName
            If there is no such column, gene, gene set.
        InvalidValue
            If the reduction does not fit its columns, or view or size cannot be.
        InvalidStore, DamagedStore
            If a column cannot be read.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        within = with_values(within)
        with self._session.costs.action("aggregate", less="a smaller width and height"):
            return self._session.aggregate(reduction, color=color, view=view, width=width, height=height, within=within)

    def save(
        self, path: str | os.PathLike[str], *, dpi: float | None = None, width: float | None = None,
        height: float | None = None, legend: bool | None = None, max_bytes: float | None = None,
        colors: Sequence[Any] | None = None,
    ) -> None:  # fmt: skip
        """Write what is on show into a file: all cells as one image, everything else as text and lines; or as a page.

        All panels, with axes, names, contours, legends, scale bar, the image of the section and the difference of two
        sets. In SVG and PDF words are text, in PDF with their font. The paper is `background`, white where that is
        None. A file that is there is replaced as a whole; after a failure it is as it was.

        A page, .html, holds up to a million of the cells and the colors at hand: it pans, zooms, tells of the cell
        under the pointer and recolors without a kernel or a network, and says what is not in it; so does a warning.

        Parameters
        ----------
        path : its suffix says what is written: .png, .svg, .pdf or .html; SVG and PDF need matplotlib
        dpi : pixels per inch of the image, 10 to 2,400; None = 300. With 96 a CSS px is one pixel
        width, height : of the whole page, CSS px (1/96 inch); of one alone the other follows. None = the plot as large
            as on the screen, where there is one, else 4:3 of the trait `height`, and the legend beside it. Of a page
            those of the widget; None = as the window has it
        legend : whether title and legend are on it; None = as the trait `legend` says, which is True by itself
        max_bytes : of a page; None = 50 million. What is merely at hand goes first, then cells, of which a sample stays
        colors : what a page can be colored by, as `color` takes it, beside the current color,
            pinned genes, open columns and what the tooltip shows

        Raises
        ------
        InvalidValue
            For another suffix, a size that leaves no room for the plot or cannot be held, max_bytes that hold nothing.
        TargetNotWritten
            If there is no such folder, the disk is full or does not take it, the path is a link; an OSError.
        MissingDependency
            If matplotlib is not installed, for SVG and PDF.
        InvalidStore, DamagedStore
            If what is shown cannot be read.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        with self._session.costs.action("save", less="a smaller width=, height= or dpi="):
            options = saving.Options(dpi, legend, max_bytes, colors)
            saving.save(self._session, path, self._figure_size(width, height, dpi), options)

    def figure(
        self, *, dpi: float | None = None, width: float | None = None, height: float | None = None,
        legend: bool | None = None,
    ) -> Figure:  # fmt: skip
        """Return what is on show as a `matplotlib.figure.Figure`, to be added to; parameters as those of `save`.

        Each plot is an `Axes` in data units, in the order of the panels.

        Raises
        ------
        MissingDependency
            If matplotlib is not installed.
        InvalidValue, InvalidStore, DamagedStore, ClosedDataset
            As `save`.
        """
        self._check_open()
        with self._session.costs.action("save", less="a smaller width=, height= or dpi="):
            return saving.figure(self._session, self._figure_size(width, height, dpi), legend)

    def _figure_size(self, width: Any, height: Any, dpi: Any) -> FigureSize:
        return FigureSize.of(saving.plot_size(self._snapshot, self.height), width, height, dpi)

    def filter(self, query: str | None) -> None:
        """Keep the cells of a query beside the other filters, in the place of the query before; None takes it away.

        Parameters
        ----------
        query : as "n_genes > 500 and cell_type == 'B cell'": names of obs columns and genes (in `backticks` where they
            are no plain words), comparisons, and, or, not, in, `&`, `|`, `~`, arithmetic, `.isin()`, `.between()`,
            `.isna()`, `.notna()`, `.str.contains()`, `.str.startswith()` and `.str.endswith()`; @name stands for the
            value of a variable of the caller: a number, a text or a list of these. It means what pandas' `query` means,
            and runs nothing.

        Raises
        ------
        SelectionError, UnknownName
            If it is no such query, or names what there is not; the filters stay as they were.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        if query is not None:
            self.filters.put(query_filter(with_values(query), self._dataset, self.layer))
        else:
            self.filters = [rule for rule in self._kept("filters") if "query" not in rule]

    @property
    def genes(self) -> Genes:
        """Pinned genes and gene sets: `.pin(name)`, `.sets = {name: genes}`, `.add(text)`."""
        return Genes(self)

    @genes.setter
    def genes(self, _: Any) -> None:
        raise InvalidOption("w.genes is not set as a whole: w.genes.pin(names), w.genes.sets = {name: genes}.")

    def panel(self, **look: Any) -> Panel:
        """Show one more panel beside the others: another colour, another embedding, or some of the cells.

        Panels of one embedding have one camera. Hover, selection, filters and tools are those of all panels; what a
        panel has not of its own is the widget's.

        Parameters
        ----------
        **look : `embedding` as the trait, by its first two axes; `color` as the trait, and with it `layer`, `cmap` (a
            name), `vmin` and `vmax`; `within` = {column: what is kept} as `w.filters` takes it, the cells that it shows

        Returns
        -------
        the panel: `.remove()`, and each of the above to read and set

        Raises
        ------
        UnknownName, InvalidValue
            If a name or a value does not fit, there are more than 12, or Dask's workers hold the cells.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        now: Panels = self.panels
        return now.add(look)

    def grid(self, colors: Sequence[Any]) -> Panels:
        """Show a panel for each of several colours, in the place of all before; the first is the plot itself.

        Parameters
        ----------
        colors : values of the trait `color`, or looks as `panel` takes them: `["CD3E", "NKG7", "cell_type"]`

        Returns
        -------
        `w.panels`

        Raises
        ------
        UnknownName, InvalidValue
            As `panel`; what is on show stays.
        ClosedDataset
            If the widget was closed.
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
        """Show a panel for each category of an obs column, with its cells alone, in the place of all panels before.

        All have the colours and the limits of the widget: what is yellow in one is as high in the others. Cells without
        a category are in none; `filtered = "grey"` shows those of the other panels pale beneath.

        Parameters
        ----------
        column : obs column of categories
        values : some of its categories, in the order of the panels; None = all. None among them = those without a value

        Returns
        -------
        `w.panels`

        Raises
        ------
        UnknownName, InvalidValue
            If there is no such column or category, it holds numbers, there are more than 12, or Dask's workers hold the
            cells.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        self.panels.replace(looks_of_split(self, column, values))
        now: Panels = self.panels
        return now

    def _filtered(self) -> NDArray[np.bool_]:
        """Return which cells pass all filters, bool (n_obs,), a new array."""
        mask = self._session.held.filtered()
        return np.ones(self._dataset.n_obs, dtype=np.bool_) if mask is None else mask.copy()

    def clear_selection(self) -> None:
        """Select nothing."""
        self._check_open()
        self._session.select(np.zeros(self._dataset.n_obs, dtype=np.bool_), rule=NOTHING)
        self._selection_changed(self._session.streams.selection)

    def zoom_to(self, what: Any) -> None:
        """Show where some cells are: the smallest view that holds them, and a little around them.

        Panels of other embeddings show where the cells are there.

        Parameters
        ----------
        what : the name of a set; else as `compare` takes cells: a set or a selection, {obs column: values}, a rule, a
            query, a mask, rows, a polygon, labels. A set comes before a cell of the same label.

        Raises
        ------
        SelectionError
            If no cells are meant, or none of them has a place in the embedding on show.
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        mask = self._session.cells(with_values(what)).mask
        self.view, self.views = list(self._session.view_of(mask)), self._session.views_of(mask)

    def on_selection(self, callback: Callable[[SelectedCells], Any], *, remove: bool = False) -> None:
        """Call `callback(selection)` after each change of the selection; remove=True stops that.

        It is called by undo and redo too, which then show over what it sets; see `undo`.
        """
        self._callbacks.register_callback(callback, remove=remove)

    @property
    def state(self) -> dict[str, Any]:
        """The view as a small JSON dict, a copy; `CxgWidget(source, **state)` or `w.state = state` brings it back."""
        defaults: dict[str, Any] = {name: self.trait_defaults(name) for name in STATE}
        if self._color_of_itself is not None:
            defaults["color"] = Given.NOT  # None is then no default, and has to be said
        return {name: own_copy(value) for name in STATE if (value := self._kept(name)) != defaults[name]}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        if not isinstance(state, Mapping):
            raise InvalidValue(f"state must be a dict as `w.state` gives it; found {shown(state)}")
        wanted, _ = split_options(state, STATE, ())
        defaults = {name: self.trait_defaults(name) for name in STATE} | {"color": self._color_of_itself}
        check_work(defaults | wanted, self._dataset.n_obs)
        with self._step():
            self._ask(defaults | wanted, needs=_OF_STATE)

    def close(self) -> None:
        """End the widget, and close the dataset if the widget opened it."""
        if not self._open:
            return
        self._keeper.close()
        self._open = False
        self._exchange.jobs.close()
        self._session.close()
        if self._built:
            super().close()
            self._own_layout.close()  # a widget of its own, which ipywidgets holds until it is closed
        if self._owns_dataset:
            self._dataset.close()

    def __repr__(self) -> str:
        if not self._built:
            return object.__repr__(self)
        title = f"CxgWidget {self._dataset.title!r}"
        if not self._open:
            return f"<{title} (closed)>"
        place = "no embedding" if self.embedding is None else self._dataset.describe_embedding(self.embedding)
        return f"<{title}: {self._dataset.n_obs:,} obs, {place}, color {self.color!r}>"


def _read_with(dask: Any, source: Any, opening: dict[str, Any]) -> Callable[..., Loader]:
    """Return what makes the loader of a session: of this process, or of a Dask cluster."""
    if dask is None or dask is False:
        return Loader
    from cxg_widget.cells.cluster import Source, cluster_holder, find_client

    if looks_like_anndata(source) or getattr(source, "format", "") == "anndata":
        raise InvalidOption("dask= needs a store that its workers can open; this is an AnnData in memory.")
    uri = source.uri if isinstance(source, Dataset) else source
    touched = {name: value for name, value in opening.items() if name != "isolated"}  # once is enough
    return partial(Loader, holder=cluster_holder(find_client(dask), Source.of(uri, **touched)))
