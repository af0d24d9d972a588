"""What the reactions to a change know of the dataset; none of it is read for them."""

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
    """The categories that color the cells under some settings have to be read before the change is known."""

    settings: Settings


class Known(Protocol):
    """What is known of a dataset and of what is shown of it."""

    @property
    def dataset(self) -> Dataset:
        """The dataset, for its names; it has the annotations of before the change and of after it."""

    @property
    def limits(self) -> OwnLimits:
        """The color limits of all colorings shown so far."""

    def annotations(self, settings: Settings) -> Mapping[str, Codes]:
        """Return the labels of each annotation."""

    def target(self, settings: Settings) -> Target:
        """Return what settings color by; raises `CxgWidgetError` where that is nothing."""

    def legend_column(self, settings: Settings) -> str | None:
        """Return the obs column whose categories the legend lists; None where it lists none."""

    def labels(self, settings: Settings) -> Sequence[str]:
        """Return the categories that color the cells; raises `Unread`."""

    def fits(self, settings: Settings) -> bool:
        """Say whether limits, center and scale go together, with percentiles as far as numbers were read."""

    def render_mode(self, settings: Settings) -> object:
        """Return how cells are drawn; where that changes, everything is sent anew."""

    def are_other_codes(self, before: Settings, now: Settings) -> bool:
        """Say whether other codes color the cells."""

    def filters_except_legend(self, settings: Settings) -> tuple[object, ...]:
        """Return the filters except that of the legend's column."""
