"""What a store says of itself: texts in uns, and the bytes that its arrays take."""

from __future__ import annotations

from cxg_widget.datasets.anndata.node import Array, Group, Node
from cxg_widget.errors import DamagedStore, InvalidStore

_MOST_NODES = 10_000
_DEEPEST = 16


def text_of(node: Node | None) -> str | None:
    """Return a single text; None where it is none or cannot be read."""
    if not isinstance(node, Array) or not node.is_text or node.size != 1:
        return None
    try:
        found = node.read().reshape(-1)[0]
    except (InvalidStore, DamagedStore):
        return None
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    return str(text) if isinstance(text, str) and text else None


def sizes_below(group: Group) -> dict[str, int]:
    """Return the bytes on disk of each array below a group, by its path; of very many, the first."""
    found: dict[str, int] = {}
    seen = 0
    waiting: list[tuple[str, Group, int]] = [("", group, 0)]
    while waiting and seen < _MOST_NODES:
        path, parent, depth = waiting.pop()
        for name in parent.names():
            seen += 1
            try:
                node, below = parent.get(name), f"{path}/{name}" if path else name
                if isinstance(node, Array):
                    found[below] = node.stored_bytes()
                elif isinstance(node, Group) and depth < _DEEPEST:
                    waiting.append((below, node, depth + 1))
            except (InvalidStore, DamagedStore):
                continue
    return dict(sorted(found.items()))
