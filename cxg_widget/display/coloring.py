"""A coloring: the codes or numbers of all cells for a target."""

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
    """A coloring. This class has no color; subclasses are by categories and by numbers.

    data : codes or numbers in row order
    is_sample : no process has all values; `data` are those of the sample that is sent, in its order
    is_preview : nothing was read; `data` state the possible values and hold none
    """

    scale: ClassVar[Scale] = "none"
    target: Target
    data: Codes | Numbers | None = None
    is_sample: bool = False
    is_preview: bool = False

    @classmethod
    def of(cls, target: Target, values: Codes | Vector, n_obs: int) -> Coloring:
        """Return the coloring for the values of a target."""
        if isinstance(values, Codes):
            return CategoryColoring(target, values)
        numbers = encoding.describe(values, n_obs)
        return NumberColoring(target, replace(numbers, vector=numbers.vector.held(n_obs)))

    @property
    def codes(self) -> Codes:
        """Codes of categories; without categories in other classes."""
        return _NO_CODES

    @property
    def numbers(self) -> Numbers:
        """Numbers; without numbers, between 0 and 0, in other classes."""
        return _NO_NUMBERS

    def resolving(self, rule: ColorRule) -> Coloring:  # noqa: ARG002
        """Return the coloring with codes fine enough for the current limits; the same object for the same levels."""
        return self

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return 0 if self.data is None else self.data.nbytes

    def take(self, rows: NDArray[np.integer[Any]]) -> Coloring:
        """Return the coloring of some rows, in their order."""
        return self if self.data is None else replace(self, data=self.data.take(rows))

    def holding(self, values: NDArray[Any]) -> Coloring:
        """Return the coloring with other codes or numbers, one per cell, and the same legend."""
        return self if self.data is None else replace(self, data=self.data.holding(values))

    def filled(self, values: Values) -> Coloring | None:  # noqa: ARG002
        """Return a preview with its values read; None if they differ from what it states."""
        return None

    def value_at(self, row: int) -> str | float | None:  # noqa: ARG002
        """Return the label or number of a cell; None if it is missing, "" without a color."""
        return ""

    # Legend and hidden categories.

    @property
    def labels(self) -> list[str]:
        """Categories as text; empty if not categorical."""
        return [label_of(one) for one in self.codes.categories]

    @property
    def listed(self) -> Codes:
        """Entries of the legend that can be selected: the entry of each cell."""
        return self.codes

    def rule_of(self, code: int, layer: str | None) -> Rule | None:  # noqa: ARG002
        """Return the rule of the cells of a code of `listed`, -1 = those without one; None if it has none."""
        if self.target.source != "obs" or self.scale != "categorical":
            return None
        return {"obs": self.target.name, "in": [None if code < 0 else self.codes.categories[code]]}

    @property
    def limits(self) -> tuple[float, float]:
        """Range of all finite numbers."""
        return self.numbers.lo, self.numbers.hi

    def counts(self) -> tuple[list[int], int]:
        """Return the number of cells per category, and of cells without a value."""
        return [], self.numbers.n_missing

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:  # noqa: ARG002
        """Count the cells of a mask, bool (n_obs,), as the legend counts all; see `encoding.count_selected`."""
        return np.zeros(1, dtype=np.int64)

    def check_hidden(self, hidden: Collection[str]) -> None:
        """Check labels of categories to hide."""
        if hidden and self.scale != "categorical":
            raise InvalidValue("hidden must be [] while the points are not colored by categories")
        if sentence := self._unknown(hidden, [*self.labels, MISSING_LABEL]):
            raise UnknownName(sentence)

    def misfit(self, palette: Iterable[str]) -> str:
        """Return the sentence about a palette that colors a category that does not exist here; "" if it fits."""
        return "" if self.scale != "categorical" else self._unknown(palette, self.labels)

    def _unknown(self, requested: Iterable[str], known: list[str]) -> str:
        labels = set(known)
        unknown = next((label for label in requested if label not in labels), None)
        name = self.target.name or self.target.source
        return "" if unknown is None else not_found("category", unknown, known, repr(name))

    def visible_categories(self, hidden: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which categories are not hidden, bool (k + 1,), missing last; None if none is hidden."""
        if not hidden or self.scale != "categorical":
            return None
        unseen = set(hidden)
        return np.array([label not in unseen for label in [*self.labels, MISSING_LABEL]], dtype=np.bool_)

    def visible_at(self, hidden: Collection[str]) -> Callable[[Any], NDArray[np.bool_]] | None:
        """Return a function from rows or a slice to which of them are not hidden; None if none is hidden."""
        categories, codes = self.visible_categories(hidden), self.codes.codes
        return None if categories is None else lambda rows: categories[codes[rows]]

    def visible(self, hidden: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which cells are not hidden by the legend, bool (n,); None if none is hidden."""
        is_visible = self.visible_at(hidden)
        return None if is_visible is None else is_visible(slice(None))

    # Messages for the page.

    @property
    def encoding(self) -> Literal["none", "dense", "sparse"]:
        """Encoding of the values."""
        return "none" if self.data is None else "sparse" if self.numbers.is_sparse else "dense"

    def frames(self, order: DisplayOrder, seq: int) -> Iterator[Frame]:  # noqa: ARG002
        """Yield the frames of the coloring, in draw order."""
        return iter(())

    def wire(self) -> NDArray[np.uint8 | np.uint16]:
        """Return the code of each cell on the wire, in row order."""
        return np.empty(0, dtype=np.uint8)


@dataclass(frozen=True)
class CategoryColoring(Coloring):
    """Coloring by categories.

    counted : number of cells per category and of missing ones, if `data` cannot give them
    """

    scale: ClassVar[Scale] = "categorical"
    data: Codes
    counted: tuple[list[int], int] | None = None

    @property
    def codes(self) -> Codes:
        """Codes of categories."""
        return self.data

    def filled(self, values: Values) -> Coloring | None:
        """Return a preview with its codes read; None if their categories differ."""
        codes = as_codes(values)
        return CategoryColoring(self.target, codes) if codes.categories == self.data.categories else None

    def value_at(self, row: int) -> str | None:
        """Return the label of a cell."""
        code = int(self.data.codes[row])
        return None if code < 0 else label_of(self.data.categories[code])

    def counts(self) -> tuple[list[int], int]:
        """Return the number of cells per category, and of cells without one."""
        return self.counted or encoding.category_counts(self.data)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the cells of a mask, those without a category first."""
        return encoding.count_selected(self.data, mask, *self.limits)

    def frames(self, order: DisplayOrder, seq: int) -> Iterator[Frame]:
        """Yield the codes in draw order."""
        return encoding.code_frames(self.data, order, seq)

    def wire(self) -> NDArray[np.uint8 | np.uint16]:
        """Return the codes on the wire."""
        return encoding.wire_codes(self.data)


@dataclass(frozen=True)
class NumberColoring(Coloring):
    """Coloring by numbers.

    known : cache of levels by rule, and of colorings by levels
    """

    scale: ClassVar[Scale] = "continuous"
    data: Numbers
    known: dict[ColorRule | Levels, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def resolving(self, rule: ColorRule) -> NumberColoring:
        """Return the coloring with codes fine enough for the current limits; the same object for the same levels."""
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
        """Return a preview with its numbers read; None if some are outside its limits."""
        numbers, (low, high) = as_float(as_numbers(values)), self.limits
        finite = numbers[np.isfinite(numbers)]
        lies_within = not finite.size or bool(low <= finite.min() and finite.max() <= high)
        return replace(self.holding(numbers), is_preview=False) if lies_within else None

    def value_at(self, row: int) -> float:
        """Return the number of a cell."""
        return self.data.vector.value_at(row)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the cells of a mask: those without a number first, then those of each bin."""
        return encoding.count_selected(self.data.vector, mask, *self.limits, self.data.least)

    def frames(self, order: DisplayOrder, seq: int) -> Iterator[Frame]:
        """Yield the numbers in draw order."""
        return encoding.number_frames(self.data, order, seq)

    def wire(self) -> NDArray[np.uint8 | np.uint16]:
        """Return the numbers as codes."""
        return encoding.wire_values(self.data)
