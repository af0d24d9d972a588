"""All that is read of a store, part by part: its values, or the sentence where there are none."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.datasets import Codes, Dataset
from cxg_widget.errors import CxgWidgetError, OutOfMemory
from cxg_widget.wire.protocol import VERSION

_ROWS = np.array([3, 0, 7])
ANSWERS = ("filter", "table", "t-test", "wilcoxon", "section")
"""What is asked of a widget: the answer is that of the whole store, or a sentence."""
_LOGS = ("cxg_widget", "traitlets", "ipywidgets")


class Failure(str):
    """The sentence of an error of ours, in place of a value."""


@dataclass
class Readout:
    """What came of reading a store.

    Attributes
    ----------
    parts : a value, or `Failure`, by what was read
    notes : what the store and warnings say of themselves
    foreign : exceptions that are not ours, with what was read; empty where all is well
    """

    parts: dict[str, Any] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    foreign: list[str] = field(default_factory=list)

    def take(self, name: str, read: Callable[[], Any]) -> Any:
        """Read one part; return it, None where it cannot be read."""
        try:
            self.parts[name] = read()
        except OutOfMemory as error:  # of a small store: a size that it declares was believed
            if not error.quoted:  # TileDB's own attempt fails at once, and its sentence names the damage
                self.foreign.append(f"{name}: MemoryError: {error}")
            self.parts[name] = Failure(error)
            return None
        except CxgWidgetError as error:
            self.parts[name] = Failure(error)
            return None
        except Exception as error:
            self.foreign.append(f"{name}: {_place(error)}{type(error).__name__}: {str(error)[:200]}")
            self.parts[name] = Failure(error)
            return None
        return self.parts[name]


class _Log(logging.Handler):
    def __init__(self, out: Readout) -> None:
        super().__init__(logging.ERROR)
        self._out = out

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info and record.exc_info[1]
        where = _place(error) if isinstance(error, BaseException) else ""
        self._out.foreign.append(f"log: {where}{record.getMessage()} {error!r}"[:300])


def read(path: Path, options: Mapping[str, Any], tell: Callable[[str], object] = lambda _: None) -> Readout:
    """Open a store, read each of its parts, draw it and select in it."""
    out = Readout()
    log = _Log(out)
    for name in _LOGS:
        logging.getLogger(name).addHandler(log)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            dataset = out.take("open", lambda: open_dataset(path, **options))
            if dataset is not None:
                out.parts["open"] = (dataset.n_obs, dataset.n_var)
                with dataset:
                    for name, load in _parts(dataset):
                        tell(name)
                        out.take(name, load)
                    tell("widget")
                    out.take("widget", lambda: _show(dataset, out))
                    out.notes.update(dataset.notes)
        out.notes.update(str(one.message) for one in warned if issubclass(one.category, UserWarning))
    finally:
        for name in _LOGS:
            logging.getLogger(name).removeHandler(log)
    return out


def same(one: Any, other: Any) -> bool:
    """Say whether two parts hold the same values."""
    if isinstance(one, pd.DataFrame) and isinstance(other, pd.DataFrame):
        return one.equals(other)
    if isinstance(one, Codes) and isinstance(other, Codes):
        return one.categories == other.categories and np.array_equal(one.codes, other.codes)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def _parts(dataset: Dataset) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "columns", lambda: {name: column.kind for name, column in dataset.obs_columns.items()}
    yield "embeddings", lambda: (dict(dataset.embeddings), dataset.default_embedding)
    yield "details", lambda: dataset.details and None
    yield "sizes", lambda: dataset.sizes and None
    yield "gene sets", lambda: dict(dataset.gene_sets)
    yield "obs names", lambda: dataset.obs_names().tolist()
    yield "var names", lambda: list(dataset.var_labels)
    yield "var", dataset.var
    for name, column in list(dataset.obs_columns.items()):
        yield f"obs {name}", lambda name=name: dataset.obs(name, index=False)
        yield f"colors {name}", lambda name=name: dataset.category_colors(name)
        if column.kind == "float":
            yield f"numbers {name}", lambda name=name: dataset.numbers(name)
        else:
            yield f"codes {name}", lambda name=name: dataset.codes(name)
    for name in list(dataset.embeddings):
        yield f"emb {name}", lambda name=name: dataset.embedding(name)
    for position in sorted({0, 1, dataset.n_var // 2, dataset.n_var - 1} & set(range(dataset.n_var))):
        yield f"var {position}", lambda at=position: dataset.values(dataset.var_labels[at])
    for layer in dataset.layers:
        yield f"layer {layer}", lambda layer=layer: dataset.values(dataset.names_in(layer).var_labels[0], layer)
    yield "matrix", lambda: dataset.matrix_block(0, 2) and None
    yield "rows", lambda: dataset.obs(rows=_ROWS)
    yield "record", lambda: dataset.obs_record(0)


def _show(dataset: Dataset, out: Readout) -> list[Any]:
    """Draw, color, hover, search, select, analyse; return what was selected, and how errors that were told begin."""
    sent: list[dict[str, Any]] = []
    w = CxgWidget(dataset)
    try:
        w._exchange._send = lambda content, _: sent.append(content)
        for request in _REQUESTS:
            w._handle_custom_msg({"id": 1, **request}, [])
        wait([one for one in list(w._exchange.jobs._waiting.values()) if not one.cancelled()])
        w._repr_mimebundle_()
        w.select(np.arange(min(5, dataset.n_obs)))
        for name, ask in _answers(w, dataset):
            out.take(name, ask)
        json.dumps([sent, w.state, w.summary], ensure_ascii=False).encode()
        found = [len(w.selection), w.selection.obs()]
    finally:
        w.close()
    for content in sent:
        if content["kind"] == "error":
            raise CxgWidgetError(f"{content['type']}: {content['message']}")
    return [found[0], found[1].shape]


def _answers(w: CxgWidget, dataset: Dataset) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield `ANSWERS`: cells that a filter keeps, a table, two comparisons, and what lies under a section."""
    first = next((name for name, one in dataset.obs_columns.items() if one.kind == "float"), None)
    half = np.arange(dataset.n_obs) % 2 == 0

    def kept() -> Any:
        w.filters[first] = (0, None)
        try:
            return w.filters.mask
        finally:
            w.filters.clear()

    if first is not None:
        yield "filter", kept
    yield "table", lambda: w.table.frame(n=5)
    for method in ("t-test", "wilcoxon"):
        yield method, lambda method=method: w.compare(half, "rest", method=method).frame()
    images = lambda: [dataset.section_image(one, (0, 9), (0, 9)) for one in dataset.sections().images]  # noqa: E731
    yield "section", images


_REQUESTS: tuple[dict[str, Any], ...] = (
    {"kind": "ready", "version": VERSION},
    {"kind": "begun"},
    {"kind": "search", "query": "g", "limit": 5},
    {"kind": "hover", "x": 0.0, "y": 0.0, "radius_x": 1.0, "radius_y": 1.0},
    {"kind": "lasso", "polygon": [-9.0, -9.0, 9.0, -9.0, 9.0, 9.0], "mode": "replace"},
)


def _place(error: BaseException) -> str:
    """Return the last line of ours that an exception passed."""
    found, trace = "", error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if "cxg_widget" in path:
            found = f"{path.rpartition('cxg_widget/')[2]}:{trace.tb_lineno} "
        trace = trace.tb_next
    return found
