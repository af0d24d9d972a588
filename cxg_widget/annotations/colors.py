"""Colors of labels, which stay when other labels are added, deleted or renamed."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cxg_widget.annotations.log import Log
from cxg_widget.color.palettes import IN_TURN, default_palette


def label_colors(log: Log, stored: Callable[[str], tuple[Sequence[str], Mapping[str, str]]]) -> dict[str, str]:
    """Return the "#rrggbb" of each label after the steps of a log; a new label gets the first unused color.

    stored : returns the labels and stated colors of an obs column of the store
    """
    colors: dict[str, str] = {}
    for step in log:
        if "of" in step:
            labels, known = stored(step["of"])
            colors = {**_by_default(labels), **{label: known[label] for label in labels if label in known}}
        elif "codes" in step:
            colors = _by_default(step["categories"])
        elif "assign" in step:
            if step["assign"] is not None and step["assign"] not in colors:
                colors[step["assign"]] = _next(colors)
        elif "delete" in step:
            colors.pop(step["delete"], None)
        else:
            old, new = (step["merge"], step["into"]) if "merge" in step else ([step["rename"]], step["to"])
            first = new if new in colors else next((one for one in colors if one in old), new)
            kept = {label: color for label, color in colors.items() if label == first or label not in old}
            colors = {new if label == first else label: color for label, color in kept.items()}
    return colors


def _by_default(labels: Sequence[str]) -> dict[str, str]:
    return dict(zip(labels, default_palette(len(labels)), strict=True))


def _next(colors: Mapping[str, str]) -> str:
    taken = set(colors.values())
    return next((one for one in IN_TURN if one not in taken), IN_TURN[len(colors) % len(IN_TURN)])
