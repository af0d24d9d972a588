"""Times of comparing two sets of cells by all genes; the floor only reads; scanpy and illico are the peers.

``python -m benchmarks.compare`` writes `compare.md`. `--cells` and `--genes` are the size of the stores, which are
made once in `--folder`; scanpy is measured if it is installed, here or in the environment of `--scanpy PYTHON`.
`--only` measures some acts in one run and prints the table, such as ranks compared with illico:
``--cells 100000 --genes 10000 --only "30 groups, wilcoxon" "illico, wilcoxon"``.
The budgets are for ``--cells 200000 --genes 20000 --linear``: 25 GB of disk, half an hour to write, and as much to run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.compare_floor import CONTIGUOUS, SCATTERED, codes, floor
from benchmarks.compare_stores import SHARE, STORES, write

HERE = Path(__file__).parent
RAW = HERE / "raw" / "compare"
CELLS, GENES, CALLS = 30_000, 3_000, 3
SMALL = (600, 100)
"""Cells and genes of the store of the warm-up, so that imports and compilation are not timed."""
LINEAR, LINEAR_GENES = (1_000_000, 10_000_000), 200
"""Cells of the stores of `--linear`."""
_REPORT = """# Comparing two sets of cells by all genes

{n_obs:,} cells by {n_var:,} genes, of whose values {share:.0%} are not zero, with rare to common genes. The .h5ad is as
anndata writes it, not compressed; the CXG is as `convert` writes it. One test compares a quarter of the cells with
another quarter. These are random rows (scattered) or the first half of the rows (contiguous). Other tests compare each
of 30 groups of a column with the rest.

The floor reads the entries of the same rows with the library of the store, and sums values and squares of each set by
`numpy.bincount`. It reads all entries if the rows are scattered or the matrix is stored by column. "Rows alone" reads
the same rows by `Dataset.rows_of`, in blocks, and discards them; from CSC each block scans the whole matrix. scanpy and
illico first read the file into memory, and their figures include this.

Each figure is the best of {calls} calls (scanpy, illico: one) in a separate process, and each call opens the store.
Memory is the peak of resident memory, minus what the process had after a call on a small store. The last columns are
ratios to the named row: Welch's test to the floor, ranks to Welch's test, all groups to one, scanpy and illico to the
same test of cxg-widget.

{facts}

{table}
"""
_HEADS = ("clock, s", "processor, s", "memory, MiB", "clock", "processor", "of")
Act = Callable[[str, str], None]


def ours(method: str) -> Act:
    """Return a function that opens a store and compares its sets."""

    def act(path: str, where: str) -> None:
        from cxg_widget.compare.matrix_statistics import MatrixStats
        from cxg_widget.compare.question import Question, compare
        from cxg_widget.datasets import open_dataset

        with open_dataset(path) as dataset:
            of = codes(dataset.n_obs, where)
            compare(MatrixStats(dataset), of == 0, of == 1, Question(method)).frame()

    return act


def of_groups(method: str, reference: str | None = None) -> Act:
    """Return a function that opens a store and compares each group with the rest, or with the reference."""

    def act(path: str, where: str) -> None:
        from cxg_widget.compare.markers import compare_groups
        from cxg_widget.compare.matrix_statistics import MatrixStats
        from cxg_widget.compare.question import Question
        from cxg_widget.datasets import open_dataset

        assert where == ALL
        with open_dataset(path) as dataset:
            compare_groups(MatrixStats(dataset), "type", Question(method), reference=reference).frame()

    return act


def one_group(method: str) -> Act:
    """Return a function that compares the first of these groups with the rest."""

    def act(path: str, where: str) -> None:
        from cxg_widget.compare.matrix_statistics import MatrixStats
        from cxg_widget.compare.question import Question, compare
        from cxg_widget.datasets import open_dataset

        assert where == ALL
        with open_dataset(path) as dataset:
            a = dataset.codes("type").codes == 0
            compare(MatrixStats(dataset), a, ~a, Question(method)).frame()

    return act


def by_scanpy(method: str) -> Act:
    """Return a function that compares a file by scanpy, with reading."""

    def act(path: str, where: str) -> None:
        import numpy as np
        import pandas as pd
        import scanpy  # type: ignore[import-not-found]

        data = scanpy.read_h5ad(path)
        data.obs["set"] = pd.Categorical(np.array(["a", "b", "neither"])[codes(data.n_obs, where)])
        options = {"tie_correct": True} if method == "wilcoxon" else {}
        scanpy.tl.rank_genes_groups(data, "set", groups=["a"], reference="b", method=method, **options)

    return act


def rows(path: str, where: str) -> None:
    """Read the rows of both sets in blocks, and discard them."""
    import numpy as np

    from cxg_widget.datasets import open_dataset

    with open_dataset(path) as dataset:
        for _ in dataset.rows_of(np.flatnonzero(codes(dataset.n_obs, where) < 2)):
            pass


def by_illico(reference: str | None = None) -> Act:
    """Return a function that compares each group by illico's ranks, with reading the file into memory."""

    def act(path: str, where: str) -> None:
        import anndata
        import illico  # type: ignore[import-not-found]

        assert where == ALL
        options = {"is_log1p": True, "group_keys": "type", "n_threads": 2, "use_continuity": False}
        illico.asymptotic_wilcoxon(anndata.read_h5ad(path), reference=reference, **options)

    return act


ALL = "all cells"
ONE = "type 0"
"""The reference group."""
PEERS = ("scanpy", "illico")
ACTS: dict[str, tuple[Act, tuple[str, ...], str]] = {
    "floor": (floor, (SCATTERED, CONTIGUOUS), ""),
    "rows alone": (rows, (SCATTERED, CONTIGUOUS), "floor"),
    "t-test": (ours("t-test"), (SCATTERED, CONTIGUOUS), "floor"),
    "wilcoxon": (ours("wilcoxon"), (SCATTERED, CONTIGUOUS), "t-test"),
    "a group, t-test": (one_group("t-test"), (ALL,), ""),
    "30 groups, t-test": (of_groups("t-test"), (ALL,), "a group, t-test"),
    "a group, wilcoxon": (one_group("wilcoxon"), (ALL,), ""),
    "30 groups, wilcoxon": (of_groups("wilcoxon"), (ALL,), "a group, wilcoxon"),
    "30 groups against one, wilcoxon": (of_groups("wilcoxon", ONE), (ALL,), "30 groups, wilcoxon"),
    "scanpy, t-test": (by_scanpy("t-test"), (SCATTERED,), "t-test"),
    "scanpy, wilcoxon": (by_scanpy("wilcoxon"), (SCATTERED,), "wilcoxon"),
    "illico, wilcoxon": (by_illico(), (ALL,), "30 groups, wilcoxon"),
    "illico, against one": (by_illico(ONE), (ALL,), "30 groups against one, wilcoxon"),
}
"""What is measured, of which cells, and the row it is compared with."""


def act(what: str, path: str, small: str, where: str, calls: int) -> None:
    """Run an act several times in this process; print seconds of clock and processor, and MiB."""
    do = ACTS[what][0]
    do(small, where)
    codes(int(Path(path).parent.name.partition("-")[0]), where)  # not part of the measurement
    before, taken = _resident("VmRSS"), []
    for _ in range(calls):
        clock, processor = time.perf_counter(), time.process_time()
        do(path, where)
        taken.append((time.perf_counter() - clock, time.process_time() - processor))
    best = [min(one) for one in zip(*taken, strict=True)]
    print(json.dumps([*best, _resident("VmHWM") - before]))


def _resident(name: str) -> float:
    """Return the current (VmRSS) or peak (VmHWM) resident memory of the process, MiB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 2**10


def measure(what: str, where: str, store: Path, small: Path, *, calls: int, python: str) -> list[float]:
    """Return seconds of clock and processor, and MiB, of a separate process."""
    arguments = ", ".join(map(repr, (what, str(store), str(small / store.name), where, calls)))
    script = f"from benchmarks.compare import act; act({arguments})"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True, cwd=HERE.parent)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


Measured = dict[tuple[str, str, str], list[float]]


def report(n_obs: int, n_var: int, calls: int, measured: Measured, peers: str) -> str:
    """Return the measurements as Markdown, with the versions of peers."""
    from benchmarks.machine import STORE_PACKAGES, facts

    lines = [f"| | | | {' | '.join(_HEADS)} |", f"| --- | --- | --- {'| --: ' * 5}| --- |"]
    for (store, what, where), (clock, processor, memory) in measured.items():
        other = what if where.startswith(_size_words(LINEAR[1])) else ACTS[what][2]
        reference = measured.get((store, other, _size_words(LINEAR[0]) if other == what else where))
        ratios = (
            f"{clock / reference[0]:.2f} | {processor / reference[1]:.2f} | {_of(other, what)} |"
            if reference
            else " | | |"
        )
        lines.append(f"| {store} | {what} | {where} | {clock:.2f} | {processor:.2f} | {memory:,.0f} | {ratios}")
    about = "\n".join(f"- {title}: {text}" for title, text in {**facts(STORE_PACKAGES), "peers": peers}.items())
    return _REPORT.format(n_obs=n_obs, n_var=n_var, share=SHARE, calls=calls, facts=about, table="\n".join(lines))


def _of(other: str, what: str) -> str:
    return _size_words(LINEAR[0]) if other == what else other


def _size_words(n_obs: int) -> str:
    return f"{n_obs:,} x {LINEAR_GENES}"


def _version_in(python: str, package: str) -> str:
    """Return the version of a package in an environment, "" without it."""
    script = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def made(folder: Path, n_obs: int, n_var: int, stores: tuple[str, ...] = tuple(STORES)) -> Path:
    """Return the folder of stores of a size, after writing the missing ones."""
    found = folder / f"{n_obs}-{n_var}"
    if not all((found / STORES[name]).exists() for name in stores):
        write(found, n_obs, n_var, stores=stores)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line says, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("--cells", type=int, default=CELLS, help="%(default)s")
    parser.add_argument("--genes", type=int, default=GENES, help="%(default)s")
    parser.add_argument("--calls", type=int, default=CALLS, help="of which the best counts; %(default)s")
    parser.add_argument("--folder", type=Path, default=RAW, help="where stores are kept; %(default)s")
    parser.add_argument("--linear", action="store_true", help="measure 1 and 10 million cells by 200 genes too")
    parser.add_argument("--scanpy", default=sys.executable, help="a Python that has scanpy and illico")
    parser.add_argument(
        "--only", nargs="+", choices=tuple(ACTS), default=[], help="measure these, of .h5ad; print them"
    )
    wanted = parser.parse_args(arguments)
    acts, stores = wanted.only or list(ACTS), tuple(STORES)[1:] if wanted.only else tuple(STORES)
    small, folder = made(wanted.folder, *SMALL), made(wanted.folder, wanted.cells, wanted.genes, stores)
    has = {name: found for name in PEERS if (found := _version_in(wanted.scanpy, name))}
    peers = ", ".join(f"{name} {version}" for name, version in has.items())
    measured: Measured = {}

    def take(what: str, where: str, folder: Path, row: tuple[str, str], store: str = "h5ad, CSR") -> None:
        is_peer = what.startswith(PEERS)
        python, calls = (wanted.scanpy, 1) if is_peer else (sys.executable, wanted.calls)  # slow
        found = measured[store, *row] = measure(what, where, folder / STORES[store], small, calls=calls, python=python)
        print(store, *row, *(f"{one:.2f}" for one in found), flush=True)
        if not wanted.only:  # after each, since all are slow
            (HERE / "compare.md").write_text(report(wanted.cells, wanted.genes, wanted.calls, measured, peers))

    for store in stores:
        for what in acts:
            for where in ACTS[what][1] if not what.startswith(PEERS) else ():
                take(what, where, folder, (what, where), store)
    if wanted.linear:
        for n_obs in LINEAR:
            of_size = made(wanted.folder, n_obs, LINEAR_GENES, ("h5ad, CSR",))
            take("t-test", SCATTERED, of_size, ("t-test", _size_words(n_obs)))
    for what in acts:
        peer = what.partition(",")[0]
        for where in ACTS[what][1] if peer in has else ():
            for store in tuple(STORES)[1:] if peer == "illico" else ("h5ad, CSR",):
                take(what, where, folder, (what, where), store)
    if wanted.only:
        print(report(wanted.cells, wanted.genes, wanted.calls, measured, peers))
        return
    gestures = [sys.executable, "-m", "benchmarks.compare_gestures", str(folder)]
    meanwhile = subprocess.run(gestures, capture_output=True, text=True, check=True, cwd=HERE.parent).stdout
    with (HERE / "compare.md").open("a") as file:
        file.write(f"\n{meanwhile}")
    print(f"wrote {HERE / 'compare.md'}")


if __name__ == "__main__":
    main()
