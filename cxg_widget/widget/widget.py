"""The widget: constructor, state and summary. Its other methods are in the module of their noun.

`changing.py` changes settings, `answering.py` answers the page.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from ipywidgets import CallbackDispatcher

from cxg_widget.cells.loader import Loader
from cxg_widget.compute.jobs import AT_REST
from cxg_widget.datasets import is_in_memory, is_table, open_dataset, option_names
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.checks import Given, split_options
from cxg_widget.display.color_target import color_of_itself
from cxg_widget.display.settings import STATE, own_copy
from cxg_widget.display.work import check_work
from cxg_widget.draw.lettering import load_letters
from cxg_widget.errors import CxgWidgetError, InvalidOption, InvalidValue
from cxg_widget.session.changes import ALL
from cxg_widget.session.costs import Cost
from cxg_widget.session.exchange import Exchange
from cxg_widget.session.session import Session
from cxg_widget.text.names import shown
from cxg_widget.text.warned import warn_caller
from cxg_widget.widget.analysing import AnalysingWidget
from cxg_widget.widget.answering import PageChanges
from cxg_widget.widget.app_session import session_caller
from cxg_widget.widget.coding import CodingWidget
from cxg_widget.widget.displaying import DisplayingWidget, watch_boxes
from cxg_widget.widget.filters import FilterMethods
from cxg_widget.widget.genes import Genes
from cxg_widget.widget.history import History
from cxg_widget.widget.keeping import Keeper, Restoring
from cxg_widget.widget.panels import PanelMethods
from cxg_widget.widget.plots import PlottingWidget
from cxg_widget.widget.replaying import ReplayingWidget
from cxg_widget.widget.saving import SavingWidget
from cxg_widget.widget.selecting import SelectingWidget
from cxg_widget.widget.static_picture import NotebookPicture
from cxg_widget.widget.studying import StudyingWidget
from cxg_widget.widget.traits import HeldBack

_IN_A_ROW = "".join(
    f".widget-box:not(.widget-vbox) > {child} {{ flex: 1 1 0; min-width: min(16rem, 100%); }}\n"
    for child in (".cxg-widget", ":has(.cxg-widget)")
)
"""A widget is as wide as its container. Without this, a row of ipywidgets or the boxes in it would give it no width."""
DEFAULT_HEIGHT = 600
_OF_STATE = ALL - {"palette"}
"""Settings that a state must fit; its palette may wait for another color."""
_BUNDLE = Path(__file__).parents[1] / "static" / "widget.js"
# Given a path, anywidget keeps every widget alive, to notify it when the file changes; only `make dev` needs that.
_ESM: Any = _BUNDLE if os.environ.get("ANYWIDGET_HMR") == "1" else _BUNDLE.read_text(encoding="utf-8")


class CxgWidget(
    SelectingWidget, AnalysingWidget, PlottingWidget, StudyingWidget, SavingWidget, CodingWidget, ReplayingWidget,
    DisplayingWidget, FilterMethods, PanelMethods,
):  # fmt: skip
    """An interactive scatterplot of a single-cell dataset.

    Parameters
    ----------
    source : path or URI of a store, an AnnData object, a table, or an open `Dataset`
    embedding : name of the embedding; None = the dataset's default. Or two numeric obs columns or genes as axes:
        ("n_genes", "CD3E"), "log1p:n_genes" for log(1 + x), and a layer for the genes as third entry
    color : obs column, gene or gene set ("obs:NAME", "var:NAME" and "set:NAME" force one), or a list of genes for their
        mean; None = no color. Without it, the `default_color` of the dataset, or its cell types or clusters if a column
        has a usual name
    layer : name of the layer to read genes from; None = X
    height : CSS px
    dask : a `dask.distributed.Client` whose workers open the store, hold the cells and aggregate them; True = the
        current client; None = no workers
    restore : what to do with sets, labels, filters, pins and panels that earlier widgets of this dataset saved in the
        cache folder: "ask" = offer them in the page; True = restore the newest state, of this notebook if there is one;
        False = neither offer nor save. Arguments of this call win. `CXG_WIDGET_RESTORE=0` turns "ask" into False
    **more : any trait listed in the settings, and the options of `open_dataset`

    Raises
    ------
    DatasetNotFound, UnknownFormat, InvalidStore
        If the source cannot be opened.
    UnknownName, InvalidValue
        If a name or value is not valid for this dataset; both are ValueErrors.
    InvalidOption
        If a keyword is unknown; a TypeError.

    Examples
    --------
    >>> w = CxgWidget(demo(), color="cell_type")
    >>> w.color = "CD3E"
    >>> w.select({"cell_type": "NK cell"})
    <80 of 1,000 cells selected>
    >>> w.selection.obs(["donor", "CD3E"]).columns.tolist()
    ['donor', 'CD3E']
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
        axes = _axes_to_open_with(source, embedding, opening)
        opening |= axes
        self._opening = opening
        self._given_path = os.fspath(source) if isinstance(source, str | os.PathLike) else ""
        opened = open_dataset(source, **opening)
        embedding = opened.default_embedding if axes else embedding
        # Annotations belong to this widget.
        self._dataset: Dataset = opened if self._owns_dataset else opened.with_own_columns()
        self._color_of_itself = color_of_itself(self._dataset)
        self._call_in_session = session_caller()
        self._exchange = Exchange(self.send, self._dataset.uri)
        self._read_with = _read_with(dask, source, opening)
        self._session = Session(self._dataset, announce=self._announce, read_with=self._read_with)
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
            # The session gets the settings before there are traits: an invalid one leaves no half-made widget behind.
            check_work(given, self._dataset.n_obs)
            checked = self._session.changes.checked(given)
            self._session.apply(self._session.changes.find(checked, ("filters", "limits", "statistic")))
            # Reading starts before the comm is opened, which takes as long as the first columns do.
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
            self._history = History(self._moment, self._tell_steps, self._n_calls)
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
        """Read the data of given settings, so that an error is raised at once."""
        settings, check = self._session.settings, self._session.check
        if is_colored:
            check.coloring(settings)
            check.limits(settings)
        if is_placed:
            check.place(settings)
        check.landmarks(settings)
        check.panels(settings)
        check.hidden(settings)
        if is_colored and (sentence := check.misfit(settings)):
            warn_caller(f"palette: {sentence}")

    def _restore_newest(self) -> None:
        """Restore the newest saved state; if that fails, warn and show the dataset without it."""
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
        """The open `Dataset`.

        Examples
        --------
        >>> w.dataset.n_obs
        1000
        """
        return self._dataset

    @property
    def summary(self) -> str:
        """The current plot as text, a sentence per line: dataset, cells, embedding, colors, filters, selection.

        Screen readers get the same text.

        Raises
        ------
        InvalidStore, DamagedStore
            If the data of the plot cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.summary.splitlines()[0]
        'SYNTHETIC blood cells (1,000 cells, 300 genes).'
        """
        self._check_open()
        now = self._session.settings
        seen = None if now.view is None else (now.view[0], now.view[1], now.view[2], now.view[3])
        return self._session.in_words.summary(seen, (round(now.height * 4 / 3), now.height))

    @property
    def cost(self) -> Cost | None:
        """What the last action read from the store: `.n_bytes`, `.n_reads`, `.from_memory`, and `.of`, the action.

        Reads of Dask workers are included. `.is_ahead` = remote data were prefetched, so `.n_reads` is an upper limit.
        None before the first action ends, and for stores that do not count reads, such as AnnData objects backed by a
        file.

        Examples
        --------
        >>> selection = w.select({"cell_type": "NK cell"})
        >>> w.cost.of
        'select'
        """
        return self._session.costs.last

    @property
    def genes(self) -> Genes:
        """Pinned genes and gene sets: `.pin(name)`, `.sets = {name: genes}`, `.add(text)`.

        Examples
        --------
        >>> w.genes.pin("CD3E")
        >>> w.genes.pinned
        ('CD3E',)
        """
        return Genes(self)

    @genes.setter
    def genes(self, _: Any) -> None:
        raise InvalidOption("w.genes cannot be assigned; use w.genes.pin(names) or w.genes.sets = {name: genes}.")

    @property
    def state(self) -> dict[str, Any]:
        """A copy of the settings as a JSON dict; `CxgWidget(source, **state)` and `w.state = state` restore it.

        Examples
        --------
        >>> w.state
        {'embedding': 'umap', 'color': 'cell_type'}
        >>> w.state = {"color": "CD3E", "vmax": "p99"}
        """
        defaults: dict[str, Any] = {name: self.trait_defaults(name) for name in STATE}
        if self._color_of_itself is not None:
            defaults["color"] = Given.NOT  # None is then not the default and must be in the state
        return {name: own_copy(value) for name in STATE if (value := self._kept(name)) != defaults[name]}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        if not isinstance(state, Mapping):
            raise InvalidValue(f"state must be a dict as `w.state` returns it; found {shown(state)}")
        wanted, _ = split_options(state, STATE, ())
        defaults = {name: self.trait_defaults(name) for name in STATE} | {"color": self._color_of_itself}
        check_work(defaults | wanted, self._dataset.n_obs)
        with self._step():
            self._ask(defaults | wanted, needs=_OF_STATE)

    def close(self) -> None:
        """Close the widget, and the dataset if the widget opened it.

        Examples
        --------
        >>> w.close()
        """
        if not self._open:
            return
        self._keeper.close()
        AT_REST.drop(self._picture)
        self._open = False
        self._exchange.jobs.close()
        self._session.close()
        if self._built:
            super().close()
            self._own_layout.close()  # a widget of its own, which ipywidgets keeps alive until it is closed
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


def _axes_to_open_with(source: Any, embedding: Any, opening: Mapping[str, Any]) -> dict[str, Any]:
    """Return the option of a table that names its axes, if two columns are given: it need not guess them."""
    is_pair = not isinstance(embedding, str) and isinstance(embedding, Sequence) and len(embedding) == 2
    is_plain = is_pair and not any(":" in str(one) for one in embedding)
    return {"embedding": tuple(embedding)} if is_plain and is_table(source, opening.get("format")) else {}


def _read_with(dask: Any, source: Any, opening: dict[str, Any]) -> Callable[..., Loader]:
    """Return a factory of the loader of a session: of this process, or of a Dask cluster."""
    if dask is None or dask is False:
        return Loader
    from cxg_widget.cells.cluster import Source, cluster_holder, find_client

    if is_in_memory(source):
        raise InvalidOption(
            "dask= needs a store that its workers can open; found an object in memory. Write it to a file first."
        )
    uri = source.uri if isinstance(source, Dataset) else source
    touched = {name: value for name, value in opening.items() if name != "isolated"}  # probing once is enough
    return partial(Loader, holder=cluster_holder(find_client(dask), Source.of(uri, **touched)))
