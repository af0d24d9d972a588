"""Every message between the front-end and the kernel: the one schema of both languages.

A message is one JSON object and, behind it, one buffer per array it lists. The object holds ``kind`` (which message),
``id`` (of the request that is answered; 0 when the kernel speaks unasked), ``arrays`` (name, dtype and shape of each
buffer, in order) and the fields of its class below. Buffers are little-endian and C-contiguous.
`tools/protocol_js.py` writes `js/src/wire/protocol.js` and `docs/protocol.md` from this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.text import names

VERSION = 2
MISSING_U16 = 65_535
"""Wire value of a missing number, a missing category (uint8: 255) and a coordinate that cannot be drawn."""
CONTAINER = 65_536
"""Points per container of a sparse gene."""
MISSING_LABEL = names.MISSING_LABEL
"""Name of the cells without a category, in the legend and in the trait `hidden`."""
LEFT_OUT_LABEL = "left out by the filter"
"""What is said of cells that are drawn though the filters, that of the legend too, leave them out."""
LEFT_OUT_ALPHA = 1
"""Opacity, of 255, by which an image of numbers says that a pixel holds none but such cells."""

Mode = Literal["replace", "add", "subtract", "intersect"]
Scale = Literal["none", "categorical", "continuous"]
Density = Literal["linear", "log", "cbrt", "eq_hist"]
"""From cells per pixel to opacity."""
Filtered = Literal["hide", "grey"]
"""What becomes of cells that the filters leave out."""
TableOf = Literal["filter", "selection"]
"""Which cells are in the table: those that pass all filters, or the selected ones."""
Work = Literal[
    "points", "color", "aggregate", "zoom", "hover", "search", "count", "columns", "table", "csv",
    "labels", "contours", "difference", "tissue", "lasso",
]  # fmt: skip
"""What can be cancelled: what a setting brings, or what was asked for by a kind; "lasso" are all gestures that wait."""


@dataclass(frozen=True)
class Array:
    """One buffer of a message: the dtypes it may have, its symbolic shape, what it holds."""

    dtypes: tuple[str, ...]
    shape: tuple[str | int, ...]
    doc: str


@dataclass(frozen=True)
class Message:
    """Base of all messages; `kind` is the name on the wire."""

    kind: ClassVar[str]
    arrays: ClassVar[Mapping[str, Array]] = {}


@dataclass(frozen=True)
class OfPanel(Message):
    """Base of messages about one panel: a colouring over the points and the selection that all panels share.

    panel : its number; 0 is the first. What is asked by the same kind for the same panel takes the place of what was.
    """

    panel: int = field(default=0, kw_only=True)


# --- what the front-end asks ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ready(Message):
    """A front-end has started: send the dataset, then points, colour and selection. Answered by those messages."""

    kind: ClassVar[str] = "ready"
    version: int


@dataclass(frozen=True)
class Begun(Message):
    """The first points are being drawn: send the rest, which would have held them up. Not answered."""

    kind: ClassVar[str] = "begun"


@dataclass(frozen=True)
class Lasso(OfPanel):
    """Select the visible cells inside a polygon that pass the filters. Answered by `selection`.

    polygon : x, y of each corner in turn, in data units of the current embedding and axes
    """

    kind: ClassVar[str] = "lasso"
    polygon: list[float]
    mode: Mode


@dataclass(frozen=True)
class Category(OfPanel):
    """Select all cells of a category on show that pass the filters, those hidden or without a place too.

    Answered by `selection`.

    color : spec of the legend it was chosen in; code : index into its categories, or into the fields of several genes,
        -1 = the cells without one
    """

    kind: ClassVar[str] = "category"
    color: str
    code: int
    mode: Mode


@dataclass(frozen=True)
class Pick(OfPanel):
    """Select cells by their rows, those that pass the filters. Answered by `selection`."""

    kind: ClassVar[str] = "pick"
    rows: list[int]
    mode: Mode


@dataclass(frozen=True)
class AskSets(Message):
    """Ask for the named sets of cells. Answered by `sets`."""

    kind: ClassVar[str] = "sets"


@dataclass(frozen=True)
class EditSet(Message):
    """Do something with a set of cells. Answered by `sets`; what else it changes is sent as any change is.

    op : "add" names the selection, in `within` another set where that is not ""; "put" names it anew; "select" selects
        its cells by a mode; "zoom" shows them; "rename" calls it `to`; "color" gives it the colour `to`; "delete"
        forgets it
    """

    kind: ClassVar[str] = "set"
    op: Literal["add", "put", "select", "zoom", "rename", "color", "delete"]
    name: str
    to: str = ""
    within: str = ""
    mode: Mode = "replace"


@dataclass(frozen=True)
class AskAnnotations(Message):
    """Ask for the annotations, and for labels of one. Answered by `annotations`.

    name : of the one whose labels are told; "" or none that there is = the first
    query : what those labels contain, in any case of letters; filters : as in `columns`
    """

    kind: ClassVar[str] = "annotations"
    name: str = ""
    query: str = ""
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class EditAnnotation(Message):
    """Do something with an annotation. Answered by `annotated`; what else it changes is sent as any change is.

    op : "new" makes it, with the labels of the obs column `to` where that is not ""; "drop" forgets it; "assign" gives
        the selected cells a label, "" = takes theirs away; "rename" calls a label `to`, "merge" makes it one with
        `to`, "delete" takes it from all cells; "select" selects its cells that pass the filters, "" = those without
        one; "save" writes into the file `to`, "" = into obs of the AnnData on show
    on_conflict : what "save" does where there are other labels
    """

    kind: ClassVar[str] = "annotation"
    op: Literal["new", "drop", "assign", "rename", "merge", "delete", "select", "save"]
    name: str
    label: str = ""
    to: str = ""
    mode: Mode = "replace"
    on_conflict: Literal["error", "ours", "theirs"] = "error"


@dataclass(frozen=True)
class Count(OfPanel):
    """Ask what the legend on show says of the selection. Answered by `counts`."""

    kind: ClassVar[str] = "count"


@dataclass(frozen=True)
class AskLook(OfPanel):
    """Ask for what colours a panel and which cells it shows. Answered by `color` and its values, and by `filter`."""

    kind: ClassVar[str] = "look"


@dataclass(frozen=True)
class AskFields(OfPanel):
    """Ask for the fields of the map of several genes that is on show. Answered by `field_counts`."""

    kind: ClassVar[str] = "fields"


@dataclass(frozen=True)
class Clear(Message):
    """Empty the selection. Answered by `selection`."""

    kind: ClassVar[str] = "clear"


@dataclass(frozen=True)
class Undo(Message):
    """Take the last step back, or one that was undone again. What it changes is sent as any change; not answered."""

    kind: ClassVar[str] = "undo"
    redo: bool = False


@dataclass(frozen=True)
class Hover(OfPanel):
    """Ask for the visible cell nearest to a place on the screen. Answered by `cell`.

    x, y, radius_x, radius_y : data units; how far the cell may be along each axis
    """

    kind: ClassVar[str] = "hover"
    x: float
    y: float
    radius_x: float
    radius_y: float


@dataclass(frozen=True)
class Search(Message):
    """Find what one can colour by. Answered by `matches`."""

    kind: ClassVar[str] = "search"
    query: str
    limit: int


@dataclass(frozen=True)
class Zoom(Message):
    """Ask for the points in a view at full precision. Answered by one or more `detail`.

    view : x0, x1, y0, y1 in data units; either order
    """

    kind: ClassVar[str] = "zoom"
    view: list[float]


@dataclass(frozen=True)
class Aggregate(OfPanel):
    """Ask for all cells of a view where only a sample of them was sent. Answered by `image`, or by one or more `cells`.

    view : x0 (left), x1 (right), y0 (bottom), y1 (top) in data units
    width, height : device pixels; diameter : of a point, device pixels
    highlighted : category above all others, -1 = none
    hidden, density, statistic, filtered : as the traits, which hosts hold back while the kernel is busy
    weight : the number of a pixel: 0 = the mean of its cells, 1 = the highest, and in between a value between them;
        counts for the statistics "auto", "mean" and "max"
    """

    kind: ClassVar[str] = "aggregate"
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


@dataclass(frozen=True)
class AskColumns(OfPanel):
    """Count the columns that are open, all others are closed. Answered by one `column` for each, in their order.

    columns : as the trait `color` has them, "obs:NAME" or "var:NAME"
    known : those of which the front-end has categories or edges, which then are not sent again, but for those of `rows`
    filters : as the trait, which hosts hold back while the kernel is busy
    rows : of each of these, where it is long, the categories that are on the screen, as indices, missing ones last;
        [] = all, the first ones where it is not known
    """

    kind: ClassVar[str] = "columns"
    columns: list[str]
    known: list[str] = field(default_factory=list)
    filters: list[dict[str, Any]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True)
class AskBrush(OfPanel):
    """A hand takes a brush: ask for all that its moves can do. Answered by one `sums` for each column, then by `bins`.

    column : of numbers, the one under the hand; columns : the others that are open, as the trait `color` has them
    rows : of each of these the categories that are on the screen, as indices, missing ones last; of numbers none
    filters : as in `columns`
    """

    kind: ClassVar[str] = "brush"
    column: str
    columns: list[str]
    rows: list[list[int]]
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class AskTable(OfPanel):
    """Ask for rows of the table of the cells. Answered by `table`.

    table, filters : as the traits, which hosts hold back while the kernel is busy; no table = its defaults
    start, n : the first row and how many; none = the table is closed
    find : row of a cell in the store, around which rows are wanted instead, where it is in the table; -1 = none
    """

    kind: ClassVar[str] = "table"
    table: dict[str, Any]
    start: int
    n: int
    find: int = -1
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class AskCsv(OfPanel):
    """Ask for rows of the table as a file has them, numbers in full. Answered by `csv`.

    table, filters, start, n : as in `table`; the first row is preceded by the heads of the columns
    separator : between two values
    """

    kind: ClassVar[str] = "csv"
    table: dict[str, Any]
    start: int
    n: int
    separator: Literal[",", "\t"] = ","
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class AskGenes(Message):
    """Read gene sets out of a text that was pasted, of an empty one those of the store. Answered by `gene_sets`.

    text : a GMT, or names apart by spaces, commas, semicolons or new lines
    name : of the set where the text does not name it; "" = a new one
    """

    kind: ClassVar[str] = "genes"
    text: str
    name: str = ""


@dataclass(frozen=True)
class AskModule(Message):
    """Ask for the front-end's second module, which draws its panels. Answered by `module`.

    known : hashes of those that the page has already
    """

    kind: ClassVar[str] = "module"
    known: list[str]


@dataclass(frozen=True)
class AskLabels(OfPanel):
    """Ask where the names of the categories of a column stand. Answered by `labels`.

    column : name of an obs column; filters : as in `columns`
    """

    kind: ClassVar[str] = "labels"
    column: str
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class AskContours(OfPanel):
    """Ask for the contours of the categories of a column, "" = of all cells, or of named sets. Answered by `contours`.

    filters : as in `columns`; sets : names, [] = those of the column
    """

    kind: ClassVar[str] = "contours"
    column: str
    filters: list[dict[str, Any]] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AskDifference(OfPanel):
    """Ask where one of two named sets is denser than the other. Answered by `difference`; filters : as in `columns`."""

    kind: ClassVar[str] = "difference"
    sets: list[str]
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class AskSections(Message):
    """Ask which images there are of the sections that the cells lie on. Answered by `sections`; no image is read."""

    kind: ClassVar[str] = "sections"


@dataclass(frozen=True)
class AskTissue(OfPanel):
    """Ask for an image of the section, or what of it lies in a view and around it. Answered by `tissue`.

    name : of the image; view : x left, x right, y bottom, y top, data units; width, height : px of the screen
    """

    kind: ClassVar[str] = "tissue"
    name: str
    view: list[float]
    width: int
    height: int


@dataclass(frozen=True)
class Cancel(OfPanel):
    """End work that lasts, as a newer request of its kind and panel would. Not answered; who waits is told "Overtaken".

    What a setting brings is set back to what is on show; an index that is being built for a view is given up.
    """

    kind: ClassVar[str] = "cancel"
    of: Work


# --- what the kernel says -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DatasetInfo(Message):
    """What was opened.

    obs_noun, var_noun, set_noun : what one and what several of them are called; no set_noun = the store has no sets
    embeddings : name and number of axes of each; columns : name and kind of each obs column
    colormaps, notes : names on offer; one sentence for each thing that was skipped or is damaged
    """

    kind: ClassVar[str] = "dataset"
    title: str
    n_obs: int
    n_var: int
    obs_noun: list[str]
    var_noun: list[str]
    set_noun: list[str]
    embeddings: list[dict[str, Any]]
    columns: list[dict[str, Any]]
    colormaps: list[str]
    notes: list[str]


@dataclass(frozen=True)
class Points(Message):
    """Quantised coordinates of the points start..stop of n_points, in display order.

    coordinate = lo + code / 65534 * (hi - lo) with lo, hi from extent = x0, x1, y0, y1 (data units); code 65535 in
    either axis = not drawn (NaN or infinite); n_missing counts those among all n_obs cells.
    n_points : how many points there will be; fewer than n_obs = a sample
    aggregated : True where a picture at rest is not of these points, but asked for by `aggregate`
    y_down : True where y grows downwards on the screen (tissue images)
    equal_units : True where as much on either axis is drawn as long; else each axis has a scale of its own
    axis_labels : what is written at x and y; empty where an axis by itself means nothing, as in a UMAP
    few : in views of at most so many cells they are taken to have room beside each other
    embedding : its name; of two columns both in words
    n_at_zero : how many of all cells lie at (0, 0) exactly, where two columns are the axes; else 0
    spot : how wide a spot is, data units, where the store states it; else 0
    """

    kind: ClassVar[str] = "points"
    arrays: ClassVar[Mapping[str, Array]] = {"xy": Array(("uint16",), ("stop-start", 2), "codes of x and y")}
    seq: int
    embedding: str
    axes: list[int]
    start: int
    stop: int
    n_points: int
    n_obs: int
    extent: list[float]
    n_missing: int
    y_down: bool
    equal_units: bool
    axis_labels: list[str]
    aggregated: bool
    few: int
    n_at_zero: int = 0
    spot: float = 0.0


@dataclass(frozen=True)
class Color(OfPanel):
    """The legend of a colouring; its values follow in `codes`, `values` or `nonzeros` of the same seq.

    spec : value of the trait `color`, always forced ("obs:NAME", "var:NAME", "mean:..."); "" = no colour
    name, detail : heading and subheading of the legend
    scale "categorical": categories, counts, colors ("#rrggbb") run parallel; n_missing counts the rest
    scale "continuous": lo, hi are the finite range; encoding "dense" or "sparse"; n_negative, n_zero count cells below
        0 and at 0, whose code no other number has; least is the least number above 0 that can be told from it, else 0
    several genes, a hue each: scale "categorical" without categories; colors, dark_colors : of the codes, which lie
        above each other in their order, on light and dark pages; corners : name, limits and code of what a legend lists
    is_stated : whether the store states lo and hi, which then are the limits of the colours wherever one looks
    n_points : how many values will follow; the rest speaks of all n_obs cells
    """

    kind: ClassVar[str] = "color"
    arrays: ClassVar[Mapping[str, Array]] = {
        "histogram": Array(("uint32",), ("n_bins",), "cells per equal bin of lo..hi; empty unless continuous"),
        "quantiles": Array(
            ("float32",),
            ("n_quantiles",),
            "quantiles 0, 0.001, ..., 1, as shares of the way from lo to hi; empty unless continuous",
        ),
        "log_histogram": Array(
            ("uint32",), ("n_log_bins",), "cells above 0 per bin of least..hi, equal by logarithm; empty without any"
        ),
    }
    seq: int
    spec: str
    name: str
    detail: str
    scale: Scale
    n_points: int
    n_obs: int
    n_missing: int
    categories: list[str]
    counts: list[int]
    colors: list[str]
    lo: float
    hi: float
    encoding: Literal["none", "dense", "sparse"]
    is_stated: bool
    n_negative: int = 0
    n_zero: int = 0
    least: float = 0.0
    dark_colors: list[str] = field(default_factory=list)
    corners: list[list[Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Palette(OfPanel):
    """New colours for the categories on show; no cell's code changes."""

    kind: ClassVar[str] = "palette"
    seq: int
    colors: list[str]


@dataclass(frozen=True)
class Codes(OfPanel):
    """Category codes of the points start..stop in display order; missing = maximum of the dtype."""

    kind: ClassVar[str] = "codes"
    arrays: ClassVar[Mapping[str, Array]] = {
        "codes": Array(("uint8", "uint16"), ("stop-start",), "index into categories")
    }
    seq: int
    start: int
    stop: int
    n_points: int


@dataclass(frozen=True)
class Recoded(OfPanel):
    """Category codes of all points that follow from those of an earlier colouring, `of`, all of which were sent.

    First each code becomes what the table says, then those of some points what `codes` says.
    """

    kind: ClassVar[str] = "recoded"
    arrays: ClassVar[Mapping[str, Array]] = {
        "table": Array(("uint8", "uint16"), ("n_before + 1",), "by each code of before, last by the missing one"),
        "bits": Array(("uint8",), ("n_bytes",), "packed mask of the points that then have another code; empty = none"),
        "codes": Array(("uint8", "uint16"), ("n or 1 or 0",), "of each of these in turn, or one of all"),
    }
    seq: int
    of: int
    n_points: int


@dataclass(frozen=True)
class Values(OfPanel):
    """Numbers of the points start..stop in display order: value = lo + code / 65534 * (hi - lo), 65535 = missing."""

    kind: ClassVar[str] = "values"
    arrays: ClassVar[Mapping[str, Array]] = {"values": Array(("uint16",), ("stop-start",), "quantised values")}
    seq: int
    start: int
    stop: int
    n_points: int


@dataclass(frozen=True)
class Nonzeros(OfPanel):
    """A sparse gene: the points start..stop that differ from `fill`, in containers of 65,536 points.

    Container c of this message begins at point start + 65536 c and owns the next counts[c] entries; the point is
    begin + offset. All other points hold the code `fill`. Codes as in `values`.
    """

    kind: ClassVar[str] = "nonzeros"
    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(("uint32",), ("n_containers",), "entries of each container"),
        "offsets": Array(("uint16",), ("n_entries",), "point within its container, ascending"),
        "values": Array(("uint16",), ("n_entries",), "quantised values"),
    }
    seq: int
    start: int
    stop: int
    n_points: int
    fill: int


@dataclass(frozen=True)
class Selection(Message):
    """Which points are selected, in display order: bit i & 7 of byte i >> 3 is point i. Empty when no cell is.

    n_selected : of all cells, also of those that are no points
    """

    kind: ClassVar[str] = "selection"
    arrays: ClassVar[Mapping[str, Array]] = {"bits": Array(("uint8",), ("n_bytes",), "packed mask, little bit order")}
    seq: int
    n_selected: int
    n_points: int


@dataclass(frozen=True)
class Filter(OfPanel):
    """Which points pass the filters, that of the legend left out; bits as in `selection`, empty when all do.

    Of a panel other than the first: which points are its own, be they left out by the filters or not.
    n_passing : cells that pass all filters, that of the legend too, also those that are no points
    """

    kind: ClassVar[str] = "filter"
    arrays: ClassVar[Mapping[str, Array]] = {"bits": Array(("uint8",), ("n_bytes",), "packed mask, little bit order")}
    seq: int
    n_passing: int
    n_points: int


@dataclass(frozen=True)
class Counts(OfPanel):
    """The selection by what colours the cells; empty without a colouring.

    seq, selection_seq : the colouring and the selection that were counted; n_missing : selected cells without a value
    """

    kind: ClassVar[str] = "counts"
    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(
            ("uint32",),
            ("n",),
            "selected cells of each category, or in each bin of the histogram, then of log_histogram",
        )
    }
    seq: int
    selection_seq: int
    n_missing: int


@dataclass(frozen=True)
class FieldCounts(OfPanel):
    """Cells by field of the map of two or three genes: by the part of its limits in which each gene lies.

    Fields are numbered with the parts of the first gene slowest, and so are the mixes, levels of each gene.

    seq : of the colouring; names : of the genes; limits : lowest and highest number of each, one after the other
    words : what the parts of each gene are called; levels : steps of each gene that have a colour
    """

    kind: ClassVar[str] = "field_counts"
    arrays: ClassVar[Mapping[str, Array]] = {
        "filtered": Array(("uint32",), ("n",), "cells that pass all filters"),
        "selected": Array(("uint32",), ("n",), "selected cells"),
        "mixes": Array(("uint16",), ("n_mixes",), "code of each mix, as in the `colors` of `color`"),
    }
    seq: int
    names: list[str]
    limits: list[float]
    words: list[str]
    levels: int


@dataclass(frozen=True)
class ColumnCounts(OfPanel):
    """How many cells have each value of a column, those without one last; part of parts.

    scale "categorical": categories in their order. "continuous": edges of the bins, each of which holds its left edge
    and not its right one, but for the last, which holds both. Neither is listed where it is known.
    groups : indices into the categories of the legend on show, the largest; [] where cells are not counted by it
    rows : of a long list, which categories are told, and of which the arrays are; [] = all; where the list was not
        known, `all` is of all categories nevertheless, by which they can be sorted
    error : one sentence where the column cannot be counted; the rest then is empty
    layer : that a gene was read from, "" = X
    n_zeros : how many of all cells have the number 0
    about : columns of var and what they say of a gene, [name, value] each; not listed where edges are known
    """

    kind: ClassVar[str] = "column"
    arrays: ClassVar[Mapping[str, Array]] = {
        "all": Array(("uint32",), ("n_all",), "all cells"),
        "filtered": Array(("uint32",), ("n",), "those that pass all filters but that of the column itself"),
        "selected": Array(("uint32",), ("n",), "selected cells"),
        "grouped": Array(
            ("uint32",),
            ("n", "n_groups"),
            "those filtered of each of groups, of the others, of those the legend calls missing; or none",
        ),
    }
    part: int
    parts: int
    column: str
    scale: Scale
    categories: list[str]
    edges: list[float]
    groups: list[int]
    error: str = ""
    layer: str = ""
    n_zeros: int = 0
    about: list[list[str]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class BrushSums(OfPanel):
    """How many cells of a column pass under a brush over another, by all filters but those of the two; part of parts.

    The sums run: those at step k are of the cells in the first k * width bins of the brush, so that a brush over whole
    steps is the difference of two of them. The last step but one holds all bins, the last cells without a value too.
    rows : the categories that are counted; of numbers all bins are, and then the missing ones
    groups : as in `column`, of which each row has one part each; [] = one part
    """

    kind: ClassVar[str] = "sums"
    arrays: ClassVar[Mapping[str, Array]] = {
        "sums": Array(("uint32",), ("n_steps", "n_rows", "n_parts"), "cells; none where the column cannot be counted")
    }
    part: int
    parts: int
    column: str
    rows: list[int]
    groups: list[int]
    width: int


@dataclass(frozen=True)
class BrushBins(OfPanel):
    """The bin of a brush for the points start..stop of n_points in display order; part of parts, after the `sums`.

    One more than the last bin = without a value; 255 = it fails another filter, that of the legend left out.
    """

    kind: ClassVar[str] = "bins"
    arrays: ClassVar[Mapping[str, Array]] = {"bins": Array(("uint8",), ("stop-start",), "bin of the brush")}
    part: int
    parts: int
    start: int
    stop: int
    n_points: int


@dataclass(frozen=True)
class Table(OfPanel):
    """Rows of the table of the cells, from place `start` of `total`.

    rows : row of each cell in the store; names : their labels in the obs index
    columns : spec, name, detail, whether it is_number, and error, one sentence where it cannot be read
    values : the texts of each column, none where it cannot be read
    at : place of the cell that was to be found; -1 = it is not in the table
    error : one sentence where the cells cannot be sorted as asked; they then are in the order of the store
    """

    kind: ClassVar[str] = "table"
    arrays: ClassVar[Mapping[str, Array]] = {
        "xy": Array(("float32",), ("n", 2), "data units; NaN = without a place"),
        "selected": Array(("uint8",), ("n",), "1 = the cell is selected, else 0"),
    }
    start: int
    total: int
    rows: list[int]
    names: list[str]
    columns: list[dict[str, Any]]
    values: list[list[str]]
    at: int = -1
    error: str = ""


@dataclass(frozen=True)
class Csv(OfPanel):
    """Rows of the table as a file has them, from place `start` to before `stop`, of `total`.

    selection_seq : the selection that they are of; parts of several make no file
    """

    kind: ClassVar[str] = "csv"
    arrays: ClassVar[Mapping[str, Array]] = {"text": Array(("uint8",), ("n_bytes",), "UTF-8")}
    start: int
    stop: int
    total: int
    selection_seq: int


@dataclass(frozen=True)
class Cell(OfPanel):
    """The cell under the pointer; row -1 = there is none.

    x, y : data units; name : obs index label; value : coloured value as text ("" without colouring)
    fields : [column, value] pairs, both text
    passes : whether it passes the filters, that of the legend too; told of no others unless those are drawn
    n_beneath : how many cells that are shown lie in the circle, where they are too many to name one: name and fields
        then tell of all of them, [category, share] or of their numbers; else 0
    """

    kind: ClassVar[str] = "cell"
    row: int
    x: float
    y: float
    name: str
    value: str
    fields: list[list[str]]
    passes: bool = True
    n_beneath: int = 0


@dataclass(frozen=True)
class Matches(Message):
    """What one can colour by, best first: spec (that of the colouring), color (for the trait), label, kind, detail."""

    kind: ClassVar[str] = "matches"
    query: str
    matches: list[dict[str, Any]]
    n_more: int


@dataclass(frozen=True)
class Sets(Message):
    """The named sets of cells: name, within which other set ("" = none), is_rule: not mere rows, of, fault, color.

    of : what a filter names a set by, beside its name
    fault : one sentence that says why its cells cannot be found, which are counted as none; "" where they are
    filter_seq, selection_seq : of the filters and the selection that are counted
    """

    kind: ClassVar[str] = "sets"
    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(("uint32",), ("n", 3), "cells of each, those that pass the filters, those selected")
    }
    filter_seq: int
    selection_seq: int
    sets: list[dict[str, Any]]


@dataclass(frozen=True)
class Annotations(Message):
    """The annotations, each with name and n_labels, and labels of the one that is called `name` ("" = there is none).

    labels, colors : those that contain what was asked for, in their order, the first of n_found
    n_left_out : selected cells that do not pass the filters
    has_obs : whether labels can be put into obs of the AnnData on show
    """

    kind: ClassVar[str] = "annotations"
    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(
            ("uint32",),
            ("n", 3),
            "cells of each label, those that pass all filters but that of the annotation, those selected; last of "
            "those without a label",
        )
    }
    annotations: list[dict[str, Any]]
    name: str
    labels: list[str]
    colors: list[str]
    n_found: int
    n_left_out: int
    has_obs: bool


@dataclass(frozen=True)
class Annotated(Message):
    """What came of an edit of an annotation.

    said : one sentence where the page does not show what was done, as what was saved
    conflict : where there are other labels, and nobody said which count: how many cells have one here, how many there,
        and how many differ; nothing was written
    """

    kind: ClassVar[str] = "annotated"
    said: str = ""
    conflict: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class GeneSets(Message):
    """Gene sets: name, n, how many genes they list, and genes; of those of the store the first of these.

    said : one sentence that names what was left out, "" where nothing was
    """

    kind: ClassVar[str] = "gene_sets"
    sets: list[dict[str, Any]]
    said: str


@dataclass(frozen=True)
class Detail(Message):
    """Points of a view at full precision; codes as in `points`, over `extent`; part of parts, start = first entry."""

    kind: ClassVar[str] = "detail"
    arrays: ClassVar[Mapping[str, Array]] = {
        "index": Array(("uint32",), ("n",), "place in display order, ascending"),
        "xy": Array(("uint16",), ("n", 2), "codes of x and y"),
    }
    part: int
    parts: int
    extent: list[float]


@dataclass(frozen=True)
class Image(OfPanel):
    """All cells of a view, aggregated to pixels; row 0 is the top.

    content "colors": the pixels, straight alpha. "numbers": red and green are the high and low byte of a code as in
    `values` (65535 = no value), blue is the opacity, 1 where there are none but cells that the filters leave out; the
    colormap is the front-end's affair.
    points_seq, seq, selection_seq : the points, the colouring and the selection it shows; n_inside : cells in the view,
        those that pass the filters, or all where the others are drawn too
    statistic : what the numbers are where they are not those of cells, such as a standard deviation; the codes then
        span the first two numbers of `scale`, not the range of the colouring, and the colours the next two; the last
        is the least number above 0, as in `color`. "" and [] otherwise
    """

    kind: ClassVar[str] = "image"
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


@dataclass(frozen=True)
class Cells(OfPanel):
    """The cells of a view at full precision, in random order, where few enough are in it; part of parts.

    Seqs as in `image`. Codes of `xy` as in `points`, over `extent`; `codes` as in `codes` or `values`, empty without a
    colouring; `bits` as in `selection`, empty when no cell is selected; `passing` as `bits` in `filter`, empty when all
    do.
    """

    kind: ClassVar[str] = "cells"
    arrays: ClassVar[Mapping[str, Array]] = {
        "xy": Array(("uint16",), ("n", 2), "codes of x and y"),
        "codes": Array(("uint8", "uint16"), ("n or 0",), "what colours the cells"),
        "bits": Array(("uint8",), ("n_bytes",), "packed mask, little bit order"),
        "passing": Array(("uint8",), ("n_bytes",), "packed mask, little bit order"),
    }
    points_seq: int
    seq: int
    selection_seq: int
    part: int
    parts: int
    extent: list[float]


@dataclass(frozen=True)
class Labels(OfPanel):
    """Where the names of categories stand: at the densest place of those of their cells that pass the filters.

    The largest category comes first. codes : indices into the categories of the column; labels : what they are called;
    counts : cells that pass; n_present : how many categories have such cells
    extent : x0, x1, y0, y1, data units, over which the codes of places go as in `points`
    """

    kind: ClassVar[str] = "labels"
    arrays: ClassVar[Mapping[str, Array]] = {"xy": Array(("uint16",), ("n", 2), "codes of x and y")}
    points_seq: int
    column: str
    codes: list[int]
    labels: list[str]
    counts: list[int]
    n_present: int
    extent: list[float]


@dataclass(frozen=True)
class Contours(OfPanel):
    """Closed lines around the densest regions that hold given shares of the cells of categories.

    column : "" = of all cells; then there is one category, without a name, whose code is -1
    codes, labels, n_present : as in `labels`
    categories, shares, n_rings : of each contour the index into codes, the share of cells it encloses, and how many
        rings it has; extent : as in `labels`
    sets, colors : of contours of sets their names, which are the labels too, and a colour for each; codes are -1
    """

    kind: ClassVar[str] = "contours"
    arrays: ClassVar[Mapping[str, Array]] = {
        "lengths": Array(("uint32",), ("n_rings",), "corners of each ring, the last of which leads back to the first"),
        "xy": Array(("uint16",), ("n", 2), "codes of x and y of all corners"),
    }
    points_seq: int
    column: str
    codes: list[int]
    labels: list[str]
    n_present: int
    categories: list[int]
    shares: list[float]
    n_rings: list[int]
    extent: list[float]
    sets: list[str] = field(default_factory=list)
    colors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Difference(OfPanel):
    """Where one of two sets is denser than the other: log2 of the ratio of their densities, each of its own cells.

    counts : cells of each that pass; least : cells of both that must lie near, or there is nothing to tell
    limit : the last code stands for this ratio and all higher ones, code 0 for minus this and all lower ones
    shape : lines and columns, the first at the lowest y; extent : x0, x1, y0, y1 of all bins, data units
    """

    kind: ClassVar[str] = "difference"
    arrays: ClassVar[Mapping[str, Array]] = {
        "codes": Array(("uint8",), ("n",), "0 to 254; 255 where too few cells lie near"),
        "colors": Array(("uint8",), ("n_codes", 3), "red, green and blue of each code"),
    }
    points_seq: int
    sets: list[str]
    counts: list[int]
    least: int
    limit: float
    shape: list[int]
    extent: list[float]


@dataclass(frozen=True)
class SectionList(Message):
    """The names of images of the sections that the cells lie on, the best first; those that can be shown."""

    kind: ClassVar[str] = "sections"
    names: list[str]


@dataclass(frozen=True)
class Tissue(OfPanel):
    """An image of the section, or a part of it, as a JPEG file.

    extent : x0, x1, y0, y1 of its edges, data units, its first line at y0; whole : those of all of the image
    per_px : how many px of the stored image one px is, 1 = it has no more to show; um : micrometres of a data unit,
        0 = that is not known
    """

    kind: ClassVar[str] = "tissue"
    arrays: ClassVar[Mapping[str, Array]] = {"jpeg": Array(("uint8",), ("n_bytes",), "the file")}
    name: str
    extent: list[float]
    whole: list[float]
    per_px: int
    um: float


@dataclass(frozen=True)
class Module(Message):
    """The front-end's second module, which draws its panels: an ES module as UTF-8, empty where the page has it."""

    kind: ClassVar[str] = "module"
    arrays: ClassVar[Mapping[str, Array]] = {"code": Array(("uint8",), ("n_bytes",), "the module")}
    hash: str


@dataclass(frozen=True)
class Progress(Message):
    """How far something is that has to be done once and lasts; `done` from 0 to 1, which also ends what was given up.

    of : the "index" of all cells, a "reading" that a store has to do as a whole, or the start of "datashader"
    ends_by : what to `cancel` so that it ends, or nobody waits for it any more; "" where that cannot be
    """

    kind: ClassVar[str] = "progress"
    of: Literal["index", "reading", "datashader"]
    done: float
    ends_by: Literal["", "aggregate", "color"] = ""


@dataclass(frozen=True)
class CostOf(Message):
    """What the last action has read of the store, told where it differs from the one before.

    of : the kind of the action; n_bytes : as they are stored; n_reads : in how many reads, 0 = it was all in memory
    is_ahead : whether storage was read ahead, so that requests were at most so many
    """

    kind: ClassVar[str] = "cost"
    of: str
    n_bytes: int
    n_reads: int
    is_ahead: bool = False


@dataclass(frozen=True)
class Error(Message):
    """A request that failed, in one sentence; what was on show stays. `of` names the kind that failed.

    details : the same in full, with paths and what a library said of it; "" where the sentence says it all
    Type "Overtaken" is no failure: a newer request took its place, and nothing more will come.
    """

    kind: ClassVar[str] = "error"
    of: str
    type: str
    message: str
    details: str = ""


REQUESTS: tuple[type[Message], ...] = (
    Ready,
    Begun,
    Lasso,
    Category,
    Pick,
    Clear,
    Undo,
    AskSets,
    EditSet,
    AskAnnotations,
    EditAnnotation,
    Count,
    Hover,
    Search,
    Zoom,
    Aggregate,
    AskColumns,
    AskLook,
    AskFields,
    AskBrush,
    AskTable,
    AskCsv,
    AskGenes,
    AskModule,
    AskLabels,
    AskContours,
    AskDifference,
    AskSections,
    AskTissue,
    Cancel,
)
REPLIES: tuple[type[Message], ...] = (
    DatasetInfo,
    Points,
    Color,
    Palette,
    Codes,
    Recoded,
    Values,
    Nonzeros,
    Selection,
    Filter,
    Counts,
    FieldCounts,
    ColumnCounts,
    BrushSums,
    BrushBins,
    Table,
    Csv,
    Cell,
    Matches,
    Sets,
    Annotations,
    Annotated,
    GeneSets,
    Detail,
    Image,
    Cells,
    Labels,
    Contours,
    Difference,
    SectionList,
    Tissue,
    Module,
    Progress,
    CostOf,
    Error,
)
