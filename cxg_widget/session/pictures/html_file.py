"""The plot as one HTML file that needs no kernel or network: its content, and what is left out."""
# Changes with cxg_widget/session/pictures/save_options.py: options of a saved picture.

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.session.pictures.html_colors import KeptColor, kept_colors, tooltip_colors
from cxg_widget.session.pictures.html_document import Code, Described, document
from cxg_widget.session.pictures.html_recording import NAMES_AT_ONCE, Recording, packed
from cxg_widget.session.pictures.html_summary import LeftOut, PageSummary
from cxg_widget.session.pictures.save_options import HtmlOptions
from cxg_widget.text.numbers import byte_size

MOST_POINTS = 1_000_000
"""Most cells of a file; larger datasets are sampled."""
LEAST_CELLS = 1_000
"""Smallest useful sample."""
_MARGIN = 0.97


@dataclass(frozen=True)
class HtmlFile:
    """A file.

    cells : number of cells in words
    lacks : one sentence for each thing that was left out
    """

    text: bytes
    cells: str
    lacks: Sequence[str]


def html_file(
    loader: Loader, settings: Settings, mask: NDArray[np.bool_], opened: Iterable[str], options: HtmlOptions
) -> HtmlFile:
    """Return the plot as a file.

    If it would exceed `options.max_bytes`, colors that are not needed are dropped first, from the last of `kept_colors`
    on, then cells are sampled.

    mask : the selection, bool (n_obs,)
    opened : columns and genes that are open in panels
    """
    code, opened, most = Code.read(), list(opened), MOST_POINTS
    while True:
        recording = Recording(loader, settings, mask, most)
        wanted = kept_colors(loader, recording.settings, options.colors, opened)
        draft = _Draft(recording, wanted, code, options)
        around, needs = draft.n_around, draft.n_bytes
        if around + needs <= options.max_bytes:
            return draft.file(draft.add_at_hand(options.max_bytes - around))
        if recording.n <= LEAST_CELLS:
            would_do, noun = around + needs, loader.dataset.obs_noun
            raise InvalidValue(
                f"a page of {noun.counted(recording.n)} takes {byte_size(would_do)}; "
                f"found max_bytes={options.max_bytes:,}. max_bytes={would_do:,} would do."
            )
        fitting = int(recording.n * _MARGIN * (options.max_bytes - around) / needs)
        most = min(max(fitting, LEAST_CELLS), recording.n - 1)


class _Draft:
    """A file under construction: base64 data by name, with colors separate."""

    def __init__(self, recording: Recording, wanted: Sequence[KeptColor], code: Code, options: HtmlOptions) -> None:
        self._recording, self._wanted, self._code, self._options = recording, wanted, code, options
        self._loader = recording.loader
        frames = {"start": recording.start(), "answers": recording.answers()}
        for panel in (0, *recording.settings.places.values()):
            frames[f"points {panel}"] = recording.points(panel)
        self._fixed = {name: _in_base64(packed(some)) for name, some in frames.items()}
        self._fixed |= {f"names {at}": _in_base64(one) for at, one in enumerate(recording.names())}
        needed = [one for one in wanted if one.is_needed]
        self._colors = [(one, _in_base64(packed(recording.color(one.settings)))) for one in needed]

    @property
    def n_bytes(self) -> int:
        """Bytes of the data."""
        return sum(map(len, [*self._fixed.values(), *(text for _, text in self._colors)]))

    @property
    def n_around(self) -> int:
        """Upper limit of all other bytes."""
        names = [one.target.name for one in self._wanted]
        colors = [(one, "") for one in self._wanted]
        empty = self._document(dict.fromkeys(self._fixed, ""), colors, LeftOut(names, names))
        return self._options.measure(empty.text)

    def add_at_hand(self, room: int) -> LeftOut:
        """Add colors that can be read and fit, in order, and return the others."""
        left, out = room - self.n_bytes, LeftOut()
        for one in self._wanted:
            if one.is_needed:
                continue
            try:
                text = _in_base64(packed(self._recording.color(one.settings)))
            except CxgWidgetError:
                out.unread.append(one.target.name)
                continue
            if out.no_room or len(text) > left:
                out.no_room.append(one.target.name)
            else:
                left -= len(text)
                self._colors.append((one, text))
        return out

    def file(self, out: LeftOut) -> HtmlFile:
        """Return the file; out : what was left out of it."""
        return self._document(self._fixed, self._colors, out)

    def _document(self, fixed: dict[str, str], colors: list[tuple[KeptColor, str]], out: LeftOut) -> HtmlFile:
        ids = [f"part-{at}" for at in range(len(fixed) + len(colors))]
        pieces = dict(zip(ids, [*fixed.values(), *(text for _, text in colors)], strict=True))
        listed = [
            {**kept.describe(self._loader), "part": part}
            for (kept, _), part in zip(colors, ids[len(fixed) :], strict=True)
        ]
        described = PageSummary(
            self._loader.dataset, self._recording, [one["label"] for one in listed if one["spec"]], out
        )
        settings, options = self._recording.settings, self._options
        manifest = {
            "traits": self._traits(listed[0]["color"]), "parts": dict(zip(fixed, ids, strict=False)),
            "colors": listed, "panels": self._panels([kept.key for kept, _ in colors]),
            "fields": self._fields([one["spec"] for one in listed]), "is_chosen": settings.hover is not None,
            "names_at_once": NAMES_AT_ONCE, "notes": described.sentences, "refusal": described.refusal,
            "fills": options.height is None, "hash": self._code.hash,
        }  # fmt: skip
        title = self._loader.dataset.title
        about = Described(title, described.summary, described.sentences, settings.background, options)
        return HtmlFile(document(about, manifest, pieces, self._code), described.summary, described.lacks)

    def _panels(self, known: Sequence[tuple[str, str | None]]) -> dict[int, dict[str, int | None]]:
        """Return for each panel the panel whose coordinates it uses, and the index of its own color."""
        settings, found = self._recording.settings, {}
        for panel in settings.panel_numbers:
            own, color = settings.of_panel(panel), None
            if "color" in settings.look(panel):
                color = known.index(KeptColor(own, self._loader.target(own), is_needed=True).key)
            found[panel] = {"place": settings.places.get(own.place_key, 0), "color": color}
        return found

    def _fields(self, specs: Sequence[str]) -> list[int]:
        described = dict.fromkeys(tooltip_colors(self._loader, self._recording.settings))
        return [specs.index(one) for one in described if one in specs]

    def _traits(self, color: Any) -> dict[str, Any]:
        """Return the initial traits of a page, without those that need a kernel."""
        settings = self._recording.settings
        values = {one.name: getattr(settings, one.name) for one in fields(settings) if one.metadata["is_synced"]}
        filters = [] if self._recording.leaves_out else list(self._recording.filters)
        height = settings.height if self._options.height is None else round(self._options.height)
        changed = {"color": color, "tool": "pan", "open_panels": [], "gene_sets": [], "table": None}
        return {**values, **changed, "filters": filters, "height": height}


def _in_base64(data: bytes) -> str:
    from isal import isal_zlib

    return base64.b64encode(isal_zlib.compress(data, 3)).decode()
