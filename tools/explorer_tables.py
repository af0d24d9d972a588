"""Write tables computed by CELLxGENE Explorer's own code, the truth of `tests/unit/test_compare_explorer.py`.

Its code is no dependency and stays where it is: check out https://github.com/chanzuckerberg/single-cell-explorer
(`server/compute/diffexp_cxg.py` is that of a30a0e0; the file imports numpy, numba, scipy and two small modules), then

    python tools/explorer_tables.py PATH_OF_THE_CHECKOUT [FOLDER_OF_ITS_FIXTURES]

It writes `tests/golden/compare/explorer-*.csv`: the genes of the small matrix of `tools/scanpy_tables.py`, as a sparse
and as a dense array, for a against b and one cell against the rest; and of each fixture that is found the genes it
lists. A row is a gene at its place in the list of its side; 15 genes a side is what its page asks for.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tiledb

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "compare"
FIXTURES = ("dense_no_col_shift.cxg", "nan.cxg", "dataset_with_int64.cxg")
LISTED = 15


class Adaptor:
    """The part of a dataset that its code needs: the array of X, and its shape."""

    def __init__(self, uri: str, shape: tuple[int, int]) -> None:
        self._uri, self._shape = uri, shape

    def open_X_array(self) -> Any:  # noqa: N802 - its name there
        """Return the open array."""
        return tiledb.open(self._uri)

    def get_shape(self) -> tuple[int, int]:
        """Return (n_obs, n_var)."""
        return self._shape


def put(x: np.ndarray, uri: str, *, sparse: bool) -> Adaptor:
    """Write a matrix as Explorer's builder lays it out: one anonymous attribute, dimensions obs and var."""
    dimensions = [
        tiledb.Dim(name, domain=(0, n - 1), tile=min(64, n), dtype=np.uint32)
        for name, n in zip(("obs", "var"), x.shape, strict=True)
    ]
    kind: dict[str, Any] = {"sparse": True, "allows_duplicates": True} if sparse else {}
    tiledb.Array.create(
        uri, tiledb.ArraySchema(domain=tiledb.Domain(*dimensions), attrs=[tiledb.Attr("", dtype=np.float32)], **kind)
    )
    with tiledb.open(uri, "w") as array:
        if sparse:
            obs, var = np.nonzero(x)
            array[obs.astype(np.uint32), var.astype(np.uint32)] = x[obs, var]
        else:
            array[:] = x
    return Adaptor(uri, (x.shape[0], x.shape[1]))


def rows_of(found: dict[str, Any]) -> list[list[Any]]:
    """Return side, place, gene, log fold change, p and adjusted p from its code."""
    return [
        [side, place, int(gene), *(repr(float(number)) for number in numbers)]
        for side in ("positive", "negative")
        for place, (gene, *numbers) in enumerate(found[side])
    ]


def write(name: str, rows: list[list[Any]]) -> None:
    """Write a table."""
    with (GOLDEN / f"explorer-{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["side", "place", "gene", "logfc", "p", "p_adj"], *rows])


def main() -> None:
    """Run its code and write the tables."""
    sys.path.insert(0, sys.argv[1])
    from server.compute.diffexp_cxg import diffexp_ttest

    held = np.load(GOLDEN / "matrix.npz")
    x, groups = held["log1p"].astype(np.float32), held["groups"]
    one = np.arange(len(x)) == 3
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("sparse", "dense"):
            adaptor = put(x, f"{folder}/{kind}", sparse=kind == "sparse")
            for top_n in (LISTED, x.shape[1] // 2):
                write(f"{kind}-{top_n}", rows_of(diffexp_ttest(adaptor, groups == 0, groups == 1, top_n=top_n)))
            if kind == "sparse":
                write("sparse-one", rows_of(diffexp_ttest(adaptor, one, ~one, top_n=LISTED)))
    for name in FIXTURES:
        group = Path(sys.argv[2]) / name if len(sys.argv) > 2 else None
        if group is None or not group.exists():
            continue
        with tiledb.open(str(group / "obs")) as obs:
            n_obs = int(obs.nonempty_domain()[0][1]) + 1
        with tiledb.open(str(group / "var")) as var:
            n_var = int(var.nonempty_domain()[0][1]) + 1
        uri = next(str(group / array) for array in ("Xr", "X") if (group / array).exists())
        first = np.arange(n_obs) < n_obs // 3
        write(
            f"fixture-{group.stem}", rows_of(diffexp_ttest(Adaptor(uri, (n_obs, n_var)), first, ~first, top_n=LISTED))
        )
    print(f"wrote {GOLDEN}")


if __name__ == "__main__":
    main()
