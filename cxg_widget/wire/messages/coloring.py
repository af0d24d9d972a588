"""Messages about colors: legend, colors and values; gene sets, and the map of two or three genes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, OfPanel, Scale


@dataclass(frozen=True)
class AskLook(OfPanel, kind="look"):
    """Ask for what colors a panel and which cells it shows. Answered by `color` and its values, and by `filter`."""


@dataclass(frozen=True)
class Color(OfPanel, kind="color"):
    """The legend of a coloring; its values follow in `codes`, `values` or `nonzeros` of the same seq.

    spec : value of the trait `color`, always forced ("obs:NAME", "var:NAME", "mean:..."); "" = no color
    name, detail : heading and subheading of the legend
    scale "categorical": categories, counts, colors ("#rrggbb") run parallel; n_missing counts the rest
    scale "continuous": lo, hi are the finite range; encoding "dense" or "sparse"; n_negative, n_zero count cells below
        0 and at 0, whose code no other number has; least is the least number above 0, else 0
    levels : lo, hi, between which codes are even; or lo, hi, center, width: even in asinh((x - center) / width)
    several genes, a hue each: scale "categorical" without categories; colors, dark_colors : of the codes, which lie
        above each other in their order, on light and dark pages; corners : name, limits and code of what a legend lists
    is_stated : whether the store states lo and hi, which then are the limits of the colors wherever one looks
    unscaled : the layer that has the same genes before they were scaled, where X, which is read, is scaled; "" = none
    ordered : whether the order of the categories means something; they are then listed in it, never by size
    n_points : how many values will follow; the rest speaks of all n_obs cells
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
    # The page drops frames of a lower number than that of the newest coloring (decision 1).
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
    """New colors for the categories on show; no cell's code changes."""

    seq: int
    colors: list[str]


@dataclass(frozen=True)
class CodesOfPoints(OfPanel, kind="codes"):
    """Category codes of the points start..stop in display order; missing = maximum of the dtype."""

    arrays: ClassVar[Mapping[str, Array]] = {
        "codes": Array(("uint8", "uint16"), ("stop-start",), "index into categories")
    }
    seq: int
    start: int
    stop: int
    n_points: int


@dataclass(frozen=True)
class Recoded(OfPanel, kind="recoded"):
    """Category codes of all points that follow from those of an earlier coloring, `of`, all of which were sent.

    First each code becomes what the table says, then those of some points what `codes` says.
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "table": Array(("uint8", "uint16"), ("n_before + 1",), "by each code of before, last by the missing one"),
        "bits": Array(("uint8",), ("n_bytes",), "packed mask of the points that then have another code; empty = none"),
        "codes": Array(("uint8", "uint16"), ("n or 1 or 0",), "of each of these in turn, or one of all"),
    }
    seq: int
    of: int
    n_points: int


@dataclass(frozen=True)
class ValuesOfPoints(OfPanel, kind="values"):
    """Numbers of the points start..stop in display order, as codes by the levels of the coloring; 65535 = missing."""

    arrays: ClassVar[Mapping[str, Array]] = {"values": Array(("uint16",), ("stop-start",), "quantised values")}
    seq: int
    start: int
    stop: int
    n_points: int


@dataclass(frozen=True)
class Nonzeros(OfPanel, kind="nonzeros"):
    """A sparse gene: the points start..stop that differ from `fill`, in containers of 65,536 points.

    Container c of this message begins at point start + 65536 c and owns the next counts[c] entries; the point is
    begin + offset. All other points hold the code `fill`. Codes as in `values`.
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(("uint32",), ("n_containers",), "entries of each container"),
        # 4 bytes an entry: a gene of 5 % takes a tenth of its dense codes.
        "offsets": Array(("uint16",), ("n_entries",), "point within its container, ascending"),
        "values": Array(("uint16",), ("n_entries",), "quantised values"),
    }
    seq: int
    start: int
    stop: int
    n_points: int
    fill: int


@dataclass(frozen=True)
class AskFields(OfPanel, kind="fields", is_of_each=False):
    """Ask for the fields of the map of several genes that is on show. Answered by `field_counts`."""


@dataclass(frozen=True)
class AskGenes(Message, kind="genes"):
    """Read gene sets out of a text that was pasted, of an empty one those of the store. Answered by `gene_sets`.

    text : a GMT, or names apart by spaces, commas, semicolons or new lines
    name : of the set where the text does not name it; "" = a new one
    """

    text: str
    name: str = ""


@dataclass(frozen=True)
class FieldCounts(OfPanel, kind="field_counts"):
    """Cells by field of the map of two or three genes: by the part of its limits in which each gene lies.

    Fields are numbered with the parts of the first gene slowest, and so are the mixes, levels of each gene.

    seq : of the coloring; names : of the genes; limits : lowest and highest number of each, one after the other
    words : what the parts of each gene are called; levels : steps of each gene that have a color
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
    """Gene sets: name, n, how many genes they list, and genes; of those of the store the first of these.

    said : one sentence that names what was left out, "" where nothing was
    """

    sets: list[dict[str, Any]]
    said: str
