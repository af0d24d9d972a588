"""A view as an image of all cells, or as the cells themselves; a figure as a file; the image of a section."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Density, Filtered, Message, OfPanel


@dataclass(frozen=True)
class Aggregate(OfPanel, kind="aggregate"):
    """Ask for all cells of a view where only a sample of them was sent. Answered by `image`, or by one or more `cells`.

    view : x0 (left), x1 (right), y0 (bottom), y1 (top) in data units
    width, height : device pixels; diameter : of a point, device pixels
    highlighted : category above all others, -1 = none
    hidden, density, statistic, filtered : as the traits, which hosts hold back while the kernel is busy
    weight : the number of a pixel: 0 = the mean of its cells, 1 = the highest, and in between a value between them;
        counts for the statistics "auto", "mean" and "max"
    layers : how many other cells lie on a px where cells are, which says how opaque one is; 0 = all are opaque
    """

    view: list[float]
    width: int
    height: int
    diameter: float
    highlighted: int
    dark: bool
    hidden: list[str] = field(default_factory=list)
    density: Density = "eq_hist"
    weight: float = 0.0
    statistic: str = "auto"
    filtered: Filtered = "hide"
    layers: float = 0.0


@dataclass(frozen=True)
class Image(OfPanel, kind="image"):
    """All cells of a view, aggregated to pixels; row 0 is the top.

    content "colors": the pixels, straight alpha. "numbers": red and green are the high and low byte of a code as in
    `values` (65535 = no value), blue is the opacity, 1 where there are none but cells that the filters leave out; the
    colormap is the front-end's affair.
    points_seq, seq, selection_seq : the points, the coloring and the selection it shows; n_inside : cells in the view,
        those that pass the filters, or all where the others are drawn too
    statistic : what the numbers are where they are not those of cells, such as a standard deviation; the codes then
        span the first two numbers of `scale`, not the range of the coloring, and the colors the next two; the last
        is the least number above 0, as in `color`; levels : as in `color`. "" and [] otherwise
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "png": Array(("uint8",), ("n_bytes",), "a PNG file"),
        "histogram": Array(("uint32",), ("n_bins or 0",), "pixels in equal parts of the scale"),
        "quantiles": Array(("float32",), ("n_quantiles or 0",), "as in `color`, of the pixels"),
        "log_histogram": Array(("uint32",), ("n_log_bins",), "as in `color`, of the pixels"),
    }
    points_seq: int
    seq: int
    selection_seq: int
    view: list[float]
    content: Literal["colors", "numbers"]
    n_inside: int
    statistic: str = ""
    scale: list[float] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Cells(OfPanel, kind="cells"):
    """The cells of a view at full precision, in random order, where few enough are in it; part of parts.

    Seqs as in `image`. Codes of `xy` as in `points`, over `extent`; `codes` as in `codes` or `values`, empty without a
    coloring; `bits` as in `selection`, empty when no cell is selected; `passing` as `bits` in `filter`, empty when all
    do.
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "xy": Array(("uint16",), ("n", 2), "codes of x and y"),
        "sizes": Array(("uint16",), ("n",), "widths as in `points`", is_optional=True),
        "codes": Array(("uint8", "uint16"), ("n or 0",), "what colors the cells"),
        "bits": Array(("uint8",), ("n_bytes or 0",), "packed mask, little bit order"),
        "passing": Array(("uint8",), ("0 or n_bytes",), "packed mask, little bit order"),
    }
    points_seq: int
    seq: int
    selection_seq: int
    part: int
    parts: int
    extent: list[float]


@dataclass(frozen=True)
class AskFigure(Message, kind="figure"):
    """Ask for what is on show as a file, as `w.save` writes it. Answered by one or more `figure`.

    width, height : of the room that the plots have, CSS px
    dark : whether the page is, which counts where no background is set
    """

    suffix: Literal["svg", "pdf", "png", "html"]
    width: int
    height: int
    dark: bool


@dataclass(frozen=True)
class FigurePart(Message, kind="figure"):
    """A part of a file, of a figure or of a comparison, from 0 to before `parts`; they come in any order."""

    arrays: ClassVar[Mapping[str, Array]] = {"file": Array(("uint8",), ("n_bytes",), "the bytes of the part")}
    part: int
    parts: int


@dataclass(frozen=True)
class AskSections(Message, kind="sections"):
    """Ask which images there are of the sections that the cells lie on. Answered by `sections`; no image is read."""


@dataclass(frozen=True)
class AskTissue(OfPanel, kind="tissue", is_of_each=False):
    """Ask for an image of the section, or what of it lies in a view and around it. Answered by `tissue`.

    name : of the image; view : x left, x right, y bottom, y top, data units; width, height : px of the screen
    """

    name: str
    view: list[float]
    width: int
    height: int


@dataclass(frozen=True)
class SectionList(Message, kind="sections"):
    """The names of images of the sections that the cells lie on, the best first; those that can be shown."""

    names: list[str]


@dataclass(frozen=True)
class Tissue(OfPanel, kind="tissue"):
    """An image of the section, or a part of it, as a JPEG file.

    extent : x0, x1, y0, y1 of its edges, data units, its first line at y0; whole : those of all of the image
    per_px : how many px of the stored image one px is, 1 = it has no more to show; um : micrometres of a data unit,
        0 = that is not known; spot : how wide a spot of its library is, data units, 0 = that is not known
    outline : x and y of four corners, data units, beyond which nothing of the file is drawn; [] = all of it is
    """

    arrays: ClassVar[Mapping[str, Array]] = {"jpeg": Array(("uint8",), ("n_bytes",), "the file")}
    name: str
    extent: list[float]
    whole: list[float]
    per_px: int
    um: float
    spot: float
    outline: list[float] = field(default_factory=list)
