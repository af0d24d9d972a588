"""datashader's loops as plain Python: of few cells they make the same, and compiling each takes a second."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np


def make_plain(put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Put plain loops in place of compiled ones, in this process; `put` may be that of a `MonkeyPatch`."""
    from datashader import compiler, core, reductions
    from datashader.data_libraries import pandas
    from datashader.glyphs import points
    from toolz import memoize

    # A memo of its own: others find none of these in that of datashader.
    put(pandas, "compile_components", memoize(compiler.compile_components.__wrapped__))
    put(compiler, "ngjit", lambda function: function)
    put(points, "ngjit", lambda function: _silent(function) if function.__name__.startswith("extend") else function)
    for module in (core, reductions):
        _put_written(module, put)


def _silent(extend: Callable[..., Any]) -> Callable[..., Any]:
    """Compute without numpy's warnings, which compiled loops never give."""
    return np.errstate(all="ignore")(extend)


def _put_written(module: ModuleType, put: Callable[[Any, str, Any], None]) -> None:
    """Put the functions as they are written, which a call for each cell would compile for every kind of numbers."""
    for name, one in list(vars(module).items()):
        if not isinstance(one, type):
            if hasattr(one, "py_func"):
                put(module, name, one.py_func)
        elif one.__module__ == module.__name__:
            for method, function in list(vars(one).items()):
                written = getattr(getattr(function, "__func__", None), "py_func", None)
                if written is not None:
                    put(one, method, staticmethod(written))
