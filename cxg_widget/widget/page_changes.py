"""Changes that a page makes of traits, which wait in their order for what has to be read before they can be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

from cxg_widget.compute.jobs import Jobs, on_this_loop
from cxg_widget.datasets.base.traffic import Traffic


class PageChanges:
    """Changes that wait: judged in a thread one after the other, and then taken where the page was heard.

    Parameters
    ----------
    jobs : threads
    judge : reads what a change, {trait: value}, needs, and raises where it does not fit
    take : called with a change, less the traits that Python has set meanwhile, with what had been read before it was
        requested, and with what `judge` raised, or None
    """

    def __init__(
        self,
        jobs: Jobs,
        judge: Callable[[dict[str, Any]], object],
        take: Callable[[dict[str, Any], Traffic | None, BaseException | None], object],
    ) -> None:
        self._jobs, self._judge, self._take = jobs, judge, take
        self._n_set: Counter[str] = Counter()
        self._n_waiting = 0

    @property
    def are_waiting(self) -> bool:
        """Whether there are some, behind which the next has to wait too."""
        return self._n_waiting > 0

    def note_set(self, traits: Iterable[str]) -> None:
        """Take note that Python has set traits: what a page had made of them before counts no more."""
        self._n_set.update(traits)

    def queue(self, change: dict[str, Any], since: Traffic | None) -> None:
        """Let a change wait for its turn; since : what had been read before it was requested."""
        self._n_waiting += 1
        known, judged = {name: self._n_set[name] for name in change}, Future[None]()

        def finish() -> None:
            self._n_waiting -= 1
            kept = {name: value for name, value in change.items() if self._n_set[name] == known[name]}
            self._take(kept, since, judged.exception())

        finish_here = on_this_loop(finish)

        def job() -> None:
            try:
                self._judge(change)
            except Exception as error:  # whatever comes, the next is waiting
                judged.set_exception(error)
            else:
                judged.set_result(None)
            finish_here()

        self._jobs.queue("page", job)
