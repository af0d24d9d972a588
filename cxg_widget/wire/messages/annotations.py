"""Labels that a user makes."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, Mode


@dataclass(frozen=True)
class AskAnnotations(Message, kind="annotations"):
    """Ask for the annotations, and for labels of one. Answered by `annotations`.

    name : of the one whose labels to list; "" or an unknown one = the first
    query : what those labels contain, in any case of letters; filters : as in `columns`
    """

    name: str = ""
    query: str = ""
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class EditAnnotation(Message, kind="annotation"):
    """Do something with an annotation. Answered by `annotated`; what else it changes is sent as any change is.

    op : "new" makes it, with the labels of the obs column `to` where that is not ""; "drop" forgets it; "assign" gives
        the selected cells a label, "" = takes theirs away; "rename" calls a label `to`, "merge" makes it one with
        `to`, "delete" takes it from all cells; "select" selects its cells that pass the filters, "" = those without
        one; "save" writes into the file `to`, "" = into obs of the AnnData on show
    on_conflict : what "save" does where there are other labels
    """

    op: Literal["new", "drop", "assign", "rename", "merge", "delete", "select", "save"]
    name: str
    label: str = ""
    to: str = ""
    mode: Mode = "replace"
    on_conflict: Literal["error", "ours", "theirs"] = "error"


@dataclass(frozen=True)
class AnnotationLabels(Message, kind="annotations"):
    """The annotations, and labels of the one that is called `name` ("" = there is none).

    annotations : name, n_labels and is_saved (whether a file has all its labels) of each
    labels, colors : those that contain the query, in their order, the first of n_found
    n_left_out : selected cells that do not pass the filters
    has_obs : whether labels can be put into obs of the AnnData on show
    """

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
class Annotated(Message, kind="annotated"):
    """Result of an edit of an annotation.

    said : one sentence where the page does not show what was done, as what was saved
    conflict : where there are other labels, and nobody said which count: how many cells have one here, how many there,
        and how many differ; nothing was written
    """

    said: str = ""
    conflict: list[int] = field(default_factory=list)
