"""What reactions know about the dataset; they read nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.display.color_target import Target
from cxg_widget.display.settings import Settings

if TYPE_CHECKING:
    from cxg_widget.change.reactions import OwnLimits


@dataclass
class Unread(Exception):
    """The categories of a coloring must be read before the change can be computed."""

    settings: Settings


class Known(Protocol):
    """Knowledge about a dataset and what is shown of it."""

    @property
    def dataset(self) -> Dataset:
        """The dataset, for its names; it has the annotations before and after the change."""

    @property
    def limits(self) -> OwnLimits:
        """Color limits of all colorings shown so far."""

    def annotations(self, settings: Settings) -> Mapping[str, Codes]:
        """Return the labels of each annotation."""

    def target(self, settings: Settings) -> Target:
        """Return the target of the color; raises `CxgWidgetError` if there is none."""

    def legend_column(self, settings: Settings) -> str | None:
        """Return the obs column whose categories the legend lists; None if it lists none."""

    def labels(self, settings: Settings) -> Sequence[str]:
        """Return the categories of the coloring; raises `Unread`."""

    def fits(self, settings: Settings) -> bool:
        """Check that limits, center and scale fit together, with percentiles if the numbers were read."""

    def render_mode(self, settings: Settings) -> object:
        """Return how cells are rendered; a change of it sends everything again."""

    def are_other_codes(self, before: Settings, now: Settings) -> bool:
        """Return whether the codes of the coloring differ."""

    def filters_except_legend(self, settings: Settings) -> tuple[object, ...]:
        """Return the filters except that of the legend's column."""
