"""Messages about colors: legend, colors and values; gene sets, and the fields of two or three genes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, OfPanel, Scale


@dataclass(frozen=True)
class AskLook(OfPanel, kind="look"):
    """Ask for the color and the cells of a panel. Answered by `color` and its values, and by `filter`."""


@dataclass(frozen=True)
class Color(OfPanel, kind="color"):
    """The legend of a coloring; its values follow in `codes`, `values` or `nonzeros` of the same seq.

    spec : value of the trait `color`, always forced ("obs:NAME", "var:NAME", "mean:..."); "" = no color
    name, detail : heading and subheading of the legend
    scale "categorical": categories, counts, colors ("#rrggbb") have one entry per category; n_missing counts the rest
    scale "continuous": lo, hi are the finite range; encoding is "dense" or "sparse"; n_negative, n_zero count cells
    below
        0 and at 0, whose code no other number has; least is the lowest number above 0, or 0
    levels : lo, hi for even codes; or lo, hi, center, width for codes even in asinh((x - center) / width)
    several genes, each with a hue: scale "categorical" without categories; colors, dark_colors : of the codes, in draw
        order, on light and dark pages; corners : name, limits and code of each entry of the legend
    is_stated : whether the store states lo and hi, which then are the color limits in any view
    unscaled : layer with the same genes before scaling, if the layer that is read is scaled; "" = none
    ordered : whether the categories are ordered; they are then listed in this order, never by size
    n_points : number of values that follow; everything else describes all n_obs cells
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "histogram": Array(("uint32",), ("n_bins",), "cells per equal bin of lo..hi; empty unless continuous"),
        "quantiles": Array(
            ("float32",),
            ("n_quantiles",),
            "quantiles 0, 0.001, ..., 1, as shares of the codes; empty unless continuous",
        ),
        "log_histogram": Array(
            ("uint32",), ("n_log_bins",), "cells above 0 per bin of least..hi, equal by logarithm; empty without any"
        ),
    }
    # The page drops frames with a lower number than that of the newest coloring (decision 1).
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
    unscaled: str = ""
    ordered: bool = False
    levels: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Palette(OfPanel, kind="palette"):
    """New colors for the current categories; no cell's code changes."""

    seq: int
    colors: list[str]


@dataclass(frozen=True)
class CodesOfPoints(OfPanel, kind="codes"):
    """Category codes of the points start..stop in draw order; missing = maximum of the dtype."""

    arrays: ClassVar[Mapping[str, Array]] = {
        "codes": Array(("uint8", "uint16"), ("stop-start",), "index into categories")
    }
    seq: int
    start: int
    stop: int
    n_points: int


@dataclass(frozen=True)
class Recoded(OfPanel, kind="recoded"):
    """Category codes of all points, derived from those of an earlier coloring, `of`, that was sent completely.

    First every code is replaced by `table`, then those of some points by `codes`.
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "table": Array(("uint8", "uint16"), ("n_before + 1",), "new code for each old one, last for missing"),
        "bits": Array(("uint8",), ("n_bytes",), "packed mask of the points with another code; empty = none"),
        "codes": Array(("uint8", "uint16"), ("n or 1 or 0",), "code of each of these in turn, or one for all"),
    }
    seq: int
    of: int
    n_points: int


@dataclass(frozen=True)
class ValuesOfPoints(OfPanel, kind="values"):
    """Numbers of the points start..stop in draw order, as codes by the levels of the coloring; 65535 = missing."""

    arrays: ClassVar[Mapping[str, Array]] = {"values": Array(("uint16",), ("stop-start",), "quantized values")}
    seq: int
    start: int
    stop: int
    n_points: int


@dataclass(frozen=True)
class Nonzeros(OfPanel, kind="nonzeros"):
    """A sparse gene: the points start..stop that differ from `fill`, in containers of 65,536 points.

    Container c of this message starts at point start + 65536 c and has the next counts[c] entries; the point of an
    entry is the start of its container + offset. All other points have the code `fill`. Codes are as in `values`.
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(("uint32",), ("n_containers",), "entries of each container"),
        # 4 bytes an entry: a gene expressed in 5 % of cells takes a tenth of its dense codes.
        "offsets": Array(("uint16",), ("n_entries",), "point within its container, ascending"),
        "values": Array(("uint16",), ("n_entries",), "quantized values"),
    }
    seq: int
    start: int
    stop: int
    n_points: int
    fill: int


@dataclass(frozen=True)
class AskFields(OfPanel, kind="fields", is_of_each=False):
    """Ask for the fields of the genes that color the plot. Answered by `field_counts`."""


@dataclass(frozen=True)
class AskGenes(Message, kind="genes"):
    """Parse gene sets from a pasted text; an empty text asks for those of the store. Answered by `gene_sets`.

    text : a GMT, or names separated by spaces, commas, semicolons or new lines
    name : of the set, if the text has none; "" = a new name
    """

    text: str
    name: str = ""


@dataclass(frozen=True)
class FieldCounts(OfPanel, kind="field_counts"):
    """Cells by field of two or three genes: by the part of its limits in which each gene is.

    Fields are numbered with the parts of the first gene slowest, and so are the mixes, levels of each gene.

    seq : of the coloring; names : of the genes; limits : lowest and highest number of each, one after the other
    words : names of the parts of each gene; levels : number of levels per gene that have a color
    """

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
class GeneSets(Message, kind="gene_sets"):
    """Gene sets: name, n = number of genes, and genes; for those of the store, only the first genes.

    sentence : one sentence that lists skipped names, "" if there are none
    """

    sets: list[dict[str, Any]]
    sentence: str
