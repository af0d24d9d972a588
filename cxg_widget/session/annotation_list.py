"""Answers the Annotations panel: annotations, and labels of one with colors and counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.color.palettes import category_palette
from cxg_widget.display.settings import Settings
from cxg_widget.rules.filters import check_filters
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.streams.chunks import stored_colors
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

MOST_LISTED = 200
"""Most labels listed at once."""
_NOTHING = np.zeros((1, 3), dtype=np.uint32)


class AnnotationList:
    """Answers requests about the annotations, whose labels the loader has.

    saved : {annotation: `key` of the log whose labels a file has}
    """

    def __init__(self, loader: Loader, display: DisplayState, saved: Mapping[str, str]) -> None:
        self._loader, self._display, self._saved = loader, display, saved
        self._dataset = loader.dataset

    def frame(self, request: p.AskAnnotations) -> Frame:
        """Return the annotations and the labels of one; raises as `Replay.codes` and `rule.mask_of`."""
        settings, selected, _ = self._display.now()
        logs = {one["name"]: one["log"] for one in settings.annotations}
        n_labels = {name: len(self._loader.replay.codes(log).categories) for name, log in logs.items()}
        listed = [
            {"name": name, "n_labels": n, "is_saved": n == 0 or self._saved.get(name) == logs[name].key}
            for name, n in n_labels.items()
        ]
        name = request.name if request.name in logs else next(iter(logs), "")
        labels, colors, counts, n_found = (
            self._labels(name, request, settings, selected) if name else ([], [], _NOTHING, 0)
        )
        passing = self._loader.of(settings).filtered()
        n_left_out = 0 if passing is None else int(np.count_nonzero(selected & ~passing))
        has_obs = hasattr(getattr(getattr(self._dataset, "source", None), "obs", None), "index")
        return Frame(p.AnnotationLabels(listed, name, labels, colors, n_found, n_left_out, has_obs), {"counts": counts})

    def _labels(
        self, name: str, request: p.AskAnnotations, settings: Settings, selected: NDArray[np.bool_]
    ) -> tuple[list[str], list[str], np.ndarray, int]:
        rules = check_filters(request.filters, self._dataset, settings.layer)
        tally = self._loader.of(settings).counter.count(("obs", name, None), rules, selected)
        all_labels = list(tally.coded.categories or ())
        counts = np.stack([tally.everything, tally.filtered, tally.selected], axis=1).astype(np.uint32)
        colors = category_palette(all_labels, stored_colors(name, settings, self._dataset), settings.palette)
        wanted = request.query.strip().casefold()
        found = [code for code, label in enumerate(all_labels) if wanted in label.casefold()]
        exact = [code for code in found if all_labels[code] == request.query.strip()]
        rows = [*exact, *(code for code in found if code not in exact)][:MOST_LISTED]
        return [all_labels[code] for code in rows], [colors[code] for code in rows], counts[[*rows, -1]], len(found)
