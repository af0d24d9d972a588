"""Messages about views as images or as cells, figures as files, and tissue images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Density, Filtered, Message, OfPanel


@dataclass(frozen=True)
class Aggregate(OfPanel, kind="aggregate"):
    """Ask for all cells of a view, if only a sample of them was sent. Answered by one or more `image` or `cells`.

    view : x0 (left), x1 (right), y0 (bottom), y1 (top) in data units
    width, height : device pixels; diameter : of a point, device pixels
    highlighted : category to draw on top, -1 = none
    hidden, density, statistic, filtered : as the traits, which hosts hold back while the kernel is busy
    weight : value of a pixel: 0 = mean of its cells, 1 = maximum, and in between a value between them; used by the
        statistics "auto", "mean" and "max"
    layers : mean number of other cells that overlap a cell, which sets the opacity; 0 = opaque
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
    `values` (65535 = no value), blue is the opacity, or 1 for pixels that have only filtered-out cells; the front-end
    applies the colormap.
    points_seq, seq, selection_seq : the points, the coloring and the selection it shows; n_inside : number of cells in
        the view that pass the filters, or of all if the others are drawn too
    statistic : name of the numbers if they are not those of cells, such as a standard deviation. The codes then span
        the first two numbers of `scale` instead of the range of the coloring, the colors span the next two, and the
        last is the lowest number above 0, as in `color`; levels : as in `color`. "" and [] otherwise
    part, parts : number of this part of the file, and of all; only the first has values in the other arrays
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "png": Array(("uint8",), ("n_bytes",), "a part of a PNG file"),
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
    part: int = 0
    parts: int = 1


@dataclass(frozen=True)
class Cells(OfPanel, kind="cells"):
    """The cells of a view at full precision, in random order, if it has few enough; one of `parts` messages.

    Seqs as in `image`. Codes of `xy` as in `points`, over `extent`; `codes` as in `codes` or `values`, empty without a
    coloring; `bits` as in `selection`, empty if no cell is selected; `passing` as `bits` in `filter`, empty if all
    pass.
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
    """Ask for the plot as a file, as `w.save` writes it. Answered by one or more `figure`.

    width, height : size of the plots, CSS px
    dark : whether the page is dark, used if no background is set
    """

    suffix: Literal["svg", "pdf", "png", "html"]
    width: int
    height: int
    dark: bool


@dataclass(frozen=True)
class AskCode(Message, kind="code"):
    """Ask for the analysis as Python code, or as text. Answered by one or more `figure`.

    part : "" = all of it, as `w.code` returns it; the name of a panel = what this panel shows; "methods" = `w.methods`
    """

    part: Literal["", "methods", "columns", "genes", "sets", "annotations", "table", "compare", "study"]


@dataclass(frozen=True)
class FigurePart(Message, kind="figure"):
    """A part of a file of a figure or a comparison, or of code, from 0 to below `parts`; they arrive in any order."""

    arrays: ClassVar[Mapping[str, Array]] = {"file": Array(("uint8",), ("n_bytes",), "the bytes of the part")}
    part: int
    parts: int


@dataclass(frozen=True)
class AskSections(Message, kind="sections"):
    """Ask for the list of tissue images of the cells. Answered by `sections`; no image is read."""


@dataclass(frozen=True)
class AskTissue(OfPanel, kind="tissue", is_of_each=False):
    """Ask for a tissue image, or the part of it in and around a view. Answered by `tissue`.

    name : of the image; view : x left, x right, y bottom, y top, data units; width, height : px of the screen
    """

    name: str
    view: list[float]
    width: int
    height: int


@dataclass(frozen=True)
class SectionList(Message, kind="sections"):
    """Names of the tissue images that can be shown, the best first."""

    names: list[str]


@dataclass(frozen=True)
class Tissue(OfPanel, kind="tissue"):
    """A tissue image, or a part of it, as a JPEG file.

    extent : x0, x1, y0, y1 of its edges, data units, its first line at y0; whole : those of the whole image
    per_px : number of px of the stored image per px, 1 = full resolution; um : micrometers per data unit, 0 = unknown;
        spot : diameter of a spot of its library, data units, 0 = unknown
    outline : x and y of four corners, data units, outside of which nothing of the file is drawn; [] = draw all of it
    part, parts : as in `image`
    """

    arrays: ClassVar[Mapping[str, Array]] = {"jpeg": Array(("uint8",), ("n_bytes",), "a part of the file")}
    name: str
    extent: list[float]
    whole: list[float]
    per_px: int
    um: float
    spot: float
    outline: list[float] = field(default_factory=list)
    part: int = 0
    parts: int = 1
