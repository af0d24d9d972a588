"""Labels of cells as codes, and the effect of each step of an annotation; without side effects."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import smallest_codes
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import BROKEN, label_of, not_found, shown
from cxg_widget.wire.protocol import MISSING_LABEL

MOST_LABELS = 32_767
"""Most labels of one annotation, the limit of two bytes a cell."""
_LONGEST = 200
_NO_LABELS = ("nan", MISSING_LABEL)
"""Names of cells without a label, in files and on the screen."""


def check_label(label: Any) -> str:
    """Return a label; raises `InvalidValue` if it is invalid."""
    is_text = isinstance(label, str) and bool(label.strip()) and len(label) <= _LONGEST and not BROKEN.search(label)
    if not is_text or label in _NO_LABELS:
        raise InvalidValue(
            f"a label is a text of at most {_LONGEST} letters, but not 'nan' or {MISSING_LABEL!r}, which mark "
            f"cells without a label; found {shown(label)}"
        )
    return str(label)


def nothing(n_obs: int) -> Codes:
    """Return labels without any label."""
    return Codes(np.full(n_obs, -1, dtype=np.int8), ())


def as_labels(codes: Codes) -> Codes:
    """Return a column of codes as labels, which are texts."""
    texts = [label_of(one) for one in codes.categories]
    kept = list(dict.fromkeys(one for one in texts if one.strip() and one not in _NO_LABELS))
    _check_number(kept)
    place = {label: code for code, label in enumerate(kept)}
    target = smallest_codes(np.array([*(place.get(one, -1) for one in texts), -1], dtype=np.int64), len(kept))
    return Codes(target[codes.codes], tuple(kept), codes.ordered)


def assigned(codes: Codes, mask: NDArray[np.bool_], label: str | None) -> Codes:
    """Label the cells of a mask, bool (n_obs,); a new label comes last; None removes their labels."""
    categories = codes.categories
    if label is not None and label not in categories:
        categories = (*categories, label)
        _check_number(categories)
    code = -1 if label is None else categories.index(label)
    found = smallest_codes(codes.codes, len(categories)).copy()
    found[mask] = code
    return Codes(found, categories, codes.ordered)


def merged(codes: Codes, labels: Sequence[str], into: str) -> Codes:
    """Merge several labels into one, which keeps its place, or takes that of the first of them."""
    joined, known = set(labels), set(codes.categories)
    for label in labels:
        if label not in known:
            check_known(codes, label)
    first = into if into in known else next((one for one in codes.categories if one in joined), into)
    gone = joined - {first}
    kept = [label for label in codes.categories if label not in gone]
    place = {label: code for code, label in enumerate(kept)}
    target = [place[first] if label in joined else place[label] for label in codes.categories]
    return _moved(codes, target, tuple(into if label == first else label for label in kept))


def deleted(codes: Codes, label: str) -> Codes:
    """Delete a label; raises `UnknownName` if there is none."""
    check_known(codes, label)
    kept = tuple(one for one in codes.categories if one != label)
    place = {one: code for code, one in enumerate(kept)}
    return _moved(codes, [place.get(one, -1) for one in codes.categories], kept)


def check_known(codes: Codes, label: str) -> None:
    """Raise `UnknownName` if an annotation has no such label."""
    if label not in codes.categories:
        raise UnknownName(not_found("label", label, codes.categories, "this annotation"))


def _moved(codes: Codes, target: Sequence[int], categories: tuple[str, ...]) -> Codes:
    moved = smallest_codes(np.array([*target, -1], dtype=np.int64), len(categories))
    return Codes(moved[codes.codes], categories, codes.ordered)


def _check_number(labels: Sequence[str]) -> None:
    if len(labels) > MOST_LABELS:
        raise InvalidValue(f"an annotation has at most {MOST_LABELS:,} labels; found {len(labels):,}")
