"""Masks of cells in pandas, NumPy and matplotlib, from rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cxg_widget.code.cells import fewest_digits, labels_of_rows, unpacked
from cxg_widget.code.statement import corners, flat, literal, quoted
from cxg_widget.compute.bits import unpack_mask
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.grammar import parse
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.text.names import label_of
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.code.script import Script


class NotInScanpy(Exception):
    """Something that these libraries cannot do; the message says what."""


def mask(rule: Rule, script: Script) -> str:
    """Return an expression for the mask of a rule, bool (n_obs,); raises `NotInScanpy`."""
    name = next((name for name, known in script.sets.items() if known == rule), None)
    if name is not None:
        return f"sets[{quoted(name)}]"
    for word, write in _MASKS.items():
        if word in rule:
            return write(rule, script)
    raise NotInScanpy(f"the rule {next(iter(rule))}")


def column(name: str) -> str:
    """Return the expression of an obs column."""
    return f"adata.obs[{quoted(name)}]"


def gene(name: str, layer: str | None, script: Script) -> str:
    """Return the expression of the values of a gene, (n_obs,); raises `NotInScanpy` if AnnData has no such layer."""
    check_layer(layer)
    script.needs.add("gene")
    return f"gene({quoted(var_name(name, layer, script))}{'' if layer is None else f', {quoted(layer)}'})"


def check_layer(layer: str | None) -> None:
    """Raise `NotInScanpy` if a layer is no layer of AnnData."""
    if layer is not None and (":" in layer or layer == "raw"):
        raise NotInScanpy(f"layer {layer!r}")


def var_name(name: str, layer: str | None, script: Script) -> str:
    """Return the name of a gene in `adata.var_names`."""
    names = script.dataset.names_in(layer)
    try:
        return str(names.var_labels[names.find_var(name.removeprefix("var:"))])
    except (CxgWidgetError, IndexError):
        raise NotInScanpy(f"the gene {name}") from None


def _values(rule: Rule, script: Script) -> str:
    name, wanted = rule["obs"], list(rule["in"])
    kinds = script.dataset.obs_columns
    if name in kinds and kinds[name].kind in ("categorical", "boolean"):
        known = list(script.dataset.codes_block(name, 0, 0).categories)
        by_label = {label_of(one): one for one in known}
        wanted = [one if one in known else by_label.get(one, None if one == MISSING_LABEL else one) for one in wanted]
    listed = [one for one in wanted if one is not None]
    found = f"{column(name)}.isin({flat(literal(listed))})"
    if len(listed) == len(wanted):
        return f"{found}.to_numpy()"
    return f"({found} | {column(name)}.isna()).to_numpy()"


def _range(values: str, rule: Rule) -> str:
    low, high = rule["range"]
    parts = [f"({values} >= {low!r})"] if low is not None else []
    parts += [f"({values} <= {high!r})"] if high is not None else []
    return " & ".join(parts) if len(parts) == 1 else f"({' & '.join(parts)})"


def _of_obs(rule: Rule, script: Script) -> str:
    return _values(rule, script) if "in" in rule else _range(f"{column(rule['obs'])}.to_numpy()", rule)


def _query(rule: Rule, script: Script) -> str:
    text, genes = rule["query"], {}
    for name in parse(text).names.values():
        if name.startswith(("obs:", "var:", "set:")):
            raise NotInScanpy(f"the query {text!r}, which names {name}")
        if name not in script.dataset.obs_columns and name != "index":
            genes[name] = gene(name, rule.get("layer"), script)
    more = f".assign(**{{{', '.join(f'{quoted(name)}: {one}' for name, one in genes.items())}}})" if genes else ""
    return f'adata.obs{more}.eval({quoted(text)}, engine="python").to_numpy(dtype=bool)'


def _polygon(rule: Rule, script: Script) -> str:
    place = rule["embedding"]
    if not isinstance(place, str):
        raise NotInScanpy("a polygon over two columns")
    found = fewest_digits(rule, script.dataset)
    name = script.named("polygon", lambda name: corners(name, found))
    script.needs |= {"polygon", "place"}
    axes = list(rule.get("axes", (0, 1)))
    return f"Path({name}).contains_points(place({quoted(place)}, {axes}))"


def _rows(rule: Rule, script: Script) -> str:
    packed = rule if isinstance(rule, PackedRows) else PackedRows.of(rule)
    found = unpack_mask(packed.bits, packed.n_obs)
    labels = labels_of_rows(found, script.dataset)
    if labels is not None:
        return f"adata.obs_names.isin({flat(literal(labels))})"
    return flat(unpacked(packed, script))


def _joined(sign: str, word: str, empty: str) -> Callable[[Rule, Script], str]:
    def write(rule: Rule, script: Script) -> str:
        parts = [mask(one, script) for one in rule[word]]
        return f"({f' {sign} '.join(parts)})" if parts else f"np.{empty}(adata.n_obs, dtype=bool)"

    return write


_MASKS: Mapping[str, Callable[[Any, Any], str]] = {
    "obs": _of_obs,
    "var": lambda rule, script: _range(gene(rule["var"], rule.get("layer"), script), rule),
    "query": _query,
    "polygon": _polygon,
    "set": lambda rule, _: f"sets[{quoted(rule['set'])}]",
    "rows": _rows,
    "and": _joined("&", "and", "ones"),
    "or": _joined("|", "or", "zeros"),
    "not": lambda rule, script: f"~{mask(rule['not'], script)}",
    "minus": lambda rule, script: f"({mask(rule['minus'][0], script)} & ~{mask(rule['minus'][1], script)})",
}
"""The mask of each form of a rule, by its first key."""
