"""One conversion: from where, to where, how, and what it could not carry."""

from __future__ import annotations

from dataclasses import dataclass, field

from cxg_widget.convert.progress import Progress
from cxg_widget.convert.target import Workplace
from cxg_widget.datasets.base import Dataset


@dataclass(frozen=True)
class Job:
    """What a writer is given.

    Attributes
    ----------
    dataset, layer : what to carry; layer None = the main matrix
    place : where to write
    best, explorer_diffexp : as in `convert`
    progress : to be told what is being done
    left_out : the writer adds what it could not carry, or not as it was; a sentence each
    """

    dataset: Dataset
    place: Workplace
    layer: str | None
    best: bool
    explorer_diffexp: bool
    progress: Progress
    left_out: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The dataset's title; where that is the name of its file, without the suffix."""
        title = self.dataset.title
        for suffix in (".zarr.zip", ".zarr", ".cxg", ".h5ad"):
            title = title.removesuffix(suffix)
        return title or self.dataset.title
