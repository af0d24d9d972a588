"""How settings change: checked, then shown, set back where they cannot be; each change a step that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets
from ipywidgets import CallbackDispatcher
from numpy.typing import NDArray

from cxg_widget.color.limits import LIMITS
from cxg_widget.compute.bits import unpack_mask
from cxg_widget.compute.memory import shortage_in_words
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.datasets.base.traffic import Traffic
from cxg_widget.display.annotated import settled, without_sets
from cxg_widget.display.by_sets import color_after
from cxg_widget.display.checks import Beside
from cxg_widget.display.checks import embedding as check_embedding
from cxg_widget.display.gene_sets import by_name
from cxg_widget.display.looks import looks_after
from cxg_widget.display.settings import BY_NAME, STATE, Settings, check
from cxg_widget.display.views import views_left
from cxg_widget.display.work import check_work
from cxg_widget.errors import (
    ClosedDataset,
    CxgWidgetError,
    Overtaken,
    UnknownName,
)
from cxg_widget.rules.filters import check_filters
from cxg_widget.rules.named import check_known, check_named, check_sets, followed, names_after
from cxg_widget.session.exchange import Exchange, Stream
from cxg_widget.session.session import Session
from cxg_widget.text.warned import warn_caller
from cxg_widget.widget.history import UNDONE, History, Moment
from cxg_widget.widget.keeping import Keeper
from cxg_widget.widget.legend_filter import LegendFilter
from cxg_widget.widget.limits import LimitsByColoring
from cxg_widget.widget.page_changes import PageChanges
from cxg_widget.widget.trait_error import as_trait_error
from cxg_widget.widget.traits import WidgetTraits
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.rules.forms import Rule


class ChangingWidget(WidgetTraits):
    """A widget whose settings are checked, shown and undone; what it holds is made by `CxgWidget`."""

    axes: Any
    hidden: Any
    filters: Any
    panels: Any
    sets: Any
    view: Any
    _dataset: Dataset
    _session: Session
    _exchange: Exchange
    _history: History
    _keeper: Keeper
    _limits: LimitsByColoring
    _legend: LegendFilter
    _of_page: PageChanges
    _callbacks: CallbackDispatcher
    _shown_before: dict[str, dict[str, Any]]
    _labels_on_leave: Mapping[str, Codes]
    _since: Traffic | None
    _pinned: Mapping[str, Any] = MappingProxyType({})
    _n_steps: Iterator[int]
    _open = _built = _is_checked = _draws_panels = False

    def _show(self, checked: dict[str, Any]) -> None:
        """Set settings that belong together, limits and annotations among them."""
        self._limits.leave(self._session.settings)
        self._labels_on_leave = dict(self._dataset.own_columns)  # which are named until the last of them is set
        try:
            with self._limits.held():
                self._set_checked(checked)
        finally:
            self._labels_on_leave = {}
            self._put_labels(self._settings())
        self._limits.share(self._session.settings)

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Change the widget, however many settings, in one step; where that fails it is none."""
        with self._history.step(), self._all_or_nothing():
            yield

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Change settings within a step; where the outermost change fails, all of them are as they were."""
        before = self._session.settings
        try:
            yield
        except BaseException:
            if self._history.is_outermost:
                self._show_again(before)
            raise

    def _show_again(self, settings: Settings) -> None:
        """Set all settings to what they were; of failures on the way nobody is told, but of the one before."""
        with self._limits.held():
            for name in STATE:
                value = getattr(settings, name)
                with suppress(Exception):
                    self._set_checked({name: list(value) if isinstance(value, tuple) else value})

    def undo(self) -> bool:
        """Take the last step back: of filters, selection, sets, colours or embedding, by hand or in Python.

        Where one looks, and the tools at hand, are no steps. 100 steps are kept, at most 64 MiB.

        Callbacks of `on_selection` and observers are told of what is taken back; but what they set meanwhile is no step
        of its own, and of all that undo brings back nothing stays as they set it.

        Returns
        -------
        whether there was one; False too where it is asked for while something is being changed

        Raises
        ------
        ClosedDataset
            If the widget was closed.
        """
        self._check_open()
        return self._history.back(self._restore)

    def redo(self) -> bool:
        """Take the last step that was undone again; as `undo`."""
        self._check_open()
        return self._history.forth(self._restore)

    def _moment(self) -> tuple[dict[str, Any], NDArray[np.bool_], Rule | None]:
        return self._values(), *self._session.selected_by_rule()

    def _restore(self, moment: Moment) -> None:
        """Show a moment, and tell who observes; what they set of it meanwhile does not last."""
        before, past = self._session.selected_by_rule(), unpack_mask(moment.bits, self._dataset.n_obs)
        try:
            with self._all_or_nothing():
                self._show_moment(moment)
                now = self._session.mask
                self._session.select(past, rule=moment.rule)
                if not np.array_equal(past, now):
                    self._selection_changed(self._session.selection)
                self._show_moment(moment)
                with self._pinned_to(moment):  # for observers that always answer a change by one of their own
                    self._show_moment(moment)
                    self._select_again(past, moment.rule)
        except BaseException:
            self._select_again(*before)
            raise

    def _show_moment(self, moment: Moment) -> None:
        now = self._values()
        if other := {name: value for name, value in moment.values.items() if value != now[name]}:
            self._show(other)

    @contextmanager
    def _pinned_to(self, moment: Moment) -> Iterator[None]:
        """Let settings become what they were in a moment, whatever is set."""
        self._pinned = moment.values
        try:
            yield
        finally:
            self._pinned = {}

    def _select_again(self, mask: NDArray[np.bool_], rule: Rule | None) -> None:
        """Select what was selected, of which callbacks have been told."""
        now = self._session.mask
        self._session.select(mask, rule=rule)
        if not np.array_equal(now, mask):
            self._exchange.send("selection", self._session.selection)
        self.set_trait("n_selected", len(self.selection))

    def _tell_steps(self, undo: str, redo: str) -> None:
        self.set_trait("steps", {"undo": undo, "redo": redo, "n": next(self._n_steps)})

    def _check(self, given: dict[str, Any]) -> dict[str, Any]:
        check_work(given, self._dataset.n_obs)
        if "sets" in given:  # checked once: others name them
            given = {**given, "sets": check_sets(given["sets"])}
        shown = check_embedding(given["embedding"], self._dataset)
        if "annotations" in given:  # before what may name them
            annotations = check("annotations", given["annotations"], self._dataset, Beside())
            given = {**given, "annotations": annotations}
            self._session.put_labels(self._session.labels(Settings.of({"annotations": annotations})))
        sets = check("gene_sets", given.get("gene_sets", []), self._dataset, Beside())
        named = [one["name"] for one in given.get("sets", [])]
        beside = Beside(shown, by_name(sets), named)
        given = {**given, **({"gene_sets": sets} if "gene_sets" in given else {})}
        filters = given.get("filters")
        if isinstance(filters, Mapping):
            given = {**given, "filters": check_filters(filters, self._dataset, given["layer"], given.get("sets", []))}
        checked = {name: check(name, value, self._dataset, beside) for name, value in given.items()}
        settings = self._settings(checked)
        self._check_named(settings)
        self._session.filtered(settings)
        self._session.check.begin(settings)
        return self._legend.agreed(checked, settings)

    @traitlets.validate(*STATE)
    def _validate(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        if not self._built:
            return value
        if name in self._pinned:
            return self._pinned[name]
        try:
            with shortage_in_words(name, self._dataset.obs_noun, self._dataset.n_obs):
                return self._accept(name, value)
        except CxgWidgetError as error:
            raise as_trait_error(error) from error.__cause__

    def _check_open(self) -> None:
        if not self._open:
            raise ClosedDataset(f"this widget of {self._dataset.uri} was closed; make a new one with CxgWidget().")

    def _accept(self, name: str, value: Any) -> Any:
        """Check a value and read what it needs, so that a failure is raised where it was caused."""
        self._check_open()
        if name == "filters" and isinstance(value, Mapping):
            value = check_filters(value, self._dataset, self.layer, self._kept("sets"))
        value = check(name, value, self._dataset, self._beside())
        if not self._is_checked:
            self._since = self._session.costs.now()
            settings = self._settings({name: value})
            cost = BY_NAME[name].cost
            if name in ("annotations", "gene_sets", "panels"):
                self._read_ahead(name, settings)
            elif cost == "color":
                self._session.coloring(settings)
            elif cost == "points":
                self._session.place(settings)
            elif name == "hidden":
                self._check_hidden(settings)
            elif name == "filters":
                self._check_named(settings)
                self._session.filtered(settings)
            elif name == "statistic":
                self._session.check.statistic(settings)
            elif name in ("labels", "contours", "difference"):
                self._check_named(settings)
                self._session.check.landmarks(settings)
            elif name == "palette" and (said := self._misfit(settings)):
                if not set(value).intersection(self._session.coloring(settings).labels):
                    raise UnknownName(f"palette: {said}")
                warn_caller(f"palette: {said}")
            elif name in (*LIMITS, "scale") and not self._limits.are_held:
                self._session.check.limits(settings)
        return value

    def _beside(self, sets: Any = None) -> Beside:
        return Beside(self.embedding, by_name(self._kept("gene_sets") if sets is None else sets), list(self.sets))

    def _read_ahead(self, name: str, settings: Settings) -> None:
        if name == "annotations":
            self._session.labels(settings)
        elif name == "panels":
            self._session.check.panels(settings)
        else:
            self._session.coloring(self._colored(settings))

    def _colored(self, settings: Settings) -> Settings:
        """Return settings whose colour is known; without the gene set that it was there is none."""
        try:
            self._session.target(settings)
        except UnknownName:
            return replace(settings, color=None)
        return settings

    def _misfit(self, settings: Settings) -> str:
        palette = settings.palette
        return self._session.coloring(settings).misfit(palette) if isinstance(palette, Mapping) else ""

    def _check_named(self, settings: Settings) -> None:
        check_named(settings.filters, settings.sets)
        check_known(settings.sets_on_plot, settings.sets)

    def _check_on_plot(self, name: str, settings: Settings) -> None:
        names = getattr(settings, name)
        check_known(names if isinstance(names, tuple) else (), settings.sets)

    def _keep_on_plot(self, before: Settings) -> None:
        """Let contours and difference follow their sets, which may have other names, or be gone."""
        after = {
            name: names_after(value, before.sets, self._kept("sets"))
            for name in ("contours", "difference")
            if isinstance(value := getattr(before, name), tuple)
        }
        if len(after.get("difference", ())) != 2:
            after.pop("difference", None)
            if self.difference is not None:
                self._set_checked({"difference": None})
        self._set_checked({name: names or None for name, names in after.items() if names != getattr(self, name)})

    def _check_hidden(self, settings: Settings) -> None:
        if settings.hidden:
            self._session.coloring(settings).check_hidden(settings.hidden)

    def _settings(self, change: Mapping[str, Any] = MappingProxyType({})) -> Settings:
        """Return the settings as after a change; axes that the embedding does not have become its first two."""
        values = self._values() | {name: value for name, value in change.items() if name in BY_NAME}
        if max(values["axes"]) >= self._dataset.n_axes(values["embedding"]):
            values["axes"] = (0, 1)
        return Settings.of(values)

    def _values(self) -> dict[str, Any]:
        return {name: self._kept(name) for name in STATE} | {"table": self.table.setting.as_json()}

    def _put_labels(self, settings: Settings, *, besides: Mapping[str, Codes] = MappingProxyType({})) -> None:
        """Let the dataset have the annotations of some settings, and tell the front-end of its columns."""
        if self._session.put_labels({**besides, **self._session.labels(settings)}):
            self._exchange.send("dataset", self._session.about)

    def _take_annotations(self, before: Settings) -> None:
        """Let the cells have other labels, and what names those that are no more let go of them."""
        now = self._settings()
        self._put_labels(now, besides=self._dataset.own_columns)
        self._set_checked(settled(before, now, self._session.labels(now)))
        self._put_labels(now, besides=self._labels_on_leave)
        self._set_checked({"hidden": self._legend.still_hidden(self._settings())})

    def _take_sets(self, before: Settings) -> None:
        """Let what names sets follow them; the colour first, without which nothing else can be shown."""
        now = self._kept("sets")
        color = partial(color_after, before=before.sets, now=now, dataset=self._dataset, gene_sets=before.own_gene_sets)
        after = self._settings({"color": color(self.color)})
        self._set_checked({"color": color(self.color), "hidden": self._hidden_left(before, after)})
        self._set_checked({"filters": followed(self._kept("filters"), now, before.sets)})
        self._keep_on_plot(before)
        self._set_checked({"panels": looks_after(self.panels.looks, color, lambda rule: rule)})

    def _hidden_left(self, before: Settings, now: Settings) -> list[str]:
        """Return what the legend hides once sets have changed: those that it lists, by their new names."""
        if not now.hidden or self._session.target(now).source != "sets":
            return list(now.hidden) if now.color == before.color else []
        labels, sets = {*self._session.coloring(now).labels, MISSING_LABEL}, {one["name"] for one in before.sets}
        names = [names_after([one], before.sets, now.sets) if one in sets else [one] for one in now.hidden]
        return [one for listed in names for one in listed if one in labels]

    @traitlets.observe(*STATE)
    def _changed(self, change: Any) -> None:
        if self._built:
            with shortage_in_words(change["name"], self._dataset.obs_noun, self._dataset.n_obs), self._step():
                self._follow(change)
            if change["name"] in UNDONE:
                self._keeper.note_change()

    def _follow(self, change: Any) -> None:
        """Show a setting that has changed."""
        if not self._is_checked:
            self._of_page.note_set(change["name"])
        name, before, way = change["name"], self._session.settings, self._session.way
        since, besides_before = self._since, self._session.filters_except_legend(before)
        if name == "annotations":
            self._take_annotations(before)
        limits = self._limits.of_change(before, self._settings(), name)
        with self._limits.held():
            for limit, value in limits.items():
                setattr(self, limit, value)
        if name == "embedding":
            self.view = None
            if max(self.axes) >= self._dataset.n_axes(self.embedding):
                self.axes = [0, 1]
        elif name == "axes":
            self.view = None
        elif name == "gene_sets":
            is_plain = self._colored(self._settings()).color is None
            left = without_sets(before, self._settings(), self._dataset)
            self._set_checked({**({"color": None} if is_plain else {}), **left})
        elif name == "hidden" or (name == "color" and self.hidden != list(before.hidden)):  # set together
            self._set_checked({"filters": self._legend.filters(self._settings())})
        elif name == "sets":
            self._take_sets(before)
        elif name in ("color", "filters"):
            hidden = self._legend.hidden if name == "color" else self._legend.still_hidden
            self._set_checked({"hidden": hidden(self._settings())})
        if name in ("embedding", "axes", "panels"):
            self._set_checked({"views": views_left(self.views, self._settings().places)})
        self._session.settings = self._settings()
        cost, stream = self._stream_of(name, before, besides_before, is_other_way=self._session.way != way)
        self._show_panels(before, is_other_way=self._session.way != way)
        if stream is not None:
            kind = "points" if cost == "all" else cost
            counted = partial(self._session.costs.counted, kind, since=since)
            self._push(kind, lambda: counted(stream()), name, getattr(before, name))

    def _show_panels(self, before: Settings, *, is_other_way: bool) -> None:
        """Send what panels show anew; a page without the module that draws them asks for it when it has it."""
        now, session = self._session.settings, self._session
        if not self._draws_panels:
            return
        for place, panel in now.places.items():
            if is_other_way or place not in before.places:
                place_stream = partial(session.showing.place, panel)
                self._exchange.send_soon("place", partial(self._between_steps, place_stream), panel=panel)
        for panel in now.panel_numbers:
            is_new = panel not in before.panel_numbers
            look, look_before = now.of_panel(panel), before.of_panel(0 if is_new else panel)
            streams: dict[str, Stream] = {}
            if is_new:
                streams["look"] = partial(session.showing.look, panel)
            elif is_other_way or session.are_other_codes(look_before, look):
                streams["color"] = partial(session.showing.look, panel)
            elif look.palette != look_before.palette:
                streams["palette"] = partial(session.showing.recolor, panel)
            if not is_new and look.filters != look_before.filters:
                streams["filter"] = partial(session.showing.panel_cells, panel)
            for kind, stream in streams.items():
                self._exchange.send_soon(kind, partial(self._between_steps, stream), panel=panel)

    def _stream_of(
        self, name: str, before: Settings, besides_before: tuple[Any, ...], *, is_other_way: bool
    ) -> tuple[str, Stream | None]:
        """Return what a change costs, and the stream that makes it seen; None where nothing has to be made anew."""
        session, cost = self._session, "all" if is_other_way else BY_NAME[name].cost
        besides = session.filters_except_legend(session.settings)
        is_colored_anew = session.are_other_codes(before, session.settings)
        is_filtered_anew = besides_before != besides or (name == "annotations" and bool(self._kept("filters")))
        if cost == "tuning" and is_colored_anew:
            cost = "color"  # codes are too coarse for the limits, or mixes of several genes, a hue each
        hides_sets = bool(session.settings.hidden or before.hidden) and session.legend_column(session.settings) is None
        if name in ("hidden", "sets") and hides_sets and besides:
            is_filtered_anew = True  # how many are shown
        if name == "hidden" and is_filtered_anew:
            cost = "filter"
        if name == "sets" and self._session.target(session.settings).source == "sets":
            cost = "color" if is_colored_anew else "palette"
        if name in ("annotations", "gene_sets") and cost == "color" and not is_colored_anew:
            return "filter", session.filter if is_filtered_anew else None
        streams: dict[str, Stream | None] = {
            "all": session.show, "points": session.points, "palette": session.recolor,
            "color": session.color_and_filter if is_filtered_anew else session.color,
            "filter": session.filter if is_filtered_anew or besides else None,
        }  # fmt: skip
        return cost, streams.get(cost)

    def _push(self, kind: str, stream: Stream, trait: str, before: Any) -> None:
        """Send a stream from a thread; when it fails, set the trait back to what is still on show."""
        if not self._exchange.is_busy(kind):
            self._shown_before[kind] = {}
        self._shown_before[kind].setdefault(trait, before)
        on_failure = partial(self._set_back, trait, before)
        self._exchange.send_soon(kind, partial(self._between_steps, stream), on_failure=on_failure)

    def _between_steps(self, stream: Stream) -> Iterator[Frame]:
        """Yield a stream; again where it failed while a step was under way, of which it had seen half.

        One that was overtaken without any step since has a newer one in its place, and ends.
        """
        while True:
            settings, labels = self._session.settings, dict(self._dataset.own_columns)
            n_turns = self._history.n_turns
            try:
                yield from stream()
                return
            except CxgWidgetError as error:
                self._history.wait()
                is_as_before = settings is self._session.settings and self._session.has_labels(labels)
                if isinstance(error, Overtaken):
                    if is_as_before:
                        return
                elif is_as_before and n_turns == self._history.n_turns:  # a step may have ended as it began
                    raise

    def _set_back(self, trait: str, value: Any) -> None:
        """Set what could not be shown back to what was shown before, unless the widget was closed meanwhile."""
        if not self._open:
            return
        self._since = None
        value = list(value) if isinstance(value, tuple) else value
        with self._history.mended(trait, value):
            self._set_checked({trait: value})

    def _set_checked(self, values: dict[str, Any]) -> None:
        before, self._is_checked = self._is_checked, True
        try:
            for name, value in values.items():
                setattr(self, name, value)
        finally:
            self._is_checked = before

    def _selection_changed(self, stream: Stream, request_id: int = 0, tell: Callable[[], object] | None = None) -> None:
        if self._exchange.send("selection", stream, request_id):
            (tell or self._tell_selection)()

    def _tell_selection(self) -> None:
        with self._history.step():
            self.set_trait("n_selected", len(self.selection))
        self._callbacks(self.selection)
