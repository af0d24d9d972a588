"""Parses m/z windows, such as ``mz:445.12+-0.02``, and adds them as vars: ion chromatograms extracted on request."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.errors import UnknownName
from cxg_widget.text.names import nearest

PREFIX = "mz:"
DEFAULT_PPM = 20.0
FORMS = "mz:445.12, mz:445.12+-0.02 or mz:445.12+-20ppm"
_N_SUGGESTED = 100
_N_LOOKED_AT = 20_000
_WRITTEN = re.compile(r"mz:\s*(\S+?)\s*(?:(?:\+-|\+/-|±)\s*(\S*?)\s*(ppm|da|th)?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Window:
    """A window of m/z, both ends included.

    center : Th
    tolerance : half the width, in `unit`
    unit : "ppm" = millionths of the center; "" = Th
    """

    center: float
    tolerance: float = DEFAULT_PPM
    unit: str = "ppm"

    @property
    def low(self) -> float:
        """Lower end, m/z."""
        return self.center - self._half

    @property
    def high(self) -> float:
        """Upper end, m/z."""
        return self.center + self._half

    @property
    def _half(self) -> float:
        return self.center * self.tolerance * 1e-6 if self.unit else self.tolerance

    @property
    def label(self) -> str:
        """The name in queries, such as "mz:445.12+-0.02"; without the tolerance if that is the default."""
        usual = self.unit == "ppm" and self.tolerance == DEFAULT_PPM
        return f"{PREFIX}{self.center:.10g}{'' if usual else f'+-{self.tolerance:.10g}{self.unit}'}"

    @property
    def alias(self) -> str:
        """The readable name, such as "m/z 445.12 ± 20 ppm"."""
        return f"m/z {self.center:.10g} ± {self.tolerance:.10g} {self.unit or 'Th'}"


def parse(text: str) -> Window | str:
    """Parse the name of a window; return the error message if it is invalid."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        return f"{text!r} is not an m/z window; write {FORMS}."
    center, tolerance = _number(found[1]), _number(found[2]) if found[2] is not None else DEFAULT_PPM
    if center is None or center <= 0:
        return f"{text!r} is not an m/z window: {found[1]!r} is not a number above 0; write {FORMS}."
    if tolerance is None or tolerance <= 0:
        return f"{text!r} is not an m/z window: the tolerance {found[2]!r} is not a number above 0; write {FORMS}."
    unit = "ppm" if found[2] is None or (found[3] or "").lower() == "ppm" else ""
    return Window(center, tolerance, unit)


def _number(text: str | None) -> float | None:
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if math.isfinite(found) and "_" not in (text or "") else None


def suggest(mz: NDArray[np.float64], intensity: NDArray[np.float64]) -> list[Window]:
    """Return up to 100 windows around the most intense base peaks, the most intense first, without overlaps.

    mz, intensity : float64 (n_spectra,) of the base peaks; NaN = none
    """
    usable = np.flatnonzero(np.isfinite(mz) & (mz > 0))
    weights = np.nan_to_num(intensity[usable], nan=0.0)
    found: dict[str, Window] = {}
    taken = np.empty(0)
    for row in usable[_largest(weights, _N_LOOKED_AT)]:
        center = round(float(mz[row]), 4)
        if center <= 0 or (taken.size and np.abs(taken - center).min() <= 2 * center * DEFAULT_PPM * 1e-6):
            continue
        window = Window(center)
        found.setdefault(window.label, window)
        taken = np.append(taken, center)
        if len(found) == _N_SUGGESTED:
            break
    return list(found.values())


def _largest(weights: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return the positions of the n largest weights, descending, ties in their order; does not sort the others."""
    if len(weights) <= n:
        return np.argsort(-weights, kind="stable")
    places = np.flatnonzero(weights >= np.partition(weights, -n)[-n])
    return places[np.argsort(-weights[places], kind="stable")[:n]]


class Windows:
    """The windows of a dataset: first the suggested ones, which are its vars, then windows of requests."""

    def __init__(self, suggested: Sequence[Window]) -> None:
        self._windows = list(suggested)
        self.n_suggested = len(self._windows)
        self._places = {window: place for place, window in enumerate(self._windows)}
        self._lock = Lock()

    def __getitem__(self, position: int) -> Window:
        return self._windows[position]

    def place(self, window: Window) -> int:
        """Return the position of a window; appends a new window."""
        with self._lock:
            if window not in self._places:
                self._windows.append(window)
                self._places[window] = len(self._windows) - 1
            return self._places[window]

    @property
    def labels(self) -> WindowNames:
        """Names of the vars; later positions give the names of requested windows."""
        return WindowNames(self, "label")

    @property
    def aliases(self) -> WindowNames:
        """Readable names of the vars, and of requested windows at later positions."""
        return WindowNames(self, "alias")

    def unknown(self, text: str, title: str) -> UnknownName:
        """Return the error for an invalid name of a window."""
        found = parse(text)
        close = nearest(text, self.labels)
        hint = f" Did you mean {' or '.join(repr(one) for one in close)}?" if close else ""
        if not text.strip().lower().startswith(PREFIX):
            found = f"no var name {text!r}; the vars of {title} are m/z windows, written {FORMS}."
        return UnknownName(f"{found}{hint}")


class WindowNames(Sequence[str]):
    """Names of windows. The length is the number of vars; later positions give the names of requested windows."""

    def __init__(self, windows: Windows, what: str) -> None:
        self._windows = windows
        self._what = what

    def __len__(self) -> int:
        return self._windows.n_suggested

    def __iter__(self) -> Iterator[str]:
        return (self[position] for position in range(len(self)))

    @overload
    def __getitem__(self, item: int) -> str: ...
    @overload
    def __getitem__(self, item: slice) -> Sequence[str]: ...
    def __getitem__(self, item: Any) -> Any:
        """Return one name, or those of a slice of the vars."""
        if isinstance(item, slice):
            return [self[position] for position in range(len(self))[item]]
        return getattr(self._windows[item if item >= 0 else item + len(self)], self._what)


class WindowVars(VarNames):
    """Finds vars by name; a window that is not a var yet gets the next position after them."""

    def __init__(self, store: Contract, windows: Windows) -> None:
        super().__init__(store)
        self._windows = windows

    def find_var(self, name: str) -> int:
        """Return the position of a window; raises `UnknownName`, which shows the syntax, for an invalid name."""
        position = self._sought(name)
        if position is None:
            raise self._windows.unknown(str(name), self._store.title)
        return position

    def _sought(self, name: str) -> int | None:
        with self._store._reading():
            window = self._window(name)
            return None if window is None else self._windows.place(window)

    def explain_name(self, name: str) -> str | None:
        """Explain why a name with the prefix "mz:" is not a window; None if it is one, or has no such prefix."""
        if not name.lower().startswith("mz:") or self._window(name) is not None:
            return None
        return str(self._windows.unknown(name, self._store.title))

    def derived_vars(self, query: str) -> Sequence[tuple[str, str]]:
        """Return the window of a query with its readable name; the query may be the m/z without a prefix."""
        text = query.strip()
        if text[:1].isdigit():
            text = f"mz:{text}"
        window = parse(text) if text.lower().startswith("mz:") else None
        return [(window.label, window.alias)] if isinstance(window, Window) else []

    def _window(self, name: str) -> Window | None:
        found = parse(str(name))
        if isinstance(found, Window):
            return found
        return next((self._windows[i] for i, alias in enumerate(self._windows.aliases) if alias == name), None)

    def _load_var_labels(self) -> Sequence[str]:
        return self._windows.labels

    def _load_var_aliases(self) -> Sequence[str] | None:
        return self._windows.aliases if self._store.n_var else None
