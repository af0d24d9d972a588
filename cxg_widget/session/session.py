"""Requests in, frames out: everything the widget can do, without a comm and without traitlets.

A `Session` holds one dataset, what was read of it, the selection and the settings on show. It may be called from
several threads; a newer request for points or colour ends the older one between two chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.loader import Loader
from cxg_widget.change.change import Change
from cxg_widget.change.sends import DRAWN, Send
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.datasets.base.embedding_names import is_tissue
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.search import Catalogue
from cxg_widget.display.settings import Settings
from cxg_widget.display.target import Target
from cxg_widget.display.views import place_of
from cxg_widget.draw.page import Page
from cxg_widget.errors import Overtaken, SelectionError
from cxg_widget.rules.combining import NOTHING
from cxg_widget.rules.forms import Rule
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.session import streams
from cxg_widget.session.aggregated import aggregated
from cxg_widget.session.annotation_list import AnnotationList
from cxg_widget.session.brush import BrushAnswer
from cxg_widget.session.changes import Changes
from cxg_widget.session.columns import Columns
from cxg_widget.session.comparison import Comparisons
from cxg_widget.session.composition import composition_frame
from cxg_widget.session.costs import Costs
from cxg_widget.session.fields import fields_frame, frame_of_fields
from cxg_widget.session.figure_files import FigureSize, figure_file, paper_name
from cxg_widget.session.first_paint import FirstPaint
from cxg_widget.session.gene_sets import gene_sets_frame
from cxg_widget.session.gestures import mask_of, polygon_mask, rule_of
from cxg_widget.session.html_file import HtmlFile, HtmlWish, html_file
from cxg_widget.session.landmarks import Landmarks
from cxg_widget.session.meant import MeantCells, cells_meant, cells_of_query
from cxg_widget.session.module import module_frame
from cxg_widget.session.on_show import OnShow
from cxg_widget.session.pages import Pages, Size
from cxg_widget.session.panel_pictures import PanelPictures
from cxg_widget.session.pictures import Pictures
from cxg_widget.session.plots import GroupPlots
from cxg_widget.session.pointer import Pointer
from cxg_widget.session.population import Population, population_of
from cxg_widget.session.set_list import SetList
from cxg_widget.session.settings_check import SettingsCheck
from cxg_widget.session.showing import Showing
from cxg_widget.session.table import CellTable
from cxg_widget.session.tissue import TissueParts
from cxg_widget.session.view_request import Views
from cxg_widget.spatial.view import View, room_around
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import CHUNK_BYTES, Frame
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.quantise import Bounds
from cxg_widget.wire.request_bounds import MAX_MATCHES, check_size, check_version, check_view

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from cxg_widget.annotations.log import Log


class Session:
    """One dataset on show, with its selection.

    Parameters
    ----------
    dataset : the open dataset; the session does not close it
    settings : what to show first
    seed : of the display order
    announce : takes a frame that nobody asked for, from any thread
    read_with : makes the `Loader` of a dataset, a seed and a function that is told progress

    Attributes
    ----------
    changes : finds what becomes of settings when some change
    check : checks settings before they are on show
    costs : what actions have read of the store
    saved_labels : {annotation: `key` of the log whose labels a file has}
    showing : what the front-end draws, and what panels have of their own
    tell_reading : shows which part of what lasts has been read, 0 to 1
    """

    def __init__(
        self, dataset: Dataset, settings: Settings | None = None, *, seed: int = 0,
        announce: Callable[[Frame], object] | None = None,
        read_with: Callable[..., Loader] = Loader,
    ) -> None:  # fmt: skip
        self.dataset = dataset
        announce = announce or (lambda _: None)

        def tell_progress(of: Literal["index", "reading"], done: float) -> None:
            is_index = of == "index"
            announce(Frame(p.Progress(of, done, "aggregate" if is_index else "", "" if is_index else "Reading")))

        self.tell_reading = partial(tell_progress, "reading")
        self._loader = read_with(dataset, seed, partial(tell_progress, "index"))
        self.costs = Costs(dataset, self._loader.elsewhere, announce)
        first = settings or Settings(embedding=dataset.default_embedding)
        self._on_show = OnShow(first, dataset.n_obs)
        self._stop_listening = dataset.tell_progress_to(self.tell_reading)
        self._first_paint = FirstPaint()
        self.check = SettingsCheck(self._loader, self._on_show)
        self.changes = Changes(self._loader, self._on_show, self.check)
        self.showing = Showing(self._loader, self._on_show)
        self._views = Views(self._loader, self._on_show, announce)
        self._pointer = Pointer(self._loader, self._on_show)
        self._landmarks = Landmarks(self._loader, self._on_show)
        self._tissue = TissueParts(dataset)
        self._columns = Columns(self._loader, self._on_show)
        self._brush = BrushAnswer(self._loader, self._on_show, self._columns)
        self.set_bits = self._loader.set_bits
        self.sets = SetList(self._loader, self._on_show)
        self.saved_labels: dict[str, str] = {}
        self._annotations = AnnotationList(self._loader, self._on_show, self.saved_labels)
        self.table = CellTable(self._loader, self._on_show)
        self.plots = GroupPlots(self._loader, self._on_show)
        self.comparisons = Comparisons(self._loader, self._on_show, announce)

    @property
    def settings(self) -> Settings:
        """What is asked to be on show."""
        return self._on_show.settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._take(settings, self.changes.sends(settings))

    def _take(self, settings: Settings, sends: Collection[Send]) -> None:
        self._on_show.change(settings, sends)
        panels = self.check.share(settings)
        self._loader.crossfilter.know_sets(settings.sets)
        self._loader.crossfilter.keep([*settings.filters, *(rule for one in panels for rule in one.filters)])

    def apply(self, change: Change) -> None:
        """Show a change whose needs have been read, and let the dataset have the annotations of now alone."""
        self.changes.limits = change.limits
        if DRAWN.isdisjoint(change.names):  # what is held and how it is numbered depend on none of the others
            self._on_show.settings = change.settings
            return
        self._take(change.settings, change.sends)
        if "annotations" in change.names:
            self.put_labels(self.labels(change.settings))

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which cells are selected, bool (n_obs,)."""
        return self._on_show.mask

    # --- what is known ---------------------------------------------------------------------------------------------

    def xy(self) -> NDArray[np.float32]:
        """Return the coordinates on show at full precision, float32 (n_obs, 2), row order."""
        return self._held.xy()

    def place(self, settings: Settings | None = None) -> Bounds:
        """Read where the cells are, and return within which bounds that is."""
        return self._held.place() if settings is None else self.check.place(settings)

    def target(self, settings: Settings) -> Target:
        """Find what some settings colour by; raises as `target.resolve`."""
        return self._loader.target(settings)

    def coloring(self, settings: Settings | None = None) -> Coloring:
        """Read and return what the cells are coloured by; raises as `Holder.coloring`."""
        return self._loader.of(settings or self.settings).coloring()

    def filtered(self, settings: Settings | None = None) -> NDArray[np.bool_] | None:
        """Return which cells pass all filters, bool (n_obs,); None = all. Raises as `rules.rule.mask_of`."""
        return self._loader.of(settings or self.settings).filtered()

    def holds_filters(self, rules: Sequence[Rule]) -> bool:
        """Say whether nothing has to be read to know which cells pass."""
        return self._loader.crossfilter.holds(rules)

    def prepare(self) -> None:
        """Read what the first picture needs."""
        self.coloring()
        self.place()
        self.prepare_order()

    def prepare_order(self) -> None:
        """Make the order of the points; beside `prepare`, which mostly waits for the store."""
        if not self._held.is_aggregated:
            self._loader.order()

    def prepare_index(self) -> None:
        """Build or load what views are aggregated from, where they are; the first of them then comes sooner."""
        if self._held.is_aggregated:
            self._held.prepare()

    def close(self) -> None:
        """Let go of what is held elsewhere; the dataset stays open."""
        self._first_paint.begin()
        self._stop_listening()
        self.table.close()
        self._loader.close()

    @property
    def _held(self) -> Holder:
        """The cells as they are on show."""
        return self._loader.of(self.settings)

    @property
    def order(self) -> DisplayOrder:
        """The order in which the points are sent."""
        return self._held.order

    # --- selecting -------------------------------------------------------------------------------------------------

    @property
    def selected(self) -> SelectedCells:
        """The selection as it is now."""
        mask, rule = self.selected_by_rule()
        return SelectedCells(
            self.dataset, mask, self.settings.layer, rule, self.settings.own_gene_sets,
            cells_within=lambda within: self.population(within).mask,
        )  # fmt: skip

    def selected_by_rule(self) -> tuple[NDArray[np.bool_], Rule | None]:
        """Return the selection, bool (n_obs,), and the rule that finds it, None where there is none."""
        return self._on_show.selected()

    def select(self, mask: NDArray[np.bool_], mode: p.Mode = "replace", rule: Rule | None = None) -> None:
        """Combine a mask, bool (n_obs,), with the selection; `rule` finds the same cells, where one is known."""
        self._on_show.select(mask, mode, rule)

    def labels_of(self, log: Log) -> Codes:
        """Return the labels that the log of an annotation gives; raises as `Replay.codes`."""
        return self._loader.replay.codes(log)

    def labels(self, settings: Settings) -> dict[str, Codes]:
        """Return the labels of all annotations of some settings, by name; raises as `Replay.codes`."""
        return {one["name"]: self.labels_of(one["log"]) for one in settings.annotations}

    def know_labels(self, log: Log, codes: Codes) -> None:
        """Take note of the labels that a log gives, which are known already."""
        self._loader.replay.know(log, codes)

    def put_labels(self, columns: Mapping[str, Codes]) -> bool:
        """Let the dataset have these annotations; as `Loader.put_labels`."""
        return self._loader.put_labels(columns)

    def has_labels(self, columns: Mapping[str, Codes]) -> bool:
        """Say whether the dataset has these very annotations; as `Loader.has_labels`."""
        return self._loader.has_labels(columns)

    def about(self) -> Iterator[Frame]:
        """Yield what is said of the dataset, again where its columns are others."""
        yield streams.dataset_frame(self.dataset)

    def cells(self, what: Any) -> MeantCells:
        """Return the cells that a user means; parameters and errors as `cells_meant`."""
        return cells_meant(what, self._loader, self.settings, self.selected_by_rule())

    def cells_of_query(self, text: Any) -> MeantCells:
        """Return the cells of a query over obs columns, and genes of the layer on show."""
        return cells_of_query(text, self._loader, self.settings.layer)

    def population(self, within: Any) -> Population:
        """Return the cells that `within=` means; raises as `population_of`."""
        return population_of(within, self._loader, self.settings, self.selected_by_rule())

    def aggregate(self, reduction: Any = None, *, within: Any = None, **asked: Any) -> xr.DataArray | xr.Dataset:
        """Reduce cells to planes; parameters and errors as those of `CxgWidget.aggregate`."""
        return aggregated(self._held, self.population(within).mask, reduction, **asked)

    def counts(self, column: str | Sequence[str], within: Any = None) -> pd.DataFrame:
        """Count cells by the values of a column, or by fields of several genes; as `CxgWidget.counts`."""
        population = self.population(within)
        if isinstance(column, list | tuple):
            return frame_of_fields(column, self._loader, self._on_show, population)
        return self._columns.frame(column, population)

    def composition(
        self, column: Any, mask: NDArray[np.bool_] | None, by: Any = None, within: Any = "filter"
    ) -> pd.DataFrame:
        """Return how cells fall to the values of a column; as `CxgWidget.composition`."""
        settings, selected, _ = self._on_show.now()
        cells, population = selected if mask is None else mask, self.population(within)
        return composition_frame(self._columns, self._loader, (settings, cells, population), column, by)

    def polygon_mask(self, corners: Any, *, hidden: bool = True) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2) in data units of the embedding and axes on show.

        hidden : whether those count too that the legend hides
        """
        return polygon_mask(corners, self._held, self.mask, hidden=hidden)

    def view_of(self, mask: NDArray[np.bool_], panel: int = 0) -> View:
        """Return the smallest view that holds cells, bool (n_obs,), and a little around them.

        panel : in whose embedding

        Raises
        ------
        SelectionError
            If none of them has a place in the embedding on show.
        """
        settings = self.settings.of_panel(panel)
        held = self._loader.of(settings)
        xy = held.xy()[mask]
        xy = xy[np.isfinite(xy).all(axis=1)].astype(np.float64)
        if not len(xy):
            many = self.dataset.obs_noun.many
            if not mask.any():
                raise SelectionError(f"it has no {many} to zoom to.")
            raise SelectionError(f"none of these {many} has coordinates in this embedding.")
        (x0, y0), (x1, y1) = xy.min(axis=0), xy.max(axis=0)
        y_down = is_tissue(self.dataset.find_embedding(settings.embedding))
        return room_around((x0, x1, y0, y1), held.place().extent, y_down=y_down)

    def views_of(self, mask: NDArray[np.bool_]) -> list[dict[str, Any]]:
        """Return where panels of other embeddings show cells, as `views`; as now where they have no place."""
        settings = self.settings
        views = {place_of(one): dict(one) for one in settings.views}
        for place, panel in settings.places.items():
            with suppress(SelectionError):
                name = list(place[0]) if isinstance(place[0], tuple) else place[0]
                views[place] = {"embedding": name, "view": list(self.view_of(mask, panel))}
        return list(views.values())

    def gesture(self, message: p.Lasso | p.Category | p.Pick | p.Clear) -> None:
        """Select by a gesture."""
        if isinstance(message, p.Clear):
            self.select(np.zeros_like(self.mask), rule=NOTHING)
        else:
            mask, rule = self._cells_of(message)
            self.select(mask, message.mode, rule)

    def _cells_of(self, message: p.Lasso | p.Category | p.Pick) -> tuple[NDArray[np.bool_], Rule | None]:
        held = self._loader.of(self.settings.of_panel(message.panel))
        return mask_of(message, held, self.mask), rule_of(message, held)

    def is_prompt(self, message: p.Lasso | p.Category | p.Pick) -> bool:
        """Say whether a gesture can be answered at once, without reading anything first."""
        with suppress(Overtaken):
            return self._loader.of(self.settings.of_panel(message.panel)).needs_no_reading
        return True  # its panel is gone, which the answer says

    def later(self, message: p.Lasso | p.Category | p.Pick) -> Callable[[], Iterator[Frame]]:
        """Take note of a gesture, and return its answer, to be asked for in its turn.

        The answer raises `Overtaken` where a newer selection has replaced all before it, or other cells are on show.
        """
        means = {p.Lasso: attrgetter("place_key"), p.Category: attrgetter("color_key")}
        of: Callable[[Settings], object] = means.get(type(message), lambda _: None)

        def key(settings: Settings) -> object:
            return of(settings.of_panel(message.panel))

        select = self._on_show.select_later(message.mode, lambda: self._cells_of(message), key)

        def answer() -> Iterator[Frame]:
            select()
            yield from self.selection()

        return lambda: self.costs.counted(message.kind, answer())

    # --- answers ---------------------------------------------------------------------------------------------------

    def answer(self, message: p.Message) -> Iterator[Frame]:
        """Turn a request into its frames, and count what is read for them.

        Raises
        ------
        CxgWidgetError
            With the sentence for the user.
        """
        is_held = isinstance(message, p.Lasso | p.Category | p.Pick) and self.is_prompt(message)
        counted = self.costs.from_memory if is_held else self.costs.counted
        return counted(message.kind, self._answer(message))

    def _answer(self, message: p.Message) -> Iterator[Frame]:
        match message:
            case p.Ready():
                yield from self._all(message.version)
            case p.Begun():
                self._first_paint.begin()
            case p.Lasso() | p.Category() | p.Pick() | p.Clear():
                self.gesture(message)
                yield from self.selection()
            case p.AskSets():
                yield self.sets.frame(message.chosen)
            case p.Count():
                yield self._counts()
            case p.Hover():
                yield self._pointer.frame(message)
            case p.Search():
                sets = self.settings.own_gene_sets
                catalogue: Catalogue = self._loader.memo.keep(
                    "catalogue", tuple(sets.items()), lambda: Catalogue(self.dataset, sets)
                )
                names = [one["name"] for one in self.settings.sets]
                found, n_more = catalogue.find(message.query, min(max(message.limit, 1), MAX_MATCHES), names)
                yield Frame(p.Matches(message.query, [catalogue.told(match) for match in found], n_more))
            case p.Zoom():
                check_view(message.view)
                held = self._loader.of(self.settings.of_panel(message.panel))
                yield from streams.detail_frames(message.view, held.xy(), self._loader.order())
            case p.Aggregate():
                check_view(message.view)
                check_size(message.width, message.height)
                yield from self._views.frames(message)
            case p.Cancel():
                self._cancel(message)
            case p.AskLook() | p.AskPlace():
                part = self.showing.look if isinstance(message, p.AskLook) else self.showing.place
                yield from part(message.panel)
            case _:
                yield from self._for_panels(message)

    def _for_panels(self, message: p.Message) -> Iterator[Frame]:
        match message:
            case p.AskColumns() | p.FindValues():
                yield from self._columns.frames(message)
            case p.AskAnnotations():
                yield self._annotations.frame(message)
            case p.AskGenes():
                yield gene_sets_frame(message, self.dataset, self.settings)
            case p.AskBrush():
                yield from self._brush.frames(message)
            case p.AskFields():
                yield fields_frame(self._loader, self._on_show)
            case p.AskTable():
                yield self.table.page(message)
            case p.AskCsv():
                yield self.table.part(message)
            case p.AskLabels():
                yield self._landmarks.labels(message)
            case p.AskContours():
                yield self._landmarks.contours(message)
            case p.AskDifference():
                yield self._landmarks.difference(message)
            case p.AskSections() | p.AskTissue():
                yield self._tissue.frame(message)
            case _:
                yield from self._besides(message)

    def _besides(self, message: p.Message) -> Iterator[Frame]:
        match message:
            case p.AskFigure():
                yield from self._figure(message)
            case p.AskModule():
                yield module_frame(message.known)
            case p.Compare():
                yield from self.comparisons.compare(message)
            case p.AskComparison():
                yield from self.comparisons.frames(message)

    def _all(self, version: int) -> Iterator[Frame]:
        check_version(version)
        yield streams.dataset_frame(self.dataset)
        if not self._on_show.is_early:  # of that something may have been drawn
            self._first_paint.ask()
        yield from self._first_paint.hold(self.show())

    def _cancel(self, message: p.Cancel) -> None:
        if message.of == "aggregate":
            self._views.cancel(message.panel)
        elif message.of in ("labels", "contours", "difference"):
            self._landmarks.cancel(message.of, message.panel)
        elif message.of == "compare":
            self.comparisons.end()
        elif message.of == "tissue":
            self._tissue.cancel()
        elif message.of == "lasso":
            self._on_show.drop_selections()

    def _counts(self) -> Frame:
        settings, mask, seqs = self._on_show.now()
        held = self._loader.of(settings)
        passing = held.filtered()
        chosen = mask if passing is None else mask & passing
        n_missing, *counts = held.count_selected(chosen).tolist()
        of_all: list[int] = []
        if passing is not None:
            n_without, *of_all = held.count_selected(passing).tolist()
            of_all.append(n_without)
        message = p.Counts(seqs.color, seqs.selection, n_missing, int(np.count_nonzero(chosen)), seqs.filter)
        arrays = {"counts": counts, "passing": of_all}
        return Frame(message, {name: np.array(some, dtype=np.uint32) for name, some in arrays.items()})

    # --- parts -----------------------------------------------------------------------------------------------------

    @property
    def pictures(self) -> Pictures:
        """Pictures of what is on show now."""
        settings, mask, _ = self._on_show.now()
        return Pictures(self._loader.of(settings), mask)

    def page(self, size: Size, *, dark: bool = False, legend: bool | None = None) -> Page:
        """Draw all that is on show, of every panel, as a page; see `Pages.page`.

        dark : where no background is set
        legend : whether it says what the colours mean; None = as the setting says
        """
        settings, mask, _ = self._on_show.now()
        settings = settings if legend is None else replace(settings, legend=legend)
        paper = PAPERS[paper_name(settings, dark=dark)]
        return Pages(self._loader, settings, mask, paper).page(size)

    def html(self, wish: HtmlWish) -> HtmlFile:
        """Return all that is on show as a page that needs no kernel; see `html_file`."""
        settings, mask, _ = self._on_show.now()
        return html_file(self._loader, settings, mask, self._columns.open, wish)

    @property
    def panel_pictures(self) -> PanelPictures | None:
        """Pictures of the panels on show now; None where there is the plot alone."""
        settings, mask, _ = self._on_show.now()
        own = {one: settings.of_panel(one) for one in settings.panel_numbers}
        panels = [(look, Pictures(self._loader.of(own.get(look["id"], settings)), mask)) for look in settings.panels]
        return PanelPictures(self.pictures, panels, self.dataset.obs_noun.many) if panels else None

    def _figure(self, asked: p.AskFigure) -> Iterator[Frame]:
        check_size(asked.width, asked.height)
        size = FigureSize((asked.width, asked.height))
        if asked.suffix == "html":
            written = self.html(HtmlWish()).text
        else:
            page = self.page(size.of_page, dark=asked.dark)
            written = figure_file(page, asked.suffix, size.dpi, self.dataset.title)
        file = np.frombuffer(written, dtype=np.uint8)
        parts = np.array_split(file, -(-file.size // CHUNK_BYTES))
        for at, part in enumerate(parts):
            yield Frame(p.FigurePart(at, len(parts)), {"file": part})

    def prepare_hover(self) -> None:
        """Read once what hovering tells of; see `Pointer.prepare`."""
        self._pointer.prepare()
        self._pointer.warm()

    def prepare_columns(self) -> None:
        """Do what the first column that is opened, and the first order of the table, would wait for."""
        from cxg_widget.compare import warming as compare
        from cxg_widget.counts import warming as counts
        from cxg_widget.table import warming as table

        counts.compile_loops()
        compare.compile_loops()
        table.compile_loops()

    def points(self) -> Iterator[Frame]:
        """Yield the coordinates on show; see `Showing.points`."""
        return self.showing.points()

    def color(self) -> Iterator[Frame]:
        """Yield the colouring on show; see `Showing.color`."""
        return self.showing.color()

    def recolor(self) -> Iterator[Frame]:
        """Yield the colours of the categories on show, after the palette changed."""
        return self.showing.recolor()

    def selection(self) -> Iterator[Frame]:
        """Yield which points are selected, as packed bits."""
        return self.showing.selection()

    def filter(self) -> Iterator[Frame]:
        """Yield which points pass the filters, as packed bits."""
        return self.showing.filter()

    def color_and_filter(self) -> Iterator[Frame]:
        """Yield the colouring and which points pass; see `Showing.color_and_filter`."""
        return self.showing.color_and_filter()

    def show(self) -> Iterator[Frame]:
        """Yield all that is on show; see `Showing.show`."""
        return self.showing.show()

    def early(self) -> Iterator[Frame]:
        """Yield the first of many points for a front-end that has not asked yet; see `Showing.early`."""
        return self.showing.early()
