"""A progress bar with the remaining time, on stderr or in a notebook; the only importer of tqdm."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, float], None]
"""Called with a description and the finished share, 0 to 1."""


def silent(what: str, part: float) -> None:
    """Ignore progress."""


@contextmanager
def progress_bar(shown: bool | Progress | None, *, delay_s: float = 0.0) -> Iterator[Progress]:
    """Yield a function that takes progress.

    shown : True = a bar, False = nothing, None = a bar if stderr is a terminal; or the function to call instead
    delay_s : show a bar only for work that takes longer
    """
    if callable(shown):
        yield shown
        return
    if shown is False or (shown is None and not sys.stderr.isatty()):
        yield silent
        return
    from tqdm.auto import tqdm

    form = "{desc:<10} {percentage:3.0f}%|{bar}| {elapsed} < {remaining}"
    with tqdm(total=1.0, bar_format=form, leave=False, smoothing=0.1, delay=delay_s) as bar:

        def tell(what: str, part: float) -> None:
            is_due = bar.format_dict["elapsed"] >= delay_s
            bar.set_description_str(what, refresh=is_due and bar.desc != what)  # at its start, however short it is
            bar.update(max(0.0, part - bar.n))

        yield tell


def within(progress: Progress, what: str, begin: float, end: float) -> Callable[[float], None]:
    """Return a function that takes the progress of a step, 0 to 1, which is `begin` to `end` of the whole."""
    return lambda part: progress(what, begin + (end - begin) * part)
