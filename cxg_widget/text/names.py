"""Shortens values for sentences, and finds the nearest valid names."""
# Changes with js/src/words/missing.js: cells without a value, in words.

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from reprlib import Repr
from typing import Any

BROKEN = re.compile("[\0\ud800-\udfff]")
"""Characters that no file and no message can contain: NUL and lone surrogates."""
_MANY = 4_000
_FIRST = 500
_ALIKE, _SHORT_OF_BEST = 0.5, 0.15
_BEGINS = 0.8
_LEAST_LETTERS = 2
_LONGEST, _HEAD, _TAIL = 900, 300, 200
_LONGEST_VALUE = 200
_LONGEST_NAME = 500
LONGEST_LABEL = 60
EMPTY_LABEL = "(empty)"
"""Label of a category that is empty text."""
MISSING_LABEL = "(missing)"
"""Label of cells without a category, in the legend and in the trait `hidden`."""
IN_NO_SET_LABEL, NOT_IN_SET_LABEL = "in no set", "not in the set"
"""Labels of uncolored cells if sets color the plot: all sets, or one."""
_QUOTED = f'"{MISSING_LABEL}"'


def missing_label(color: str) -> str:
    """Return the label of cells without a category, by the spec of the coloring, "obs:NAME" or "sets:"."""
    source, _, name = color.partition(":")
    return MISSING_LABEL if source != "sets" else NOT_IN_SET_LABEL if name else IN_NO_SET_LABEL


def without_prefix(name: Any, columns: Container[str]) -> Any:
    """Return the name of an obs column that may be given as a coloring, "obs:NAME"."""
    return name.removeprefix("obs:") if isinstance(name, str) and name not in columns else name


def describe_layer(layer: str | None) -> str:
    """Return the name of a layer for sentences; None = X."""
    return "X" if layer is None else f"layer {layer!r}"


class _Short(Repr):
    """A `repr` with limits of length and depth."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = _LONGEST_VALUE
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 8
        self.maxlevel = 3

    def repr_int(self, x: int, level: int) -> str:
        """Return the digits, unless there are more than Python converts."""
        return f"<a whole number of {x.bit_length():,} bits>" if x.bit_length() > 4096 else super().repr_int(x, level)


_SHORT = _Short()


def shown(value: Any) -> str:
    """Return the `repr` of a value, about 200 characters of it; also for values that are huge, deep or have no `repr`.

    >>> shown([1, "a"])
    "[1, 'a']"
    """
    return shortened(" ".join(_SHORT.repr(value).split("\n")), _LONGEST_VALUE * 2)  # arrays have several lines


def text_of(value: Any) -> str:
    """Return `str` of a label; an integer with more digits than Python converts is described."""
    try:
        return str(value)
    except ValueError:
        return shown(value)


def label_of(category: Any) -> str:
    """Return a category value as text, as pandas shows it; one that looks like a missing value is quoted."""
    if isinstance(category, float) and category.is_integer():
        return str(int(category))
    return _QUOTED if category == MISSING_LABEL else text_of(category)


def shown_label(category: Any) -> str:
    """Return a category value as text that is never empty, "(empty)" for empty text."""
    return label_of(category) or EMPTY_LABEL


def labels_meant(value: Any) -> tuple[str, ...]:
    """Return the possible labels of a value, best first: for 1.0 "1.0" before "1"."""
    return (str(value), label_of(value)) if isinstance(value, float) else (label_of(value),)


def label_among(value: Any, labels: Container[str]) -> str:
    """Return the label of a value, or its text if none fits."""
    meant = labels_meant(value)
    return meant[0] if meant[0] in labels else meant[-1]


def as_label(text: str) -> str:
    """Return a text of a column as its label by `label_of`."""
    return MISSING_LABEL if text == _QUOTED else text


def in_a_line(label: str) -> str:
    """Return a label in one line, shortened."""
    line = " ".join(label.split())
    return line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1]}…"


def shortened(sentence: str, longest: int = _LONGEST) -> str:
    """Return a long sentence without its middle."""
    if len(sentence) <= longest:
        return sentence
    head, tail = (_HEAD, _TAIL) if longest == _LONGEST else (longest // 2, longest // 4)
    return f"{sentence[:head]} [... {len(sentence) - head - tail:,} characters ...] {sentence[-tail:]}"


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` of `names` most similar to `name`, best first.

    Case is ignored. A name in which a word starts with `name` is similar, whatever its length. Equally similar names
    are ordered by a common start, as in gene families, then as listed, with obs columns before genes. Among more than
    4,000 names, only the first 500 and those that share the first two letters are compared, so that a misspelled gene
    is answered in milliseconds. Names of more than 500 letters are not compared.
    """
    if len(name) > _LONGEST_NAME:
        return []
    wanted = name.casefold()
    folded: dict[str, str] = {}
    for candidate in names:
        folded.setdefault(candidate.casefold(), candidate)
    keys = list(folded)
    if len(keys) > _MANY:
        alike = (key for key in keys[_FIRST:] if key[:2] == wanted[:2])
        keys = [*keys[:_FIRST], *alike][:_MANY]
    matcher = SequenceMatcher(None, "", wanted)
    likeness = {key: _likeness(key, wanted, matcher) for key in keys}
    least = max(_ALIKE, max(likeness.values(), default=0) - _SHORT_OF_BEST)
    close = [key for key in keys if likeness[key] >= least]
    close.sort(key=lambda key: (likeness[key], _shared_start(key, wanted)), reverse=True)
    return [folded[key] for key in close[:count]]


def _likeness(key: str, wanted: str, matcher: SequenceMatcher[str]) -> float:
    """Return the similarity of two names, 0 to 1; 0 if it is too low to matter."""
    matcher.set_seq1(key)
    is_near = matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE
    ratio = matcher.ratio() if is_near else 0.0
    at = key.find(wanted) if len(wanted) >= _LEAST_LETTERS else -1
    if at == 0 or (at > 0 and not key[at - 1].isalnum()):
        return max(ratio, _BEGINS)
    return ratio if ratio >= _ALIKE else 0.0


def _shared_start(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def misspelt(name: str, names: Iterable[str]) -> str | None:
    """Return the name that differs from `name` by a letter or two; None if there is none."""
    return next(iter(get_close_matches(name.casefold(), list(names), n=1, cutoff=0.8)), None)


def not_found(
    kind: str, name: object, names: Iterable[str], where: str = "this dataset", *, count: int | None = None
) -> str:
    """Return the sentence for an unknown name, with known and nearest names.

    count : number of things, if some have several names; None = number of names

    >>> not_found("obs column", "cell_typ", ["batch", "cell_type"])
    "no obs column 'cell_typ'; this dataset has 'batch', 'cell_type'. Did you mean 'cell_type'?"
    """
    known = list(names)
    listed = ", ".join(map(shown, known[:6])) or "none"
    total = len(known) if count is None else count
    more = f" ({total:,} in all)" if total > 6 else ""
    close = nearest(name if isinstance(name, str) else shown(name), known)
    hint = f" Did you mean {' or '.join(map(shown, close))}?" if close else ""
    return f"no {kind} {shown(name)}; {where} has {listed}{more}.{hint}"


def join_missing(names: Sequence[str]) -> str:
    """Return the sentence for the first missing thing, followed by the names of the others."""
    first, *others = names
    return f"{first} Not there either: {', '.join(others)}." if others else first
