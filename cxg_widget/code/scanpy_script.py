"""An analysis in plain scanpy, pandas, scipy and matplotlib: equal masks and numbers, comments for all else."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from cxg_widget.annotations.log import Log
from cxg_widget.code.scanpy_calls import write_scanpy_call
from cxg_widget.code.scanpy_cells import NotInScanpy, column, mask
from cxg_widget.code.scanpy_functions import FUNCTIONS, NEEDS
from cxg_widget.code.scanpy_plots import PLOTTED, write_plots
from cxg_widget.code.script import Script
from cxg_widget.code.statement import call, comment, literal, quoted
from cxg_widget.code.writers import WRITERS

if TYPE_CHECKING:
    from cxg_widget.code.records import Records

_WRITTEN = ("sets", "filters", "annotations", "gene_sets", "hidden")
_BY_SCIPY = {"composition", "pseudobulk", "between"}
_READERS = {"h5ad": "ad.read_h5ad", "zarr": "ad.read_zarr"}


def scanpy_code(records: Records) -> str:
    """Return code that computes the masks and numbers of an analysis without this package."""
    script = Script(records, records.settings)
    _write_sets(script)
    for name, log in records.annotations.items():
        _write_annotation(script, name, log)
    for one in records.settings.gene_sets:
        script.assign(script.named("gene_sets", lambda name: f"{name} = {{}}") + f"[{quoted(one['name'])}]",
                      literal(list(one["genes"])))  # fmt: skip
    if records.settings.filters:
        _write_mask(script, "passes", {"and": list(records.settings.filters)})
    if records.selection.n:
        _write_mask(script, "selected", records.selection.rule)
    write_plots(script)
    for made in records.calls:
        write_scanpy_call(script, made)
    written = (
        *_WRITTEN,
        *PLOTTED,
        *(("study_design",) if "shares" in script.needs or "expression" in script.needs else ()),
    )
    left = [name for name in WRITERS if name not in written and _is_changed(records, name)]
    if left:
        script.remark(f"Not possible in scanpy: the settings {', '.join(left)}.")
    return "\n".join([*_head(script), *script.lines])


def _is_changed(records: Records, name: str) -> bool:
    return bool(getattr(records.settings, name) != getattr(records.first, name))


def _head(script: Script) -> list[str]:
    source = script.records.source
    needs = script.needs | ({"unpack"} if script.needs_rows else set())
    needs |= {other for name in needs for other in NEEDS.get(name, ())}
    lines = [*script.about()]
    lines += ["import base64", "import zlib", ""] if script.needs_rows else []
    lines += ["import anndata as ad", "import numpy as np", "import pandas as pd", "import scanpy as sc"]
    lines += ["from matplotlib.path import Path"] if "polygon" in needs else []
    lines += ["from scipy import stats"] if needs & _BY_SCIPY else []
    functions = [text for name, text in FUNCTIONS.items() if name in needs]
    lines += [
        "",
        *(line for text in functions for line in ["", *text.strip("\n").split("\n"), ""]),
        *([""] if functions else []),
    ]
    if source.is_in_memory:
        return [*lines, comment("adata is the AnnData object that the widget shows")]
    reader = _READERS["zarr" if "zarr" in source.format else "h5ad"]
    is_anndata = source.path.removesuffix("/").endswith((".h5ad", ".zarr"))
    path = source.path if is_anndata else f"{PurePath(source.path).stem}.h5ad"
    if not is_anndata:
        lines.append(comment(f"Written by: cxg-widget convert {source.path} {path}"))
        reader = _READERS["h5ad"]
    script.lines.insert(0, f"adata = {reader}({quoted(path)})")
    return lines


def _write_mask(script: Script, target: str, rule: object) -> None:
    try:
        script.add(f"{target} = {mask(rule, script)}")  # type: ignore[arg-type]
    except NotInScanpy as reason:
        script.remark(f"Not possible in scanpy: {target}; it lacks {reason}.")


def _write_sets(script: Script) -> None:
    if script.records.settings.sets:
        script.add("sets = {}")
    for one in script.records.settings.sets:
        _write_mask(script, f"sets[{quoted(one['name'])}]", one["rule"])
        script.sets[one["name"]] = one["rule"]


def _write_annotation(script: Script, name: str, log: Log) -> None:
    """Write labels as a categorical column of obs."""
    n_lines = len(script.lines)
    try:
        script.add("labels = np.full(adata.n_obs, None, dtype=object)")
        for step in log:
            if "codes" in step:
                raise NotInScanpy("labels that were read from a file")
            if "of" in step:
                of = step["of"].removeprefix("obs:")
                script.add(
                    f"labels = {column(of)}.astype(str).where({column(of)}.notna(), None).to_numpy(dtype=object)"
                )
            elif "assign" in step:
                label = "None" if step["assign"] is None else quoted(step["assign"])
                script.add(f"labels[{mask(step['rule'], script)}] = {label}")
            elif "delete" in step:
                script.add(f"labels[labels == {quoted(step['delete'])}] = None")
            else:
                old = step["merge"] if "merge" in step else [step["rename"]]
                new = step["into"] if "merge" in step else step["to"]
                for one in old:
                    script.add(f"labels[labels == {quoted(one)}] = {quoted(new)}")
        categories = literal(list(script.records.label_counts(name)))
        script.assign(column(name), call("pd.Categorical", "labels", categories))
    except NotInScanpy as reason:
        del script.lines[n_lines:]
        script.remark(f"Not possible in scanpy: annotation {name}; it lacks {reason}.")
