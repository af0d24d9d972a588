"""Suggest the valid names nearest to one that was not found."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

_MANY = 4_000
_TIES = 100


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` of `names` most like `name`, best first.

    Case is ignored. Of names equally like it, those come first that begin as it does, as genes of a family do. Among
    more than 4,000 names only those that share the first two letters are compared, so that a misspelt gene is answered
    in milliseconds.
    """
    wanted = name.casefold()
    folded: dict[str, str] = {}
    for candidate in names:
        folded.setdefault(candidate.casefold(), candidate)
    keys = list(folded)
    if len(keys) > _MANY:
        keys = list(islice((key for key in keys if key[:2] == wanted[:2]), _MANY))
    close = get_close_matches(wanted, keys, n=max(count, _TIES), cutoff=0.5)
    close.sort(key=lambda key: (SequenceMatcher(None, key, wanted).ratio(), _shared_start(key, wanted)), reverse=True)
    return [folded[key] for key in close[:count]]


def _shared_start(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def misspelt(name: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` that `name` differs from by a letter or two; None if there is none."""
    return next(iter(get_close_matches(name.casefold(), list(names), n=1, cutoff=0.8)), None)


def not_found(
    kind: str, name: object, names: Iterable[str], where: str = "this dataset", *, count: int | None = None
) -> str:
    """Write the sentence for an unknown name: what was asked, what there is, what may have been meant.

    Parameters
    ----------
    count : how many things there are, where some of them have several names; None = as many as names

    >>> not_found("obs column", "cell_typ", ["batch", "cell_type"])
    "no obs column 'cell_typ'; this dataset has 'batch', 'cell_type'. Did you mean 'cell_type'?"
    """
    known = list(names)
    shown = ", ".join(repr(known_name) for known_name in known[:6]) or "none"
    total = len(known) if count is None else count
    more = f" ({total:,} in all)" if total > 6 else ""
    close = nearest(str(name), known)
    hint = f" Did you mean {' or '.join(repr(one) for one in close)}?" if close else ""
    return f"no {kind} {name!r}; {where} has {shown}{more}.{hint}"
