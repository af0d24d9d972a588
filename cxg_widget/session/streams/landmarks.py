"""Labels of categories, contours and density differences as frames."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Literal

import numpy as np

from cxg_widget.cells.holder import Holder
from cxg_widget.cells.loader import Loader
from cxg_widget.cells.set_density import LEAST_NEAR
from cxg_widget.display.by_sets import set_colors
from cxg_widget.display.checks import categories_of, check_two
from cxg_widget.draw.overlays.difference import code_colors, codes_of
from cxg_widget.rules.filters import check_filters
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import Newest
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.quantise import quantise_within

Kind = Literal["labels", "contours", "difference"]


class Landmarks:
    """Answers `labels`, `contours` and `difference`; the newest request of a kind and panel ends the one before."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader, self._display = loader, display
        self._newest: defaultdict[tuple[Kind, int], Newest] = defaultdict(
            lambda: Newest("others of their kind were requested.")
        )

    def labels(self, request: p.AskLabels) -> Frame:
        """Return the positions of the labels of categories.

        Raises `Overtaken` if others are requested meanwhile, `CxgWidgetError` if there is no such column of categories,
        it cannot be read, or the filters are invalid.
        """
        held, seq = self._requested(request)
        found = held.names(request.column, self._newest["labels", request.panel].begin())
        named, extent = found.named, found.extent
        message = p.LabelPlaces(
            seq,
            request.column,
            named.codes.tolist(),
            named.labels,
            named.counts.tolist(),
            named.n_present,
            list(extent),
        )
        return Frame(message, {"xy": quantise_within(found.xy, extent)})

    def contours(self, request: p.AskContours) -> Frame:
        """Return the contours of categories, or of all cells; raises as `labels`."""
        held, seq = self._requested(request)
        names, check = tuple(request.sets), self._newest["contours", request.panel].begin()
        found = held.set_contours(names, check) if names else held.contours(request.column or True, check)
        named, contours = found.named, found.contours
        rings = [ring for contour in contours for ring in contour.rings]
        message = p.Contours(
            seq, request.column, named.codes.tolist(), named.labels, named.n_present,
            [one.which for one in contours], [one.share for one in contours], [len(one.rings) for one in contours],
            list(found.extent), request.sets, [set_colors(held.settings.sets)[name] for name in names],
        )  # fmt: skip
        corners = np.concatenate(rings) if rings else np.empty((0, 2))
        lengths = np.array([len(ring) for ring in rings], dtype=np.uint32)
        return Frame(message, {"lengths": lengths, "xy": quantise_within(corners, found.extent)})

    def difference(self, request: p.AskDifference) -> Frame:
        """Return the density difference of two sets; raises as `labels`, and if there is no such set."""
        held, seq = self._requested(request)
        names = check_two(request.sets) or []
        found = held.difference((names[0], names[1]), self._newest["difference", request.panel].begin())
        message = p.Difference(
            seq, names, list(found.counts), LEAST_NEAR, found.limit, list(found.grid.shape), list(found.grid.extent)
        )
        colors = {"colors": code_colors(dark=False), "dark_colors": code_colors(dark=True)}
        return Frame(message, {"codes": codes_of(found.ratio, found.limit).reshape(-1), **colors})

    def cancel(self, kind: Kind, panel: int) -> None:
        """End the current search."""
        self._newest[kind, panel].end()

    def _requested(self, request: p.AskLabels | p.AskContours | p.AskDifference) -> tuple[Holder, int]:
        """Return the cells with the requested filters, and the number of the current points."""
        dataset = self._loader.dataset
        settings, _, seqs = self._display.now(request.panel)
        if not isinstance(request, p.AskDifference) and request.column:
            categories_of(request.kind)(request.column, dataset, settings)
        rules = check_filters(request.filters, dataset, settings.layer)
        return self._loader.of(replace(settings, filters=tuple(rules))), seqs.points
