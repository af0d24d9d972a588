"""Description of a saved page: its cells and colors, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.session.pictures.html_recording import Recording
from cxg_widget.text.names import in_a_line

_NAMED = 12


@dataclass
class LeftOut:
    """Names of colors without room, and of unreadable ones."""

    no_room: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


class PageSummary:
    """Sentences about a file.

    summary : its cells, in a line
    lacks : one sentence for each missing thing
    sentences : all sentences, including `lacks`
    refusal : shown when something is requested that it lacks
    """

    def __init__(self, dataset: Dataset, recording: Recording, colors: Sequence[str], out: LeftOut) -> None:
        n, noun = recording.n, dataset.obs_noun
        of_all = f"{n:,} of {noun.counted(dataset.n_obs)}"
        self.summary = of_all if recording.is_part else f"{'all ' if n > 1 else ''}{noun.counted(n)}"
        is_sample, passing = n < recording.n_cells, "that pass the filters" if recording.leaves_out else ""
        self.lacks: list[str] = []
        if is_sample:
            pool = " ".join(filter(None, [noun.counted(recording.n_cells), passing]))
            self.lacks.append(f"The {noun.many} are a random sample of {n:,} of {pool}.")
        if out.no_room:
            self.lacks.append(f"Colors left out to limit the file size: {listed(out.no_room)}.")
        if out.unread:
            self.lacks.append(f"Colors left out because they could not be read: {listed(out.unread)}.")
        only = [] if is_sample or not passing else [f"The {noun.many} are those {passing}: {of_all}."]
        holds = f"Colors: {listed(colors)}." if colors else "No colors."
        others = f"Not in this file: other {dataset.var_noun.many} and columns, the table, sets and annotations."
        exact = "Coordinates and values are exact to 1/65,534 of their range."
        self.sentences = (*only, *self.lacks, holds, others, exact)
        held = listed(colors, most=3) if colors else f"{noun.many} without colors"
        self.refusal = f"This file contains {held}. Open the dataset for anything else."


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """Return at most so many names as a list, one or more.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a', 'a, b and c', 'a, b and 1 more')
    """
    described = [in_a_line(one) for one in names[:most]]
    if len(names) > most:
        return f"{', '.join(described)} and {len(names) - most:,} more"
    return " and ".join(filter(None, [", ".join(described[:-1]), described[-1]]))
