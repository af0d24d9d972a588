"""A session: requests in, frames out, without a comm and without traitlets.

A `Session` holds one dataset, the data read from it, the selection and the settings. Several threads may call it; a
newer request for points or color ends the older one between two chunks.
"""
# Changes with cxg_widget/session/analysis/column_counts.py: options of counts.
# Changes with cxg_widget/compare/composition.py: options of a composition.

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.loader import Loader
from cxg_widget.change.change import DRAWN, Change, Send
from cxg_widget.color.paper import Paper
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.embedding_names import is_tissue
from cxg_widget.display.color_target import NO_SETS
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.views import place_of
from cxg_widget.draw.pages.page import Page
from cxg_widget.errors import SelectionError
from cxg_widget.rules.forms import Rule
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.session.analysis.aggregated import aggregated
from cxg_widget.session.analysis.blend_fields import frame_of_fields
from cxg_widget.session.analysis.brush import BrushAnswer
from cxg_widget.session.analysis.column_counts import Columns
from cxg_widget.session.analysis.comparison import Comparisons
from cxg_widget.session.analysis.composition import composition_frame
from cxg_widget.session.analysis.meant import MeantCells, Population, cells_meant, cells_of_query, population_of
from cxg_widget.session.analysis.plots import GroupPlots
from cxg_widget.session.analysis.quick_markers import QuickLists
from cxg_widget.session.analysis.study import Studies
from cxg_widget.session.analysis.study_expression import StudyExpression
from cxg_widget.session.analysis.study_genes import StudyGenes
from cxg_widget.session.analysis.table import CellTable
from cxg_widget.session.annotation_list import AnnotationList
from cxg_widget.session.changes import Changes, SettingsCheck
from cxg_widget.session.costs import Costs, progress_to
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.gestures import polygon_mask
from cxg_widget.session.pictures.figure_files import figure_page
from cxg_widget.session.pictures.figure_pages import Pages
from cxg_widget.session.pictures.html_file import HtmlFile, html_file
from cxg_widget.session.pictures.plot_in_words import PlotInWords
from cxg_widget.session.pictures.save_options import FigureOptions, HtmlOptions
from cxg_widget.session.pointer import Pointer
from cxg_widget.session.routes import ROUTES, Route
from cxg_widget.session.set_list import SetList
from cxg_widget.session.streams.display_streams import DisplayStreams
from cxg_widget.session.streams.first_paint import FirstPaint
from cxg_widget.session.streams.landmarks import Landmarks
from cxg_widget.session.streams.tissue import TissueParts
from cxg_widget.session.streams.view_request import Views
from cxg_widget.spatial.view import View, room_around
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


class Session:
    """One displayed dataset with its selection.

    Parameters
    ----------
    dataset : the open dataset; the session does not close it
    seed : of the draw order
    announce : takes a frame that was not requested, from any thread
    read_with : makes the `Loader` from a dataset, a seed and a progress callback

    Attributes
    ----------
    changes : computes changes of settings
    costs : costs of actions
    saved_labels : {annotation: `key` of the log whose labels a file has}
    streams : streams for the canvas and its panels
    tell_reading : shows the progress of a read, 0 to 1
    """

    def __init__(
        self, dataset: Dataset, settings: Settings | None = None, *, seed: int = 0,
        announce: Callable[[Frame], object] | None = None,
        read_with: Callable[..., Loader] = Loader,
    ) -> None:  # fmt: skip
        self.dataset: Dataset = dataset
        announce = announce or (lambda _: None)
        self.tell_reading = progress_to(announce, "reading")
        self.loader: Loader = read_with(dataset, seed, progress_to(announce, "index"))
        self.costs = Costs(dataset, self.loader.elsewhere, announce)
        first = settings or Settings(embedding=dataset.default_embedding)
        self.display: DisplayState = DisplayState(first, dataset.n_obs)
        self._stop_listening = dataset.tell_progress_to(self.tell_reading)
        self.first_paint = FirstPaint()
        self.check = SettingsCheck(self.loader, self.display)
        self.changes = Changes(self.loader, self.display, self.check)
        self.streams: DisplayStreams = DisplayStreams(self.loader, self.display)
        self.views: Views = Views(self.loader, self.display, announce)
        self.pointer: Pointer = Pointer(self.loader, self.display)
        self.landmarks: Landmarks = Landmarks(self.loader, self.display)
        self.tissue: TissueParts = TissueParts(dataset)
        self.columns: Columns = Columns(self.loader, self.display)
        self.brush: BrushAnswer = BrushAnswer(self.loader, self.display, self.columns)
        self.set_bits = self.loader.set_bits
        self.sets: SetList = SetList(self.loader, self.display)
        self.saved_labels: dict[str, str] = {}
        self.annotations: AnnotationList = AnnotationList(self.loader, self.display, self.saved_labels)
        self.table: CellTable = CellTable(self.loader, self.display)
        self.plots = GroupPlots(self.loader, self.display)
        self.comparisons: Comparisons = Comparisons(self.loader, self.display, announce)
        self.quick: QuickLists = QuickLists(self.loader, self.display, announce)
        self.studies: Studies = Studies(self.loader, self.display)
        self.study_genes: StudyGenes = StudyGenes(self.loader, self.comparisons, self.studies)
        self.study_expression: StudyExpression = StudyExpression(
            self.loader, self.comparisons, self.studies, self.study_genes
        )

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.display.settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._take(settings, self.changes.sends(settings))

    def _take(self, settings: Settings, sends: Collection[Send]) -> None:
        crossfilter, are_other_sets = self.loader.crossfilter, settings.sets is not self.settings.sets
        self.display.change(settings, sends)
        panels = self.check.share(settings)
        if are_other_sets or crossfilter.masks:
            crossfilter.know_sets(settings.sets)
            crossfilter.keep([*settings.filters, *(rule for one in panels for rule in one.filters)])

    def apply(self, change: Change) -> None:
        """Show a change whose data were read, and give the dataset exactly the current annotations."""
        self.changes.limits = change.limits
        if DRAWN.isdisjoint(change.names):  # the held cells and stream numbers do not depend on the other settings
            self.display.settings = change.settings
            return
        self._take(change.settings, change.sends)
        if "annotations" in change.names:
            self.loader.put_labels(self.loader.annotations(change.settings))

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Mask of the selected cells, bool (n_obs,)."""
        return self.display.mask

    # --- what is known ---------------------------------------------------------------------------------------------

    def coloring(self, settings: Settings | None = None) -> Coloring:
        """Read and return the current coloring; raises as `Holder.coloring`."""
        return self.loader.of(settings or self.settings).coloring()

    def prepare(self) -> None:
        """Read what the first picture needs."""
        self.coloring()
        self.held.place()
        self.prepare_order()

    def prepare_order(self) -> None:
        """Compute the order of the points, in parallel to `prepare`, which mostly waits for the store."""
        if not self.held.is_aggregated:
            self.loader.order()

    def prepare_index(self) -> None:
        """Build or load the index for aggregated views, so that the first of them comes sooner."""
        if self.held.is_aggregated:
            self.held.prepare()

    def close(self) -> None:
        """Release what other processes hold; the dataset stays open."""
        self.first_paint.begin()
        self._stop_listening()
        self.table.close()
        self.quick.close()
        self.study_genes.end()
        self.study_expression.end()
        self.loader.close()

    @property
    def held(self) -> Holder:
        """The cells with the current settings."""
        return self.loader.of(self.settings)

    # --- selecting -------------------------------------------------------------------------------------------------

    @property
    def selected(self) -> SelectedCells:
        """The current selection."""
        settings, (mask, rule) = self.settings, self.display.selected()
        return SelectedCells(
            self.dataset, mask, settings.layer, rule, settings.own_gene_sets if settings.gene_sets else NO_SETS,
            cells_within=lambda within: self.population(within).mask,
        )  # fmt: skip

    def select(self, mask: NDArray[np.bool_], mode: p.Mode = "replace", rule: Rule | None = None) -> None:
        """Combine a mask, bool (n_obs,), with the selection; `rule` finds the same cells, or is None."""
        self.display.select(mask, mode, rule)

    def cells(self, what: Any) -> MeantCells:
        """Return the cells that an argument means; parameters and errors as `cells_meant`."""
        return cells_meant(what, self.loader, self.display)

    def cells_of_query(self, text: Any) -> MeantCells:
        """Return the cells of a query over obs columns and genes of the current layer."""
        return cells_of_query(text, self.loader, self.settings.layer)

    def population(self, within: Any) -> Population:
        """Return the cells of an argument `within=`; raises as `population_of`."""
        return population_of(within, self.loader, self.display)

    def aggregate(self, reduction: Any = None, *, within: Any = None, **requested: Any) -> xr.DataArray | xr.Dataset:
        """Aggregate cells; parameters and errors as those of `CxgWidget.aggregate`."""
        return aggregated(self.held, self.population(within).mask, reduction, **requested)

    def counts(self, column: str | Sequence[str], within: Any = None) -> pd.DataFrame:
        """Count cells by the values of a column, or by fields of several genes; as `CxgWidget.counts`."""
        population = self.population(within)
        if isinstance(column, list | tuple):
            return frame_of_fields(column, self.loader, self.display, population)
        return self.columns.frame(column, population)

    def composition(
        self, column: Any, mask: NDArray[np.bool_] | None, by: Any = None, within: Any = "filter"
    ) -> pd.DataFrame:
        """Return the composition of some cells; as `CxgWidget.composition`."""
        settings, selected, _ = self.display.now()
        cells, population = selected if mask is None else mask, self.population(within)
        return composition_frame(self.columns, self.loader, (settings, cells, population), column, by)

    def polygon_mask(self, corners: Any, *, hidden: bool = True) -> NDArray[np.bool_]:
        """Return which cells are in a polygon (k, 2) in data units of the current embedding and axes.

        hidden : whether cells hidden by the legend count too
        """
        return polygon_mask(corners, self.held, self.mask, hidden=hidden)

    def view_of(self, mask: NDArray[np.bool_], panel: int = 0) -> View:
        """Return the smallest view of some cells, bool (n_obs,), with a margin.

        panel : with the embedding of this panel
        """
        settings = self.settings.of_panel(panel)
        held = self.loader.of(settings)
        xy = held.xy()[mask]
        xy = xy[np.isfinite(xy).all(axis=1)].astype(np.float64)
        if not len(xy):
            many = self.dataset.obs_noun.many
            if not mask.any():
                raise SelectionError(f"there are no {many} to zoom to.")
            raise SelectionError(f"none of these {many} has coordinates in this embedding.")
        (x0, y0), (x1, y1) = xy.min(axis=0), xy.max(axis=0)
        y_down = is_tissue(self.dataset.find_embedding(settings.embedding))
        return room_around((x0, x1, y0, y1), held.place().extent, y_down=y_down)

    def views_of(self, mask: NDArray[np.bool_]) -> list[dict[str, Any]]:
        """Return views of some cells in the embeddings of panels, as `views`; unchanged without coordinates."""
        settings = self.settings
        views = {place_of(one): dict(one) for one in settings.views}
        for place, panel in settings.places.items():
            with suppress(SelectionError):
                name = list(place[0]) if isinstance(place[0], tuple) else place[0]
                views[place] = {"embedding": name, "view": list(self.view_of(mask, panel))}
        return list(views.values())

    # --- answers ---------------------------------------------------------------------------------------------------

    def answer(self, request: p.Message, *, is_from_memory: bool = False) -> Iterator[Frame]:
        """Answer a request with frames, and count what is read for them.

        is_from_memory : whether nothing can be read, so that nothing is counted
        """
        route = ROUTES[type(request)]
        frames = self._frames(route, request)
        if is_from_memory:
            return self.costs.from_memory(request.kind, frames)
        return self.costs.counted(request.kind, frames, is_action=route.is_action)

    def _frames(self, route: Route, request: p.Message) -> Iterator[Frame]:
        found = () if route.answer is None else route.answer(self, request)
        yield from [found] if isinstance(found, Frame) else found

    # --- parts -----------------------------------------------------------------------------------------------------

    @property
    def in_words(self) -> PlotInWords:
        """The plot in words."""
        settings, mask, _ = self.display.now()
        return PlotInWords(self.loader.of(settings), mask)

    def page(self, options: FigureOptions) -> Page:
        """Return the plot with all panels as a figure page; see `figure_page`."""
        settings, mask, _ = self.display.now()
        return figure_page(self.loader, settings, mask, options)

    def html(self, options: HtmlOptions) -> HtmlFile:
        """Return the plot as an HTML page that needs no kernel; see `html_file`."""
        settings, mask, _ = self.display.now()
        return html_file(self.loader, settings, mask, self.columns.open, options)

    def stills(self, view: View | None, paper: Paper, *, legend: bool, most: int | None) -> Pages:
        """Return a drawer of a view of the plot, with a limit of cells per plot; see `Pages`."""
        settings, mask, _ = self.display.now()
        return Pages(self.loader, replace(settings, view=view, legend=legend), mask, paper, most)

    @staticmethod
    def prepare_columns() -> None:
        """Do the work that would delay the first open column and the first sorted table."""
        from cxg_widget.compare.loops import warming as compare
        from cxg_widget.counts import warming as counts
        from cxg_widget.table import order as table

        counts.compile_loops()
        compare.compile_loops()
        table.compile_loops()
