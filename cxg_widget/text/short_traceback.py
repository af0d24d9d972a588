"""Shortens the traceback of a one-sentence error in a notebook to the user's own lines and the sentence."""

from __future__ import annotations

from types import TracebackType

_OURS = {"cxg_widget", "traitlets", "ipywidgets", "anywidget", "contextlib", "IPython", "ipykernel"}
_IN_FULL = ("Verbose", "Docs")


def lines_of(error: BaseException) -> list[str]:
    """Return the traceback of an error without frames of this package and its hosts, as IPython prints it.

    After `%xmode Verbose` nothing is left out.
    """
    from IPython import get_ipython

    tracebacks = get_ipython().InteractiveTB
    if tracebacks.mode in _IN_FULL:
        return list(tracebacks.structured_traceback(type(error), error, error.__traceback__))
    alone = type(error)(*error.args)  # without the errors that caused it
    return list(tracebacks.structured_traceback(type(error), alone, _of_others(error.__traceback__), tb_offset=0))


def _of_others(traceback: TracebackType | None) -> TracebackType | None:
    if traceback is None:
        return None
    below, frame = _of_others(traceback.tb_next), traceback.tb_frame
    if frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        return below
    return TracebackType(below, frame, traceback.tb_lasti, traceback.tb_lineno)
