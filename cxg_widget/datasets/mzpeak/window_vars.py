"""Windows of m/z as the vars of a dataset: those suggested, and any other that somebody writes down."""

from __future__ import annotations

from collections.abc import Sequence

from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.datasets.mzpeak.windows import Window, Windows, parse


class WindowVars(VarNames):
    """The vars by name; a window that is no var yet gets the next position behind them."""

    def __init__(self, store: Contract, windows: Windows) -> None:
        super().__init__(store)
        self._windows = windows

    def find_var(self, name: str) -> int:
        """Return the position of a window; the error for a name that is none says how one is written."""
        with self._store._reading():
            window = self._window(name)
            if window is None:
                raise self._windows.unknown(str(name), self._store.title)
            return self._windows.place(window)

    def explain_name(self, name: str) -> str | None:
        """Say why a name that begins as an m/z window is none."""
        if not name.lower().startswith("mz:") or self._window(name) is not None:
            return None
        return str(self._windows.unknown(name, self._store.title))

    def derived_vars(self, query: str) -> Sequence[tuple[str, str]]:
        """Return the window that a query means, also one that gives the m/z alone, with its name for reading."""
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
