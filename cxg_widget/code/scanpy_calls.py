"""Comparisons, compositions and plots in scanpy, pandas and scipy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cxg_widget.code.scanpy_cells import NotInScanpy, check_layer, column, mask, var_name
from cxg_widget.code.statement import Expression, call, flat, literal, quoted
from cxg_widget.compare.question import METHODS

if TYPE_CHECKING:
    from cxg_widget.code.records import MadeCall
    from cxg_widget.code.script import Script


def write_scanpy_call(script: Script, made: MadeCall) -> None:
    """Write a call, or a comment on what scanpy cannot do."""
    n_lines = len(script.lines)
    try:
        write = _CALLS.get(made.call.method)
        if write is None:
            raise NotInScanpy(f"{made.call.method}()")
        write(script, made)
    except NotInScanpy as reason:
        del script.lines[n_lines:]
        what = made.call.description or f"w.{made.call.method}()"
        script.remark(f"Not possible in scanpy: {what}; it lacks {reason}.")


def _tested(script: Script, options: Mapping[str, Any]) -> tuple[str, Mapping[str, Expression]]:
    """Write the part of the matrix that a test reads, and return its options."""
    method, layer, fold = options.get("method", "t-test"), options.get("layer"), options.get("fold", "scanpy")
    if not METHODS[method].takes_groups:
        raise NotInScanpy(f"method {method!r}")
    if fold != "scanpy":
        raise NotInScanpy(f"fold changes by {fold!r}")
    check_layer(layer)
    if layer is not None:
        script.add(f"part.X = part.layers[{quoted(layer)}].copy()")
    if options.get("normalize"):
        script.add("part.X = part.X.astype(np.float64)")
        script.add("sc.pp.normalize_total(part, target_sum=1e4)")
        script.add("sc.pp.log1p(part)")
    if options.get("genes"):
        names = [var_name(one, layer, script) for one in options["genes"]]
        script.add(f"part = part[:, part.var_names.isin({flat(literal(names))})].copy()")
    more = {"tie_correct": "True"} if METHODS[method].needs_ranks else {}
    return method, {"method": quoted(method), "use_raw": "False", **more}


def _compare(script: Script, made: MadeCall) -> None:
    options = made.call.options
    if options.get("method") == "pseudobulk":
        _pseudobulk(script, made)
        return
    if options.get("against") == "neighborhood":
        raise NotInScanpy("the neighborhood of cells in an embedding")
    if "by" in options:
        _markers_by(script, made)
        return
    _write_sides(script, made)
    script.add('adata.obs["compared"] = pd.Categorical(np.where(a, "a", np.where(b, "b", None)))')
    script.add("part = adata[a | b].copy()")
    _, more = _tested(script, options)
    given = {"groups": '["a"]', "reference": '"b"', **more}
    script.add(call("sc.tl.rank_genes_groups", "part", '"compared"', **given))
    script.assign(script.name("compared"), call("sc.get.rank_genes_groups_df", "part", '"a"'))


def _write_sides(script: Script, made: MadeCall) -> None:
    cells = made.cells
    script.add(f"a = {mask(cells['a'].rule, script)}")
    script.add(f"b = {mask(cells['b'].rule, script)}" if "b" in cells else "b = ~a")
    if "within" in cells:
        within = script.named("within", lambda name: f"{name} = {mask(cells['within'].rule, script)}")
        script.add(f"a, b = a & {within}, b & {within}")


def _pseudobulk(script: Script, made: MadeCall) -> None:
    options, layer = made.call.options, made.call.options.get("layer")
    matrix = _matrix(layer)
    _write_sides(script, made)
    script.needs.add("pseudobulk")
    names = [var_name(one, layer, script) for one in options.get("genes") or ()]
    least = [repr(options.get(name, default)) for name, default in (("min_cells", 10), ("min_donors", 3))]
    genes: list[Expression] = [literal(names)] if names else []
    found = call("pseudobulk", matrix, "a", "b", column(options["by"]), *least, *genes)
    script.assign(script.name("compared"), found)


def _matrix(layer: str | None) -> str:
    """Return the expression of a matrix; raises `NotInScanpy` if the layer is no layer of AnnData."""
    check_layer(layer)
    return "adata.X" if layer is None else f"adata.layers[{quoted(layer)}]"


def _of_study(script: Script, made: MadeCall) -> tuple[str, Mapping[str, Expression]]:
    """Return the cells that count, and the design."""
    design = made.call.settings.study_design or {}
    if design["pair"] and not script.records.has_one_sample_a_pair(design):
        raise NotInScanpy("samples that count as one")
    given: dict[str, Expression] = {name: quoted(design[name]) for name in ("sample", "condition")}
    given |= {"excluded": literal(list(design["excluded"]))} if design["excluded"] else {}
    given |= {"pair": quoted(design["pair"])} if design["pair"] else {}
    return _counted(script, made), given


def _counted(script: Script, made: MadeCall) -> str:
    return mask(made.cells["within"].rule, script) if "within" in made.cells else "np.ones(adata.n_obs, dtype=bool)"


def _shares(script: Script, made: MadeCall) -> None:
    if "by" not in made.call.options:
        raise NotInScanpy("the share of the selection")
    of, design = _of_study(script, made)
    script.needs.add("shares")
    by, method = made.call.options["by"].removeprefix("obs:"), made.call.options.get("method", "logit")
    script.assign(script.name("shares_of_samples"), call("shares", column(by), of, quoted(method), **design))


def _expression(script: Script, made: MadeCall) -> None:
    options, layer = made.call.options, made.call.options.get("layer")
    of, design = _of_study(script, made)
    by = options.get("by")
    kinds = column(by.removeprefix("obs:")) if by else 'pd.Series("", adata.obs_names)'
    names = [var_name(one, layer, script) for one in options["genes"]]
    are_counts = repr("counts per million" in made.call.description)
    script.needs.add("expression")
    found = call("expression", _matrix(layer), are_counts, literal(names), kinds, of, **design)
    script.assign(script.name("expression_of_samples"), found)


def _markers_by(script: Script, made: MadeCall) -> None:
    options = made.call.options
    by = options["by"]
    few = [name for name, n in made.call.n.items() if n < 2]
    part = mask(made.cells["within"].rule, script) if "within" in made.cells else ":"
    script.add(f"part = adata[{part}].copy()")
    script.add(f'part.obs["group"] = part.obs[{quoted(by)}].astype(str).where(part.obs[{quoted(by)}].notna())')
    script.add('part.obs["group"] = part.obs["group"].astype("category")')
    _, more = _tested(script, options)
    groups = [name for name in made.call.n if name not in few]
    reference = {"reference": quoted(str(options["reference"]))} if "reference" in options else {}
    named = {"groups": literal([*groups, *([str(options["reference"])] if reference else [])]), **reference, **more}
    script.add(call("sc.tl.rank_genes_groups", "part", '"group"', **named))
    script.assign(script.name("markers"), call("sc.get.rank_genes_groups_df", "part", "None"))


def _composition(script: Script, made: MadeCall) -> None:
    options = made.call.options
    if "by" in options:
        raise NotInScanpy("the test by donor")
    name = options["column"].removeprefix("obs:")
    known = script.dataset.obs_columns
    if name not in known or known[name].kind not in ("categorical", "boolean", "string"):
        raise NotInScanpy(f"intervals of {options['column']}")
    script.needs.add("composition")
    found = call("composition", column(name), mask(made.cells["of"].rule, script), _counted(script, made))
    script.assign(script.name("found"), found)


def _of_plot(script: Script, made: MadeCall) -> tuple[str, Mapping[str, Expression]]:
    options = made.call.options
    if "by2" in options:
        raise NotInScanpy("a second column of groups")
    layer = options.get("layer", made.call.settings.layer)
    part = f"adata[{mask(made.cells['within'].rule, script)}]" if "within" in made.cells else "adata"
    return part, {"groupby": quoted(options["by"]), **({} if layer is None else {"layer": quoted(layer)})}


def _genes(script: Script, genes: Any, layer: str | None) -> Expression:
    if isinstance(genes, Mapping):
        return literal({name: [var_name(one, layer, script) for one in some] for name, some in genes.items()})
    own = script.now.own_gene_sets
    listed = own.get(genes, [genes]) if isinstance(genes, str) else list(genes)
    return literal([var_name(one, layer, script) for one in listed])


def _gene_plot(function: str) -> Callable[[Script, MadeCall], None]:
    def write(script: Script, made: MadeCall) -> None:
        part, named = _of_plot(script, made)
        options = made.call.options
        if "cmap" in options and not isinstance(options["cmap"], str):
            raise NotInScanpy("a separate colormap")
        scale = options.get("standard_scale")
        more: dict[str, Expression] = {} if scale is None else {"standard_scale": quoted(scale)}
        more |= {"swap_axes": "True"} if options.get("swap_axes") else {}
        genes = _genes(script, options["genes"], options.get("layer"))
        script.add(call(function, part, genes, **named, **more, use_raw="False"))

    return write


def _violin(script: Script, made: MadeCall) -> None:
    part, named = _of_plot(script, made)
    genes = _genes(script, made.call.options["gene"], made.call.options.get("layer"))
    script.add(call("sc.pl.violin", part, genes, **named, use_raw="False"))


def _bars(script: Script, made: MadeCall) -> None:
    part, _ = _of_plot(script, made)
    options = made.call.options
    script.assign("cells", f"{part}.obs")
    by, of = (f"cells[{quoted(options[name])}]" for name in ("by", "column"))
    share = {} if options.get("share") is False else {"normalize": '"index"'}
    script.add(f"{flat(call('pd.crosstab', by, of, **share))}.plot.bar(stacked=True)")


_CALLS: Mapping[str, Callable[[Any, Any], None]] = {
    "compare": _compare,
    "markers": _compare,
    "composition": _composition,
    "study.composition": _shares,
    "study.expression": _expression,
    "dotplot": _gene_plot("sc.pl.dotplot"),
    "heatmap": _gene_plot("sc.pl.matrixplot"),
    "violin": _violin,
    "bars": _bars,
}
"""The writer of each method; the others are not possible in scanpy."""
