"""The lines of an analysis as code: what they import, define and change, in the order of first need."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cxg_widget.change.reactions import OwnLimits
from cxg_widget.code.statement import Expression, comment, prefixed, quoted, statement

if TYPE_CHECKING:
    from cxg_widget.code.records import Records
    from cxg_widget.display.settings import Settings
    from cxg_widget.rules.forms import Rule

UNPACK = """

def unpack(rows):
    bits = np.frombuffer(zlib.decompress(base64.b85decode(rows)), np.uint8)
    return np.unpackbits(bits, count={n_obs}, bitorder="little").astype(bool)

"""
_IMPORTS_OF_ROWS = ("base64", "zlib")


class Script:
    """Statements in order.

    Attributes
    ----------
    before, now : settings that the next statements start from and lead to
    limits : limits of the colors shown so far
    sets : rules of the sets that exist at this place, by name
    selected : rule of the selection at this place
    needs_rows : whether a statement unpacks rows
    needs : names of other functions that statements call
    """

    def __init__(self, records: Records, now: Settings) -> None:
        self.records, self.dataset = records, records.dataset
        self.before = self.now = now
        self.limits = OwnLimits()
        self.sets: dict[str, Rule] = {}
        self.selected: Rule = {"or": []}
        self.needs_rows = False
        self.needs: set[str] = set()
        self.lines: list[str] = []
        self._names: dict[str, int] = {}
        self._known: dict[str, str] = {}
        self._indent = 0

    def add(self, one: Expression) -> None:
        """Add a statement."""
        self.lines.append(statement(one, self._indent))

    def assign(self, target: str, one: Expression) -> None:
        """Add an assignment."""
        self.add(prefixed(f"{target} = ", one))

    def remark(self, text: str) -> None:
        """Add a comment."""
        self.lines.append(comment(text))

    def name(self, word: str) -> str:
        """Return a new name for a value: the word, or with a number."""
        n = self._names[word] = self._names.get(word, 0) + 1
        return word if n == 1 else f"{word}_{n}"

    def named(self, word: str, line: Callable[[str], str]) -> str:
        """Return the name of a value that a line of its own assigns; an equal value keeps its name."""
        key = line("")
        if key not in self._known:
            self._known[key] = self.name(word)
            self.lines.append(line(self._known[key]))
        return self._known[key]

    def about(self) -> list[str]:
        """Return comments on versions and data."""
        versions = ", ".join(f"{name} {version}" for name, version in self.records.versions.items())
        source = self.records.source
        identity = source.identity.rpartition("#")[2]
        known = f"; identity {identity}" if identity else ""
        return [comment(versions), comment(f"{source.title}: {source.size}{known}")]

    def head(self) -> list[str]:
        """Return what comes before the statements: versions and data as comments, and imports."""
        imports = [f"import {one}" for one in _IMPORTS_OF_ROWS] if self.needs_rows else []
        numpy = ["", "import numpy as np", ""] if self.needs_rows else []
        return [*self.about(), *imports, *numpy, "from cxg_widget import CxgWidget", ""]

    def functions(self) -> list[str]:
        """Return definitions of functions that the statements call."""
        return UNPACK.format(n_obs=f"{self.dataset.n_obs}").split("\n")[1:] if self.needs_rows else []

    def guard(self) -> list[str]:
        """Return a statement that refuses other data, if rows are written by their positions."""
        if not self.needs_rows or self.records.source.is_in_memory:
            return []
        identity = quoted(self.dataset.obs_identity)
        return [statement(f"assert w.dataset.obs_identity == {identity}, {quoted('the rows are of other data')}")]

    def indent(self, write: Callable[[], object]) -> None:
        """Add what a function writes as the body of the last statement."""
        self._indent = 4
        write()
        self._indent = 0
