"""Messages about the life of a front-end: dataset, second module, progress, errors and costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, OfPanel, Work

EndsBy = Literal["", "aggregate", "color", "compare", "sketch", "study"]


@dataclass(frozen=True)
class Ready(Message, kind="ready"):
    """A front-end has started: asks for the dataset, then points, color and selection. Answered by those messages."""

    version: int


@dataclass(frozen=True)
class Begun(Message, kind="begun"):
    """The first points are being drawn: asks for the rest, which would have delayed them. Not answered."""

    # Otherwise the page reads all points, 5 MB for a million, before it shows the first ones (decision 14).


@dataclass(frozen=True)
class Restore(Message, kind="restore"):
    """Restore a saved state, or dismiss the offer. Answered by `kept` without states.

    name : of the state, as `kept` lists it; "" = dismiss the offer
    """

    name: str


@dataclass(frozen=True)
class AskModule(Message, kind="module"):
    """Ask for the front-end's second module, which draws its panels. Answered by `module`.

    known : hashes of the modules that the page already has
    """

    known: list[str]


@dataclass(frozen=True)
class Cancel(OfPanel, kind="cancel"):
    """Cancel long work, as a newer request of its kind would. Not answered; the cancelled request fails as "Overtaken".

    A setting is set back to what is shown; an index that is being built for a view is dropped.
    """

    of: Work


@dataclass(frozen=True)
class DatasetInfo(Message, kind="dataset"):
    """The dataset that was opened.

    obs_noun, var_noun, set_noun : singular and plural nouns for them; no set_noun = the store has no sets
    embeddings : name and number of axes of each; columns : name and kind of each obs column
    colormaps, notes : available names; one sentence for each thing that was skipped or is damaged
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
    """The second module of the front-end, which draws panels: deflated code (zlib), empty if the page has it."""

    arrays: ClassVar[Mapping[str, Array]] = {"code": Array(("uint8",), ("n_bytes",), "the module")}
    # Widgets of one page import the module once, by its hash (decision 32).
    hash: str


@dataclass(frozen=True)
class Progress(Message, kind="progress"):
    """Progress of long one-time work; `done` from 0 to 1, which also ends cancelled work.

    of : the "index" of all cells, a "reading" of data as a whole, or the start of "datashader"
    ends_by : what to `cancel` to end it; "" if it cannot be cancelled
    what : description, such as "Reading genes 12,000 of 20,000"; "" for an index, which the page describes itself
    """

    of: Literal["index", "reading", "datashader"]
    done: float
    ends_by: EndsBy = ""
    what: str = ""


@dataclass(frozen=True)
class Kept(Message, kind="kept"):
    """Saved states of this dataset that can be restored, sent after the first points are drawn; [] = no offer.

    states : newest of this notebook first: name, at (seconds since 1970), notebook ("" = this one, or unknown),
        counts (of sets, labels, annotations, gene_sets, pins, filters, panels), unsaved (annotations that no file has)
    """

    states: list[dict[str, Any]]


@dataclass(frozen=True)
class CostOf(Message, kind="cost"):
    """What the last action read from the store, sent if it differs from that of the action before.

    of : kind of the action; n_bytes : as stored; n_reads : number of reads, 0 = all was in memory
    is_ahead : whether storage was prefetched, so that n_reads is an upper limit
    """

    of: str
    n_bytes: int
    n_reads: int
    # TileDB's statistics count reads, not the requests that combine several of them (decision 39).
    is_ahead: bool = False


@dataclass(frozen=True)
class Error(Message, kind="error"):
    """A request that failed, in one sentence; the plot stays as it was. `of` names the kind that failed.

    details : the full text, with paths and the message of a library; "" if the sentence is complete
    Type "Overtaken" is no failure: a newer request replaced it, and nothing more will come.
    """

    of: str
    type: str
    message: str
    details: str = ""
