"""Gene sets, and the map of two or three genes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from cxg_widget.wire.messages.message import Array, Message, OfPanel


@dataclass(frozen=True)
class AskFields(OfPanel, kind="fields"):
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

    seq : of the colouring; names : of the genes; limits : lowest and highest number of each, one after the other
    words : what the parts of each gene are called; levels : steps of each gene that have a colour
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
