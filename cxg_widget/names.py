"""Suggest the valid names nearest to one that was not found."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MANY = 4_000


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` of `names` most like `name`, best first.

    Case is ignored. Among more than 4,000 names only those that share the first two letters are compared, so that
    a misspelt gene is answered in milliseconds.
    """
    wanted = name.casefold()
    folded: dict[str, str] = {}
    for candidate in names:
        folded.setdefault(candidate.casefold(), candidate)
    keys = list(folded)
    if len(keys) > _MANY:
        keys = list(islice((key for key in keys if key[:2] == wanted[:2]), _MANY))
    return [folded[key] for key in get_close_matches(wanted, keys, n=count, cutoff=0.5)]


def not_found(kind: str, name: object, names: Iterable[str], where: str = "this dataset") -> str:
    """Write the sentence for an unknown name: what was asked, what there is, what may have been meant.

    >>> not_found("obs column", "cell_typ", ["batch", "cell_type"])
    "no obs column 'cell_typ'; this dataset has 'batch', 'cell_type'. Did you mean 'cell_type'?"
    """
    known = list(names)
    shown = ", ".join(repr(known_name) for known_name in known[:6]) or "none"
    more = f" ({len(known):,} in all)" if len(known) > 6 else ""
    close = nearest(str(name), known)
    hint = f" Did you mean {' or '.join(repr(one) for one in close)}?" if close else ""
    return f"no {kind} {name!r}; {where} has {shown}{more}.{hint}"
