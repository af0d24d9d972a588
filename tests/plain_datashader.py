"""datashader's loops as plain Python: of few cells they make the same, and compiling each takes a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def make_plain(put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Put plain loops in place of compiled ones, in this process; `put` may be that of a `MonkeyPatch`."""
    from datashader import compiler
    from datashader.data_libraries import pandas
    from datashader.glyphs import points
    from toolz import memoize

    # A memo of its own: others find none of these in that of datashader.
    put(pandas, "compile_components", memoize(compiler.compile_components.__wrapped__))
    for module in (compiler, points):
        put(module, "ngjit", lambda function: function)
