"""``cxg-widget inspect``: describe a store as text or JSON, without reading values."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.cli.arguments import add_options, add_store, open_options
from cxg_widget.cli.text import bytes_text, section, show, show_json

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Column, Dataset

_WORDS = {"schema_version": "schema", "matrix_type": "values", "stored_values": "stored"}


def add(commands: Any) -> None:
    """Add the command to the program."""
    inspect = commands.add_parser("inspect", help="describe the contents of a store")
    add_store(inspect)
    add_options(inspect)
    inspect.add_argument("--format", metavar="FORMAT", help="format, such as cxg or h5ad (default: detected)")
    inspect.add_argument("--json", action="store_true", help="print JSON")
    inspect.set_defaults(command=run)


def run(options: argparse.Namespace) -> None:
    """Print the description."""
    from cxg_widget.datasets import open_dataset

    with open_dataset(options.path, format=options.format, **open_options(options)) as dataset:
        if options.json:
            show_json(as_json(dataset))
        else:
            show(as_text(dataset))


def as_json(dataset: Dataset) -> dict[str, Any]:
    """Return the description of a dataset as JSON; names in their order."""
    found = {
        "path": dataset.uri,
        "title": dataset.title,
        "format": dataset.format,
        "details": dict(dataset.details),
        "n_obs": dataset.n_obs,
        "n_var": dataset.n_var,
        "obs_index": dataset.obs_index,
        "obs": [_column(one) for one in dataset.obs_columns.values()],
        "var_index": dataset.var_index,
        "var": [_column(one) for one in dataset.var_columns.values()],
        "embeddings": [{"name": name, "axes": width} for name, width in dataset.embeddings.items()],
        "default_embedding": dataset.default_embedding,
        "layers": list(dataset.layers),
        "gene_sets": {name: list(genes) for name, genes in dataset.gene_sets.items()},
        "sizes": dict(dataset.sizes),
    }
    return {**found, "notes": list(dataset.notes)}


def as_text(dataset: Dataset) -> Iterable[str]:
    """Yield the description of a dataset, line by line."""
    details, sizes = dataset.details, dataset.sizes
    yield dataset.title
    about = [("format", dataset.format), ("shape", f"{dataset.n_obs:,} obs x {dataset.n_var:,} var")]
    about += [(_WORDS.get(name, name.replace("_", " ")), _plain(value)) for name, value in _worth_saying(details)]
    about.append(("embeddings", ", ".join(_embeddings(dataset)) or "none"))
    if dataset.layers:
        about.append(("layers", ", ".join(dataset.layers)))
    if sizes:
        about.append(("on disk", bytes_text(sum(sizes.values()))))
    width = max(len(name) for name, _ in about)
    for name, value in about:
        yield f"  {name:<{width}}  {value}"
    modalities = details.get("modalities", {})
    yield from section("modalities", [(name, _modality(one)) for name, one in modalities.items()])
    yield from section("obs columns", _columns(dataset.obs_index, dataset.obs_columns))
    yield from section("var columns", _columns(dataset.var_index, dataset.var_columns))
    yield from section("gene sets", [(name, _some(genes)) for name, genes in dataset.gene_sets.items()])
    yield from section("sizes", [(path, bytes_text(size)) for path, size in sizes.items()])
    yield from section("notes", [(note,) for note in dataset.notes])


def _embeddings(dataset: Dataset) -> list[str]:
    return [
        f"{name} ({width}){' *' if name == dataset.default_embedding else ''}"
        for name, width in dataset.embeddings.items()
    ]


def _column(column: Column) -> dict[str, Any]:
    return {"name": column.name, "kind": column.kind, "n_categories": column.n_categories}


def _columns(index: str | None, columns: Mapping[str, Column]) -> list[tuple[str, str]]:
    rows = [] if index is None else [(index, "index")]
    return rows + [(name, _kind(column)) for name, column in columns.items()]


def _kind(column: Column) -> str:
    return column.kind if column.n_categories is None else f"{column.kind} ({column.n_categories:,})"


def _worth_saying(details: Mapping[str, Any]) -> list[tuple[str, Any]]:
    listed = {name: value for name, value in details.items() if name != "modalities"}
    return [(name, value) for name, value in listed.items() if value or (value == 0 and value is not False)]


def _modality(about: Mapping[str, Any]) -> str:
    layers = [*about.get("layers", ()), *(["raw"] if "raw" in about else [])]
    matrix = " ".join(about["X"][part] for part in ("layout", "dtype") if part in about["X"]) or "none"
    more = f", layers {', '.join(layers)}" if layers else ""
    return f"{about['n_obs']:,} obs x {about['n_var']:,} var, X {matrix}{more}"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items())
    return str(value)


def _some(genes: Sequence[str], count: int = 6) -> str:
    more = f" and {len(genes) - count} more" if len(genes) > count else ""
    return ", ".join(genes[:count]) + more
