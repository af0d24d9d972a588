"""The study of a widget: samples as points, for Python and for the page."""
# Changes with cxg_widget/wire/messages/study.py: parts of a study.

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue
from cxg_widget.rules.combining import fitting
from cxg_widget.rules.forms import Rule
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.session.analysis.comparison import Comparisons
    from cxg_widget.session.display_state import DisplayState


class Studies:
    """Answers about the study that the setting `study_design` declares."""

    def __init__(self, loader: Loader, display: DisplayState, comparisons: Comparisons) -> None:
        self._loader, self._display, self._comparisons = loader, display, comparisons
        self._dataset = loader.dataset

    def frames(self, request: p.AskStudy) -> Iterator[Frame]:
        """Yield one part of the study for the page."""
        raise InvalidValue(f"the part {request.part!r} of a study is not built yet.")

    def open(self, request: p.StudyOpen) -> Iterator[Frame]:
        """Compare two conditions in one cell type, and yield the comparison."""
        raise InvalidValue(f"a comparison of {request.a!r} with {request.b!r} is not built yet.")

    def cells(self, request: p.StudyPick) -> tuple[NDArray[np.bool_], Rule | None]:
        """Return the cells of a point, bar or field that pass the filters, and their rule."""
        settings = self._display.settings
        if settings.study_design is None:
            raise InvalidValue("the study was removed meanwhile.")
        of = {settings.study_design[name]: getattr(request, name) for name in ("sample", "condition")}
        named = {name: value for name, value in {**of, request.by: request.category}.items() if value}
        rules: list[Rule] = [{"obs": name, "in": [self._value(name, label)]} for name, label in named.items()]
        rules += settings.filter_rules
        if not rules:
            raise InvalidValue("no sample, condition or category was chosen.")
        rule = rules[0] if len(rules) == 1 else {"and": rules}
        return self._loader.mask_of(rule), fitting(rule)

    def end(self) -> None:
        """End the work for the page."""
        self._comparisons.end()

    def _value(self, column: str, label: str) -> str | int:
        if self._dataset.obs_columns[column].kind != "int":
            return label
        return int(label)
