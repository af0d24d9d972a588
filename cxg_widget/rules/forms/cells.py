"""Forms that do not use one column: queries, polygons in an embedding, and packed rows."""

from __future__ import annotations

from typing import Any

from cxg_widget.compute.bits import unpack_mask
from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.rules.expression import mask_of_query
from cxg_widget.rules.form import Cells, FilterPart, Form, Mask, Rule, Words
from cxg_widget.rules.forms.column_forms import QUERY as _KEY_OF_QUERY
from cxg_widget.rules.grammar import parse
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.spatial.polygon import as_polygon, in_polygon
from cxg_widget.text.names import shown

MOST_ROWS = 2**48
"""More rows than any store has."""


def _check_query(rule: Rule) -> None:
    parse(rule["query"])
    if not isinstance(rule.get("layer"), str | None):
        raise QUERY.wrong(rule)


def _mask_of_query(cells: Cells, rule: Rule) -> Mask:
    return mask_of_query(parse(rule["query"]), cells.dataset, rule.get("layer"))


QUERY = Form(
    needs=("query",),
    takes=("layer",),
    spelling="{query}",
    holds_rules=False,
    check=_check_query,
    find_missing=lambda rule, missing: missing.add_query(rule["query"], rule.get("layer")),
    columns=lambda rule: [name.removeprefix("obs:") for name in parse(rule["query"]).names.values()],
    mask=_mask_of_query,
    # Unknown values of a text column are only found by reading all its rows, and are refused.
    is_row_wise=lambda *_: False,
    words=lambda rule, _: Words("query", rule["query"]),
    twin="query",
    as_filter=FilterPart(
        key=lambda _: _KEY_OF_QUERY,
        can_be_negated=False,
        kept=lambda rule, *_: [rule["query"]],
    ),
)


def _check_polygon(rule: Rule) -> None:
    if not _is_embedding(rule["embedding"]) or not _are_axes(rule.get("axes", [0, 1])):
        raise POLYGON.wrong(rule)
    as_polygon(rule["polygon"])


def _is_embedding(name: Any) -> bool:
    """Return whether it is the name of an embedding, or two columns, with an optional layer."""
    is_pair = isinstance(name, list) and len(name) in (2, 3) and all(isinstance(one, str) for one in name)
    return is_pair or isinstance(name, str)


def _are_axes(axes: Any) -> bool:
    return isinstance(axes, list) and len(axes) == 2 and all(type(one) is int and one >= 0 for one in axes)


def _axes_of(rule: Rule) -> tuple[int, int]:
    x, y = rule.get("axes", (0, 1))
    return x, y


def _mask_of_polygon(cells: Cells, rule: Rule) -> Mask:
    return in_polygon(cells.dataset.embedding(rule["embedding"], _axes_of(rule)), as_polygon(rule["polygon"]))


POLYGON = Form(
    needs=("polygon", "embedding"),
    takes=("axes",),
    spelling="{polygon, embedding, axes}",
    holds_rules=False,
    check=_check_polygon,
    find_missing=lambda rule, missing: missing.add_embedding(rule["embedding"], _axes_of(rule)),
    columns=lambda _: (),
    mask=_mask_of_polygon,
    is_row_wise=lambda *_: False,
    words=lambda *_: Words("", "a polygon"),
    twin="polygon",
    as_filter=None,
)


def _check_rows(rule: Rule) -> None:
    n_obs, packed = rule["n_obs"], rule["rows"]
    if not isinstance(packed, str) or type(n_obs) is not int or not isinstance(rule["identity"], str):
        raise ROWS.wrong(rule)
    if not 0 <= n_obs < MOST_ROWS:
        raise InvalidValue(f"n_obs of packed rows must be from 0 to {MOST_ROWS - 1:,}; found {shown(n_obs)}")
    n_bytes = -(-n_obs // 8)
    n_padding = -n_bytes % 3  # the padding alone distinguishes 126 bytes from 125
    if len(packed) != 4 * (-(-n_bytes // 3)) or len(packed) - len(packed.rstrip("=")) != n_padding:
        raise InvalidValue(
            f"packed rows are base64 of one bit per row: {n_obs:,} rows take {n_bytes:,} bytes, or "
            f"{4 * (-(-n_bytes // 3)):,} letters that end with {n_padding} '='; found {len(packed):,} letters"
        )


def check_rows(rows: PackedRows, dataset: Any) -> None:
    """Raise `SelectionError` if rows belong to another dataset."""
    if not dataset.has_rows_of(rows.n_obs, rows.identity):
        what = "these rows belong to another dataset, or to another state of this one"
        raise SelectionError(f"{what}; a rule of rows applies only to its own dataset.")


def _mask_of_rows(cells: Cells, rule: Rule) -> Mask:
    rows = PackedRows.of(rule)
    check_rows(rows, cells.dataset)
    return unpack_mask(rows.bits, rows.n_obs)


ROWS = Form(
    needs=("rows", "n_obs", "identity"),
    takes=(),
    spelling="{rows, n_obs, identity}",
    holds_rules=False,
    check=_check_rows,
    find_missing=lambda *_: None,
    columns=lambda _: (),
    mask=_mask_of_rows,
    is_row_wise=lambda *_: False,
    words=lambda *_: Words("", "picked rows"),
    twin="rows",
    as_filter=None,
)
