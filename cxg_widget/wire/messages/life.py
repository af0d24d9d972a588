"""The life of a front-end: what was opened, its second module, work that lasts or fails, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, OfPanel, Work

EndsBy = Literal["", "aggregate", "color", "compare"]


@dataclass(frozen=True)
class Ready(Message, kind="ready"):
    """A front-end has started: send the dataset, then points, color and selection. Answered by those messages."""

    version: int


@dataclass(frozen=True)
class Begun(Message, kind="begun"):
    """The first points are being drawn: send the rest, which would have held them up. Not answered."""

    # Else the page takes in all points, 5 MB of a million, before it shows the first ones (decision 14).


@dataclass(frozen=True)
class Restore(Message, kind="restore"):
    """Bring back a kept state, or no longer offer any. Answered by `kept`, which then offers none.

    name : of the state, as `kept` lists it; "" = dismiss the offer
    """

    name: str


@dataclass(frozen=True)
class AskModule(Message, kind="module"):
    """Ask for the front-end's second module, which draws its panels. Answered by `module`.

    known : hashes of those that the page has already
    """

    known: list[str]


@dataclass(frozen=True)
class Cancel(OfPanel, kind="cancel"):
    """End work that lasts, as a newer request of its kind would. Not answered; the ended request fails as "Overtaken".

    What a setting brings is set back to what is on show; an index that is being built for a view is given up.
    """

    of: Work


@dataclass(frozen=True)
class DatasetInfo(Message, kind="dataset"):
    """The dataset that was opened.

    obs_noun, var_noun, set_noun : what one and what several of them are called; no set_noun = the store has no sets
    embeddings : name and number of axes of each; columns : name and kind of each obs column
    colormaps, notes : names on offer; one sentence for each thing that was skipped or is damaged
    """

    title: str
    n_obs: int
    n_var: int
    obs_noun: list[str]
    var_noun: list[str]
    set_noun: list[str]
    embeddings: list[dict[str, Any]]
    columns: list[dict[str, Any]]
    colormaps: list[str]
    notes: list[str]


@dataclass(frozen=True)
class Module(Message, kind="module"):
    """The second module of the front-end, which draws panels: its code deflated (zlib), empty where the page has it."""

    arrays: ClassVar[Mapping[str, Array]] = {"code": Array(("uint8",), ("n_bytes",), "the module")}
    # By the hash of its bytes several widgets of a page import the module once (decision 32).
    hash: str


@dataclass(frozen=True)
class Progress(Message, kind="progress"):
    """How far something is that has to be done once and lasts; `done` from 0 to 1, which also ends what was given up.

    of : the "index" of all cells, a "reading" that a store has to do as a whole, or the start of "datashader"
    ends_by : what to `cancel` so that it ends, or nobody waits for it any more; "" where that cannot be
    what : what is being done, as "Reading genes 12,000 of 20,000"; "" for an index, which the page words itself
    """

    of: Literal["index", "reading", "datashader"]
    done: float
    ends_by: EndsBy = ""
    what: str = ""


@dataclass(frozen=True)
class Kept(Message, kind="kept"):
    """Kept states of this dataset that can be brought back, sent once the first points are drawn; [] = no offer stands.

    states : the newest of this notebook first: name, at (seconds since 1970), notebook ("" = this one, or unknown),
        counts (of sets, labels, annotations, gene_sets, pins, filters, panels), unsaved (annotations that no file has)
    """

    states: list[dict[str, Any]]


@dataclass(frozen=True)
class CostOf(Message, kind="cost"):
    """What the last action read of the store, sent where it differs from the action before.

    of : the kind of the action; n_bytes : as they are stored; n_reads : in how many reads, 0 = it was all in memory
    is_ahead : whether storage was read ahead, so that requests were at most so many
    """

    of: str
    n_bytes: int
    n_reads: int
    # TileDB's statistics count reads, not the requests that bring several of them (decision 39).
    is_ahead: bool = False


@dataclass(frozen=True)
class Error(Message, kind="error"):
    """A request that failed, in one sentence; what was on show stays. `of` names the kind that failed.

    details : the same in full, with paths and what a library said of it; "" where the sentence says it all
    Type "Overtaken" is no failure: a newer request took its place, and nothing more will come.
    """

    of: str
    type: str
    message: str
    details: str = ""
