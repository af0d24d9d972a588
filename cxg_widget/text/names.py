"""Shortens values for sentences, and finds the valid names nearest to one that was not found."""
# Changes with js/src/words/missing.js: cells without a value, in words.

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from reprlib import Repr
from typing import Any

BROKEN = re.compile("[\0\ud800-\udfff]")
"""What no file and no message can hold: NUL and half characters."""
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
"""Name of a category without letters."""
MISSING_LABEL = "(missing)"
"""Name of the cells without a category, in the legend and in the trait `hidden`."""
IN_NO_SET_LABEL, NOT_IN_SET_LABEL = "in no set", "not in the set"
"""What cells are called that have no color where sets color them: all of them, or one."""
_QUOTED = f'"{MISSING_LABEL}"'


def missing_label(color: str) -> str:
    """Return the label of cells without a category, by the spec of the coloring, "obs:NAME" or "sets:"."""
    source, _, name = color.partition(":")
    return MISSING_LABEL if source != "sets" else NOT_IN_SET_LABEL if name else IN_NO_SET_LABEL


def describe_layer(layer: str | None) -> str:
    """Return the name of a layer for sentences; None = X."""
    return "X" if layer is None else f"layer {layer!r}"


class _Short(Repr):
    """`repr` of anything, however long or deep it is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = _LONGEST_VALUE
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 8
        self.maxlevel = 3

    def repr_int(self, x: int, level: int) -> str:
        """Return the digits, where they are not more than Python writes out."""
        return f"<a whole number of {x.bit_length():,} bits>" if x.bit_length() > 4096 else super().repr_int(x, level)


_SHORT = _Short()


def shown(value: Any) -> str:
    """Return the `repr` of what was given, some 200 characters of it; also of what is huge, deep or cannot say itself.

    >>> shown([1, "a"])
    "[1, 'a']"
    """
    return shortened(" ".join(_SHORT.repr(value).split("\n")), _LONGEST_VALUE * 2)  # arrays run over lines


def text_of(value: Any) -> str:
    """Return `str` of a label; one that is a whole number of more digits than Python writes out is described."""
    try:
        return str(value)
    except ValueError:
        return shown(value)


def label_of(category: Any) -> str:
    """Write a category value as text, as pandas would show it; one called as missing values are, in quotes."""
    if isinstance(category, float) and category.is_integer():
        return str(int(category))
    return _QUOTED if category == MISSING_LABEL else text_of(category)


def labels_meant(value: Any) -> tuple[str, ...]:
    """Return the labels that a value may mean, the best first: of 1.0 "1.0" before "1"."""
    return (str(value), label_of(value)) if isinstance(value, float) else (label_of(value),)


def label_among(value: Any, labels: Container[str]) -> str:
    """Return the label that a value means, or its text where none fits."""
    meant = labels_meant(value)
    return meant[0] if meant[0] in labels else meant[-1]


def as_label(text: str) -> str:
    """Return a text of a column by what `label_of` made of it."""
    return MISSING_LABEL if text == _QUOTED else text


def in_a_line(label: str) -> str:
    """Return a label as it stands among others: its lines as one, and its end cut where it is long."""
    line = " ".join(label.split())
    return line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1]}…"


def shortened(sentence: str, longest: int = _LONGEST) -> str:
    """Return a sentence without its middle, where that is so long that nobody would read it."""
    if len(sentence) <= longest:
        return sentence
    head, tail = (_HEAD, _TAIL) if longest == _LONGEST else (longest // 2, longest // 4)
    return f"{sentence[:head]} [... {len(sentence) - head - tail:,} characters ...] {sentence[-tail:]}"


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` of `names` most like `name`, best first, and none much less like it than the best.

    Case is ignored; a name that has `name` as the beginning of a word is like it, however long it is. Of names equally
    like it, those come first that begin as it does, as genes of a family do, then those listed first, as obs columns
    are before genes. Among more than 4,000 names only the first 500 and those that share the first two letters are
    compared, so that a misspelt gene is answered in milliseconds; no name of more than 500 letters is like another.
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
    """Return the similarity of two names, 0 to 1; 0 where it is too low to matter."""
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
    """Return the one of `names` that `name` differs from by a letter or two; None if there is none."""
    return next(iter(get_close_matches(name.casefold(), list(names), n=1, cutoff=0.8)), None)


def not_found(
    kind: str, name: object, names: Iterable[str], where: str = "this dataset", *, count: int | None = None
) -> str:
    """Return the sentence for an unknown name, with the known names and the nearest ones.

    count : how many things there are, where some of them have several names; None = as many as names

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
    """Return the sentence for one thing that is not there, and then the names of all others that are not."""
    first, *others = names
    return f"{first} Not there either: {', '.join(others)}." if others else first
