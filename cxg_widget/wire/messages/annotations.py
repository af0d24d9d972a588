"""Messages about annotations: labels made by the user."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, Mode


@dataclass(frozen=True)
class AskAnnotations(Message, kind="annotations"):
    """Ask for the annotations, and for labels of one. Answered by `annotations`.

    name : annotation whose labels to list; "" or an unknown one = the first
    query : text that listed labels contain, ignoring case; filters : as in `columns`
    """

    name: str = ""
    query: str = ""
    filters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class EditAnnotation(Message, kind="annotation"):
    """Edit an annotation. Answered by `annotated`; other effects are sent as those of any change.

    op : "new" makes it, with the labels of the obs column `to` unless that is ""; "drop" deletes it; "assign" labels
        the selected cells, "" = removes their labels; "rename" renames a label to `to`, "merge" merges it into `to`,
        "delete" deletes it; "select" selects its cells that pass the filters, "" = those without a label; "save" writes
        the file `to`, "" = into obs of the AnnData object
    on_conflict : what "save" does with other labels of the same name
    """

    op: Literal["new", "drop", "assign", "rename", "merge", "delete", "select", "save"]
    name: str
    label: str = ""
    to: str = ""
    mode: Mode = "replace"
    on_conflict: Literal["error", "ours", "theirs"] = "error"


@dataclass(frozen=True)
class AnnotationLabels(Message, kind="annotations"):
    """The annotations, and labels of the one called `name` ("" = there is none).

    annotations : name, n_labels and is_saved (whether a file has all its labels) of each
    labels, colors : those that contain the query, in their order, the first of n_found
    n_left_out : number of selected cells that do not pass the filters
    has_obs : whether labels can be written into obs of an AnnData object
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "counts": Array(
            ("uint32",),
            ("n", 3),
            "cells of each label, those that pass all filters except that of the annotation, those selected; last, "
            "cells without a label",
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

    sentence : one sentence about effects that the page does not show, such as the saved file
    conflict : if the target has other labels and `on_conflict` did not decide: number of labeled cells here, number
        there, and how many differ; nothing was written
    """

    sentence: str = ""
    conflict: list[int] = field(default_factory=list)
