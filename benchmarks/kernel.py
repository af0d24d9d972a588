"""Measurements without a browser: open, genes, a category; each reader in a separate process, in turns.

``python -m benchmarks.kernel READER PATH GENES COLUMN`` measures one reader once and prints JSON.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import FIRST_CATEGORY, HERE, Store

Measures = dict[str, list[float]]


class Ours:
    """cxg-widget."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self) -> None:
        import pandas  # noqa: F401

        import cxg_widget

        self._module = cxg_widget
        _ = cxg_widget.CxgWidget, cxg_widget.open_dataset  # imported at first use

    def open(self) -> None:
        self._dataset = self._module.open_dataset(str(self.path))

    def widget(self) -> None:
        self._module.CxgWidget(str(self.path))

    def gene(self, name: str) -> NDArray[np.float32]:
        return self._dataset.values(name)

    def category(self, name: str) -> Any:
        return self._dataset.codes(name).codes

    def frame(self, name: str) -> Any:
        return self._dataset.obs([name])


class Plain:
    """tiledb-py with the minimum of work for the same arrays."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self) -> None:
        import pandas  # noqa: F401
        import tiledb

        self._tiledb = tiledb
        self._matrix: Any = None

    def open(self) -> None:
        self._obs = self._tiledb.open(f"{self.path}/obs")
        self._schema = json.loads(self._obs.meta["cxg_schema"])
        with self._tiledb.open(f"{self.path}/var") as var:
            index = json.loads(var.meta["cxg_schema"])["index"]
            self._positions = {name: at for at, name in enumerate(var.query(attrs=[index])[:][index])}

    def gene(self, name: str) -> NDArray[np.float32]:
        if self._matrix is None:
            self._matrix = self._tiledb.open(f"{self.path}/Xc")
        found = self._matrix.query(order="U", dims=False).multi_index[[self._positions[name]]]
        values = np.zeros(self._obs.shape[0], np.float32)
        values[found["obs"]] = found[""]
        return values

    def category(self, name: str) -> Any:
        return self._obs.query(attrs=[name])[:][name]

    def frame(self, name: str) -> Any:
        import pandas as pd

        index = self._schema["index"]
        found = self._obs.query(attrs=[name, index])[:]
        values = pd.Categorical.from_codes(found[name], self._schema[name]["categories"])
        return pd.DataFrame({name: values}, index=found[index])


class InMemory:
    """Imitates anndata: all of obs as a DataFrame, the whole matrix as SciPy CSR."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self) -> None:
        import pandas
        import scipy.sparse
        import tiledb

        self._pandas, self._sparse, self._tiledb = pandas, scipy.sparse, tiledb

    def open(self) -> None:
        with self._tiledb.open(f"{self.path}/obs") as obs:
            schema = json.loads(obs.meta["cxg_schema"])
            columns = dict(obs[:])
        for name, values in columns.items():
            if schema.get(name, {}).get("type") == "categorical" and values.dtype == np.int8:
                columns[name] = self._pandas.Categorical.from_codes(values, schema[name]["categories"])
        self._obs = self._pandas.DataFrame(columns).set_index(schema["index"])
        with self._tiledb.open(f"{self.path}/var") as var:
            index = json.loads(var.meta["cxg_schema"])["index"]
            self._positions = {name: at for at, name in enumerate(var.query(attrs=[index])[:][index])}
        with self._tiledb.open(f"{self.path}/Xr") as matrix:
            found = matrix.query(order="U")[:]
        shape = (len(self._obs), len(self._positions))
        self._matrix = self._sparse.csr_matrix((found[""], (found["obs"], found["var"])), shape=shape)

    def gene(self, name: str) -> NDArray[np.float32]:
        values: NDArray[np.float32] = self._matrix[:, self._positions[name]].toarray().ravel()
        return values

    def category(self, name: str) -> Any:
        return self._obs[name].cat.codes.to_numpy()

    def frame(self, name: str) -> Any:
        return self._obs[[name]]


READERS: dict[str, Callable[[Path], Any]] = {"cxg-widget": Ours, "tiledb-py": Plain, "in memory": InMemory}


def measure_all(store: Store, repeats: int) -> dict[str, Measures]:
    """Measure each reader in turn, `repeats` times; return reader -> measure -> one value per repetition."""
    found: dict[str, Measures] = {}
    for _ in range(repeats):
        for reader in READERS:
            for measure, value in in_process(reader, store).items():
                found.setdefault(reader, {}).setdefault(measure, []).append(value)
    return found


def in_process(reader: str, store: Store, python: str = sys.executable, folder: Path = HERE.parent) -> dict[str, float]:
    """Measure a reader in a new process of `python`; `folder` contains packages that it imports first."""
    command = [python, "-m", "benchmarks.kernel", reader, str(store.path), ",".join(store.genes), FIRST_CATEGORY]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def measure(reader: Any, genes: list[str], column: str) -> dict[str, float]:
    """Return measure -> milliseconds, and the peak memory."""
    reader.prepare()
    imported_mb = peak_mb()
    found = {"open, ms": timed(reader.open)}
    found["first gene, ms"] = timed(lambda: reader.gene(genes[0]))
    found["next gene, ms"] = statistics.median(timed(lambda name=name: reader.gene(name)) for name in genes[1:])
    found["category, ms"] = timed(lambda: reader.category(column))
    found["column as DataFrame, ms"] = timed(lambda: reader.frame(column))
    found["peak memory, MB"] = peak_mb()
    found["after imports, MB"] = imported_mb
    if hasattr(reader, "widget"):  # last, since it continues to read in a thread
        found["widget, ms"] = timed(reader.widget)
    return found


def timed(act: Callable[[], Any]) -> float:
    """Return milliseconds."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def peak_mb() -> float:
    """Return the peak memory of this process."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, getrusage starts from the memory of the parent process
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    name, path, genes, column = sys.argv[1:]
    print(json.dumps(measure(READERS[name](Path(path)), genes.split(","), column)))
