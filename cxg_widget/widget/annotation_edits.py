"""Actions of the Annotations panel, through the methods of `w.annotations`."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cxg_widget.errors import MergeConflict
from cxg_widget.text.names import shown
from cxg_widget.wire.protocol import Annotated

if TYPE_CHECKING:
    from cxg_widget.widget.annotations import Annotation
    from cxg_widget.widget.widget import CxgWidget
    from cxg_widget.wire.protocol import EditAnnotation


def edited(widget: CxgWidget, message: EditAnnotation) -> Annotated:
    """Apply an action of the Annotations panel; raises as the method it calls."""
    annotations, label, to = widget.annotations, message.label, message.to
    if message.op == "new":
        annotations.new(message.name, of=to or None)
        return Annotated()
    if message.op == "drop":
        del annotations[message.name]
        return Annotated()
    one = annotations[message.name]
    if message.op == "assign":
        one.assign(label or None)
    elif message.op == "rename":
        one.rename(label, to)
    elif message.op == "merge":
        one.merge([label], to)
    elif message.op == "delete":
        one.delete(label)
    elif message.op == "select":
        widget.select({message.name: [label or None]}, message.mode, within="filter")
    else:
        return _save(one, message, widget)
    return Annotated()


def _save(one: Annotation, message: EditAnnotation, widget: CxgWidget) -> Annotated:
    place: dict[str, Any] = {"path": message.to}
    if not message.to or Path(message.to).suffix == ".h5ad":
        place = {"into": message.to or "obs"}
    try:
        one.save(**place, on_conflict=message.on_conflict)
    except MergeConflict as conflict:
        return Annotated(conflict=[conflict.n_ours, conflict.n_theirs, conflict.n_differing])
    where = shown(str(Path(message.to).absolute())) if message.to else "obs of the AnnData"
    return Annotated(f"Saved the labels of {widget.dataset.obs_noun.counted(len(one))} to {where}.")
