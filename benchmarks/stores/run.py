"""``python -m benchmarks.stores.run``: measure the stores, and write `stores.md` in the folder above.

What other runs measured of other stores and sizes stays.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from benchmarks import machine
from benchmarks.data import HERE, RAW, SHAPES
from benchmarks.stores import conversion, kinds, measure, report

SIZES = ("100k", "1m")
CONVERSION = "conversion"
SOURCE = "csr.h5ad"
SMALL = 100_000
PARTS = (*kinds.BY_NAME, CONVERSION)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stores.run", description=__doc__)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=SIZES)
    parser.add_argument("--stores", nargs="+", choices=PARTS, default=PARTS, help="%(choices)s; all of them")
    wanted = parser.parse_args(arguments)
    for size in wanted.sizes:
        measure_size(size, wanted.stores)
    print(f"wrote {HERE / 'stores.md'}")


def measure_size(size: str, names: Sequence[str] = PARTS) -> None:
    """Measure stores of a size, each after the other, and keep what was found as soon as it is there."""
    n_obs = SHAPES[size][0]
    for name in names:
        kept = load().get(size, {"n_obs": n_obs, "kinds": {}})
        if name == CONVERSION:
            source = kinds.ensure(kinds.BY_NAME[SOURCE], size, n_obs)
            print(f"{size}: conversion", flush=True)
            repeats = 3 if n_obs <= SMALL else 1
            found = conversion.measure_all(source, n_obs, repeats)
            kept["conversions"] = {title: {"facts": _facts(), "measures": one} for title, one in found.items()}
        else:
            kind = kinds.BY_NAME[name]
            path = kinds.ensure(kind, size, n_obs)
            print(f"{size}: {name}", flush=True)
            kept["kinds"][name] = {"facts": _facts(), **measure.measure_all(kind, path)}
        (RAW / f"stores_{size}.json").write_text(json.dumps(kept))
        (HERE / "stores.md").write_text(report.write(load()))


def load() -> dict[str, Any]:
    """Return what was measured last of each size."""
    paths = {size: RAW / f"stores_{size}.json" for size in SIZES}
    return {size: json.loads(path.read_text()) for size, path in paths.items() if path.exists()}


def _facts() -> dict[str, str]:
    return machine.facts(machine.STORE_PACKAGES)


if __name__ == "__main__":
    main()
