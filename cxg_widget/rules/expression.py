"""Evaluates queries: their tree over blocks of rows, reading only the columns they use."""
# Changes with cxg_widget/rules/methods.py: methods and signs of queries.

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import row_blocks
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import SelectionError
from cxg_widget.rules.column_names import Column, read_column, resolved
from cxg_widget.rules.grammar import Query
from cxg_widget.rules.methods import MISSING_TESTS, Call, call_of, matcher
from cxg_widget.text.names import label_among, label_of, not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip


def mask_of_query(query: Query, dataset: Dataset, layer: str | None = None) -> NDArray[np.bool_]:
    """Evaluate a query over obs columns and genes, bool (n_obs,), as pandas evaluates it over a DataFrame of them.

    Missing values match no comparison but `!=`. There are two differences from pandas (decision 76). Integers do not
    overflow, since arithmetic is in float64, unless a column is float32. A value that a column of categories or text
    lacks is looked up by its legend label, and is an error if there is none.

    layer : of genes; None = X
    """
    columns = {word: read_column(name, dataset, layer) for word, name in resolved(query.names, dataset, layer).items()}
    mask, tables = np.empty(dataset.n_obs, dtype=np.bool_), _Tables(query)
    with np.errstate(all="ignore"):
        for start, stop in row_blocks(dataset.n_obs):
            found = _evaluated(tables, columns, slice(start, stop))
            if not _is_boolean(found):
                noun = dataset.obs_noun.one
                raise SelectionError(f"query {shown(query.text)} must be true or false for each {noun}")
            mask[start:stop] = _truth(found)
    return mask


def _evaluated(tables: _Tables, columns: Mapping[str, Column], rows: slice) -> Any:
    query = tables.query
    try:
        return _Block(tables, columns, rows).value(query.tree)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, SelectionError):
            raise
        raise SelectionError(f"query {shown(query.text)} combines values of incompatible types.") from error


class _Tables:
    """Results of a query for each category of a column, computed once for all blocks of rows."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self._matches: dict[int, NDArray[np.bool_]] = {}
        self._chosen: dict[tuple[int, str], tuple[NDArray[np.bool_], list[Any]]] = {}

    def matches(self, call: Call, node: ast.Call, categories: Sequence[Any]) -> NDArray[np.bool_]:
        """Return the categories for which a text method is true, bool (k + 1,), missing values last."""
        if id(node) not in self._matches:
            is_match = matcher(call)
            found = [isinstance(one, str) and is_match(one) for one in categories]
            self._matches[id(node)] = np.array([*found, call.keywords.get("na", False)], dtype=np.bool_)
        return self._matches[id(node)]

    def chosen(self, wanted: list[Any], categories: Sequence[Any]) -> tuple[NDArray[np.bool_], list[Any]]:
        """Return the wanted categories, bool (k + 1,), missing values last, and wanted values that are none.

        A value that equals no category is taken as a label: `leiden == 3` finds the text "3".
        """
        key = (id(categories), repr(wanted))
        if key not in self._chosen:
            known = set(categories)  # in which True equals 1, as in pandas
            labels = [label_of(category) for category in categories]
            known_labels = set(labels)
            values = {one for one in wanted if one in known}
            by_label = {label_among(one, known_labels): one for one in wanted if one not in known}
            found = [one in values or label in by_label for one, label in zip(categories, labels, strict=True)]
            unknown = [one for label, one in by_label.items() if label not in known_labels]
            self._chosen[key] = np.array([*found, False], dtype=np.bool_), unknown
        return self._chosen[key]


class _Block:
    """One block of rows; the value of a node is booleans, numbers, codes of these rows, or a constant."""

    def __init__(self, tables: _Tables, columns: Mapping[str, Column], rows: slice) -> None:
        self._tables, self._columns, self._rows = tables, columns, rows

    def value(self, node: ast.AST) -> Any:
        """Return the value of a node in these rows."""
        if isinstance(node, ast.Constant):
            return node.value
        return _MEANINGS[type(node)](self, node)

    def of_name(self, node: ast.Name) -> Any:
        """Return a column."""
        column = self._columns[node.id]
        return column.take(self._rows) if isinstance(column, Codes) else column[self._rows]

    def of_list(self, node: ast.List | ast.Tuple) -> list[Any]:
        """Return the values of a list."""
        return [self.value(one) for one in node.elts]

    def of_boolop(self, node: ast.BoolOp) -> Any:
        """Return the result of and, or."""
        parts = [self._booleans(one) for one in node.values]
        return np.logical_and.reduce(parts) if isinstance(node.op, ast.And) else np.logical_or.reduce(parts)

    def of_binop(self, node: ast.BinOp) -> Any:
        """Return the result of arithmetic."""
        left, right = (self._number(one, node.op) for one in (node.left, node.right))
        if all(
            _is_boolean(one) or isinstance(one, bool) for one in (left, right)
        ):  # pandas treats these as or, and, or an error
            raise self.wrong(f"{type(node.op).__name__.lower()} needs a number")
        left, right = _as_floats(left, right), _as_floats(right, left)
        if _is_scalar(left) and _is_scalar(right):
            return float(_COMPUTED[type(node.op)](np.float64(left), np.float64(right)))
        found = _COMPUTED[type(node.op)](left, right)
        return found + 0.0 if self._is_whole(node) else found  # integers have no -0, whose reciprocal is -inf

    def _is_whole(self, node: ast.AST) -> bool:
        """Return whether a value consists of integers, which arithmetic holds as floats."""
        if isinstance(node, ast.Name):
            column = self._columns[node.id]
            return isinstance(column, np.ndarray) and column.dtype.kind in "iub"
        if isinstance(node, ast.BinOp):
            return not isinstance(node.op, ast.Div) and self._is_whole(node.left) and self._is_whole(node.right)
        if isinstance(node, ast.UnaryOp):
            return self._is_whole(node.operand)
        return isinstance(node, ast.Constant) and isinstance(node.value, int)

    def of_call(self, node: ast.Call) -> Any:
        """Return the rows for which a method is true."""
        call = call_of(node)
        value = self.value(call.of)
        if _is_scalar(value) or isinstance(value, list):
            raise self.wrong(f".{call.name}() needs a column; found {_shown_value(value)}")
        if call.name in MISSING_TESTS:
            return _missing(value) == MISSING_TESTS[call.name]
        if call.name == "isin":
            return self._compared(value, ast.In(), self.value(call.args[0]))
        if call.name == "between":
            inclusive = call.keywords.get("inclusive", "both")
            low, high = map(self.value, call.args)
            is_above = self._compared(value, ast.GtE() if inclusive in ("both", "left") else ast.Gt(), low)
            return is_above & self._compared(value, ast.LtE() if inclusive in ("both", "right") else ast.Lt(), high)
        if not isinstance(value, Codes) or not _holds_text(value):
            raise self.wrong(f".{call.name}() needs a column of text")
        return self._tables.matches(call, node, value.categories)[value.codes]

    def of_compare(self, node: ast.Compare) -> Any:
        """Return the result of chained comparisons."""
        values = [self.value(one) for one in (node.left, *node.comparators)]
        pairs = zip(values, node.ops, values[1:], strict=False)
        return np.logical_and.reduce([self._compared(*pair) for pair in pairs])

    def of_unaryop(self, node: ast.UnaryOp) -> Any:
        """Return the result of not, minus or plus."""
        if isinstance(node.op, ast.Not | ast.Invert):
            return ~self._booleans(node.operand)
        number = self.value(node.operand)
        if isinstance(number, str | list | Codes):
            raise self.wrong(f"{_shown_value(number)} is not a number")
        if isinstance(node.operand, ast.Name) and not _is_boolean(number):
            number = _as_floats(number, None)
        if isinstance(node.op, ast.UAdd):
            return number
        return 0.0 - number if self._is_whole(node) and not _is_scalar(number) else -number

    def _booleans(self, node: ast.AST) -> NDArray[np.bool_]:
        found = self.value(node)
        if not _is_boolean(found):
            raise self.wrong(f"{shown(ast.unparse(node))} is not true or false; compare it with a value")
        return _truth(found)

    def _number(self, node: ast.AST, op: ast.AST) -> Any:
        found = self.value(node)
        if isinstance(found, str | list | Codes):
            raise self.wrong(f"{_shown_value(found)} is not a number, but {type(op).__name__.lower()} needs one")
        try:
            if _is_scalar(found) and not isinstance(found, bool | np.bool_):
                return float(found)  # a Python float does not widen a float32 array
        except OverflowError:
            raise self.wrong("a number is too large") from None
        return found

    def _compared(self, left: Any, op: ast.cmpop, right: Any) -> Any:
        if isinstance(op, ast.In | ast.NotIn) and not isinstance(right, list):
            raise self.wrong(f"in takes a list of values such as ['a', 'b']; found {_shown_value(right)}")
        if isinstance(left, list) or (_is_scalar(left) and isinstance(right, list)):
            raise self.wrong("write the name first, then the list of values")
        if _is_scalar(left) and not _is_scalar(right):
            return self._compared(right, _turned(op), left)
        is_equality = isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn)
        if isinstance(left, Codes):
            if not is_equality:
                return self._ordered(left, op, right)
            return _is_one_of(left, right, self) == isinstance(op, ast.Eq | ast.In)
        if isinstance(right, Codes):
            raise self.wrong("numbers and text cannot be compared")
        if isinstance(right, list) and not is_equality:
            raise self.wrong("compare a list of values with ==, != or in")
        if isinstance(right, list):
            return self._in_list(left, right) == isinstance(op, ast.Eq | ast.In)
        if isinstance(right, str):
            raise self.wrong(f"{shown(right)} is text and cannot be compared with numbers")
        return _COMPARED[type(op)](left, right)

    def _ordered(self, left: Codes, op: ast.cmpop, right: Any) -> NDArray[np.bool_]:
        """Compare a column of ordered categories with one of them, as pandas does; missing values are always False."""
        labels = [label_of(category) for category in left.categories]
        if not left.ordered:
            raise self.wrong("text has no order here; compare it with == or in")
        if not _is_scalar(right):
            raise self.wrong("compare an ordered column with one of its values")
        if (label := label_among(right, labels)) not in labels:
            raise self.wrong(not_found("value", right, labels, "that column").rstrip("."))
        return np.asarray((left.codes >= 0) & _COMPARED[type(op)](left.codes, labels.index(label)))

    def _in_list(self, numbers: Any, wanted: list[Any]) -> NDArray[np.bool_]:
        if any(isinstance(one, str) for one in wanted):
            raise self.wrong("numbers cannot be compared with a list of text")
        found = np.zeros(np.shape(numbers), dtype=np.bool_)
        if numbers.dtype == np.float32:  # 0.1 is in none of them, though they are == 0.1, as in pandas
            numbers = numbers.astype(np.float64)
        for one in wanted:
            found |= numbers == one
        return found

    def wrong(self, what: str) -> SelectionError:
        """Return an error about what does not fit in the query."""
        return SelectionError(f"query {shown(self._tables.query.text)}: {what}.")


_MEANINGS: dict[type[ast.AST], Callable[[_Block, Any], Any]] = {
    ast.Name: _Block.of_name, ast.List: _Block.of_list, ast.Tuple: _Block.of_list, ast.BoolOp: _Block.of_boolop,
    ast.UnaryOp: _Block.of_unaryop, ast.BinOp: _Block.of_binop, ast.Call: _Block.of_call,
    ast.Compare: _Block.of_compare,
}  # fmt: skip


def _is_one_of(left: Codes, right: Any, block: _Block) -> NDArray[np.bool_]:
    """Return which rows have a label, one of several, or the label of another column; missing have none."""
    if isinstance(right, Codes):
        label = {label_of(category): code for code, category in enumerate(left.categories)}
        same = np.array([*(label.get(label_of(one), -2) for one in right.categories), -2])
        return np.asarray(left.codes == same[right.codes])
    if not isinstance(right, list | str | bool | int | float):
        raise block.wrong("numbers and text cannot be compared")
    wanted = right if isinstance(right, list) else [right]
    chosen, unknown = block._tables.chosen(wanted, left.categories)
    if unknown:
        labels = [label_of(category) for category in left.categories]
        raise block.wrong(not_found("value", unknown[0], labels, "that column").rstrip("."))
    return np.asarray(chosen[left.codes])


def _as_floats(value: Any, other: Any) -> Any:
    """Convert an operand as pandas does, except for integers, which do not overflow."""
    if _is_scalar(value) or value.dtype.kind == "f":
        return value
    # NumPy, and so pandas, keeps float32 with integers of up to 16 bits.
    is_single = getattr(other, "dtype", None) == np.float32 and value.dtype.itemsize <= 2
    return np.asarray(value, dtype=np.float32 if is_single else np.float64)


def _holds_text(column: Codes) -> bool:
    return not column.categories or any(isinstance(one, str) for one in column.categories)


def _missing(value: Any) -> NDArray[np.bool_]:
    if isinstance(value, Codes):
        return np.asarray(value.codes < 0)
    return np.asarray(np.isnan(value)) if np.asarray(value).dtype.kind == "f" else np.zeros(np.shape(value), np.bool_)


def _is_boolean(found: Any) -> bool:
    if isinstance(found, Codes):
        return set(found.categories) <= {False, True} and all(isinstance(one, bool) for one in found.categories)
    return isinstance(found, np.ndarray | np.bool_) and found.dtype == np.bool_


def _truth(found: Any) -> NDArray[np.bool_]:
    """Return booleans; missing counts as False."""
    if not isinstance(found, Codes):
        return np.asarray(found)
    return np.asarray(np.array([*found.categories, False], dtype=np.bool_)[found.codes])


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, Codes | list) and np.ndim(value) == 0


def _turned(op: ast.cmpop) -> ast.cmpop:
    turned = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
    return turned.get(type(op), type(op))()


def _shown_value(value: Any) -> str:
    return "text" if isinstance(value, Codes) else "a list" if isinstance(value, list) else shown(value)
