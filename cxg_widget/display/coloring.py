"""A coloring that has been read: what the points are colored by, and its codes or numbers, one per cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.limits import ColorRule
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.datasets.base.values import Values, as_codes, as_numbers
from cxg_widget.display.color_target import Target, as_float
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.rules.forms import Rule
from cxg_widget.text.names import label_of, not_found
from cxg_widget.wire import encoding
from cxg_widget.wire.encoding import Numbers
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.level_choice import levels_for
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.protocol import MISSING_LABEL, Scale

_NO_CODES = Codes(np.empty(0, dtype=np.int8), ())
_MOST_KNOWN = 256
_NO_NUMBERS = Numbers.stated(0.0, 0.0)


@dataclass(frozen=True)
class Coloring:
    """A coloring that has been read: this form is by nothing, the two others are by categories and by numbers.

    data : codes or numbers in row order
    is_sample : no process holds all values; `data` are those of the sample that is sent, in its order
    is_preview : nothing has been read; `data` say what values there can be and hold none
    """

    scale: ClassVar[Scale] = "none"
    target: Target
    data: Codes | Numbers | None = None
    is_sample: bool = False
    is_preview: bool = False

    @classmethod
    def of(cls, target: Target, values: Codes | Vector, n_obs: int) -> Coloring:
        """Return the coloring by what was read for a target."""
        if isinstance(values, Codes):
            return CategoryColoring(target, values)
        numbers = encoding.describe(values, n_obs)
        return NumberColoring(target, replace(numbers, vector=numbers.vector.held(n_obs)))

    @property
    def codes(self) -> Codes:
        """The codes into categories; none, of no category, in the other forms."""
        return _NO_CODES

    @property
    def numbers(self) -> Numbers:
        """The numbers; none, between 0 and 0, in the other forms."""
        return _NO_NUMBERS

    def resolving(self, rule: ColorRule) -> Coloring:  # noqa: ARG002
        """Return the coloring with codes that resolve the limits in force; the same one for the same levels."""
        return self

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return 0 if self.data is None else self.data.nbytes

    def take(self, rows: NDArray[np.integer[Any]]) -> Coloring:
        """Return the coloring of some rows, in their order."""
        return self if self.data is None else replace(self, data=self.data.take(rows))

    def holding(self, values: NDArray[Any]) -> Coloring:
        """Return the coloring with other codes or numbers, one per cell; what the legend says stays."""
        return self if self.data is None else replace(self, data=self.data.holding(values))

    def filled(self, values: Values) -> Coloring | None:  # noqa: ARG002
        """Return a preview with values that were read; None where these are not what it states."""
        return None

    def value_at(self, row: int) -> str | float | None:  # noqa: ARG002
        """Return the label or the number of a cell; None where it is missing, "" in this form."""
        return ""

    # What the legend says, and hides.

    @property
    def labels(self) -> list[str]:
        """The categories as text; empty unless categorical."""
        return [label_of(one) for one in self.codes.categories]

    @property
    def listed(self) -> Codes:
        """What can be selected in the legend: which of it each cell is."""
        return self.codes

    def rule_of(self, code: int, layer: str | None) -> Rule | None:  # noqa: ARG002
        """Return the rule of the cells of a code of `listed`, -1 = those without one; None where none is known."""
        if self.target.source != "obs" or self.scale != "categorical":
            return None
        return {"obs": self.target.name, "in": [None if code < 0 else self.codes.categories[code]]}

    @property
    def limits(self) -> tuple[float, float]:
        """The finite range of all numbers."""
        return self.numbers.lo, self.numbers.hi

    def counts(self) -> tuple[list[int], int]:
        """Return the cells of each category, and how many have no value."""
        return [], self.numbers.n_missing

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:  # noqa: ARG002
        """Count the cells of a mask, bool (n_obs,), as the legend counts all; see `encoding.count_selected`."""
        return np.zeros(1, dtype=np.int64)

    def check_hidden(self, hidden: Collection[str]) -> None:
        """Check labels of categories to be hidden."""
        if hidden and self.scale != "categorical":
            raise InvalidValue("hidden must be [] while the points are not colored by categories")
        if said := self._unknown(hidden, [*self.labels, MISSING_LABEL]):
            raise UnknownName(said)

    def misfit(self, palette: Iterable[str]) -> str:
        """Say which color of a palette is for a category that this coloring does not have; "" where none is."""
        return "" if self.scale != "categorical" else self._unknown(palette, self.labels)

    def _unknown(self, requested: Iterable[str], known: list[str]) -> str:
        labels = set(known)
        unknown = next((label for label in requested if label not in labels), None)
        name = self.target.name or self.target.source
        return "" if unknown is None else not_found("category", unknown, known, repr(name))

    def visible_categories(self, hidden: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which categories the legend does not hide, bool (k + 1,), missing last; None where all are shown."""
        if not hidden or self.scale != "categorical":
            return None
        unseen = set(hidden)
        return np.array([label not in unseen for label in [*self.labels, MISSING_LABEL]], dtype=np.bool_)

    def visible_at(self, hidden: Collection[str]) -> Callable[[Any], NDArray[np.bool_]] | None:
        """Return what says of rows, or of a slice, which are not hidden by the legend; None where all are shown."""
        categories, codes = self.visible_categories(hidden), self.codes.codes
        return None if categories is None else lambda rows: categories[codes[rows]]

    def visible(self, hidden: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which cells are not hidden by the legend, bool (n,); None where all are shown."""
        is_visible = self.visible_at(hidden)
        return None if is_visible is None else is_visible(slice(None))

    # What is sent.

    @property
    def encoding(self) -> Literal["none", "dense", "sparse"]:
        """How the values travel."""
        return "none" if self.data is None else "sparse" if self.numbers.is_sparse else "dense"

    def frames(self, order: DisplayOrder, seq: int) -> Iterator[Frame]:  # noqa: ARG002
        """Yield what colors the points, in display order."""
        return iter(())

    def wire(self) -> NDArray[np.uint8 | np.uint16]:
        """Return the code of each cell as it travels, in row order."""
        return np.empty(0, dtype=np.uint8)


@dataclass(frozen=True)
class CategoryColoring(Coloring):
    """A coloring by categories.

    counted : cells of each category and missing ones, where `data` cannot tell
    """

    scale: ClassVar[Scale] = "categorical"
    data: Codes
    counted: tuple[list[int], int] | None = None

    @property
    def codes(self) -> Codes:
        """The codes into categories."""
        return self.data

    def filled(self, values: Values) -> Coloring | None:
        """Return a preview with codes that were read; None where their categories are others."""
        codes = as_codes(values)
        return CategoryColoring(self.target, codes) if codes.categories == self.data.categories else None

    def value_at(self, row: int) -> str | None:
        """Return the label of a cell."""
        code = int(self.data.codes[row])
        return None if code < 0 else label_of(self.data.categories[code])

    def counts(self) -> tuple[list[int], int]:
        """Return the cells of each category, and how many have none."""
        return self.counted or encoding.category_counts(self.data)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the cells of a mask, those without a category first."""
        return encoding.count_selected(self.data, mask, *self.limits)

    def frames(self, order: DisplayOrder, seq: int) -> Iterator[Frame]:
        """Yield the codes in display order."""
        return encoding.code_frames(self.data, order, seq)

    def wire(self) -> NDArray[np.uint8 | np.uint16]:
        """Return the codes as they travel."""
        return encoding.wire_codes(self.data)


@dataclass(frozen=True)
class NumberColoring(Coloring):
    """A coloring by numbers.

    known : the levels for each rule, and the colorings with these, as far as they have been made
    """

    scale: ClassVar[Scale] = "continuous"
    data: Numbers
    known: dict[ColorRule | Levels, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def resolving(self, rule: ColorRule) -> NumberColoring:
        """Return the coloring with codes that resolve the limits in force; the same one for the same levels."""
        if len(self.known) > _MOST_KNOWN:
            self.known.clear()
        levels = self.known.get(rule)
        if levels is None:
            levels = self.known[rule] = levels_for(self.data.measures, rule)
        if levels == self.data.levels:
            return self
        coloring: NumberColoring = self.known.setdefault(levels, replace(self, data=replace(self.data, coded=levels)))
        return coloring

    @property
    def numbers(self) -> Numbers:
        """The numbers."""
        return self.data

    def filled(self, values: Values) -> Coloring | None:
        """Return a preview with numbers that were read; None where some lie outside its limits."""
        numbers, (low, high) = as_float(as_numbers(values)), self.limits
        finite = numbers[np.isfinite(numbers)]
        lies_within = not finite.size or bool(low <= finite.min() and finite.max() <= high)
        return replace(self.holding(numbers), is_preview=False) if lies_within else None

    def value_at(self, row: int) -> float:
        """Return the number of a cell."""
        return self.data.vector.value_at(row)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the cells of a mask, those without a number first, then those of each bin."""
        return encoding.count_selected(self.data.vector, mask, *self.limits, self.data.least)

    def frames(self, order: DisplayOrder, seq: int) -> Iterator[Frame]:
        """Yield the numbers in display order."""
        return encoding.number_frames(self.data, order, seq)

    def wire(self) -> NDArray[np.uint8 | np.uint16]:
        """Return the numbers as codes."""
        return encoding.wire_values(self.data)
