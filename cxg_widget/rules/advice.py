"""Suggestions for refused queries: operators of other languages, values without quotes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cxg_widget.errors import CxgWidgetError, SelectionError
from cxg_widget.rules.by_value import labels_of
from cxg_widget.rules.column_names import unknown_in
from cxg_widget.rules.grammar import parse
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

QUERY_TOKEN = re.compile(
    r"""`(?P<quoted>[^`]+)` | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | (?P<word>[^\W\d]\w*)""", re.VERBOSE
)
_NAME = r"(?P<name>`[^`\n]+`|[^\W\d]\w*)"
_OTHER_WORDS = [
    (rf"{_NAME}\s*(?:==|is)\s*(?:None|nan|NaN|NULL|null)\b", r"\g<name>.isna()"),
    (rf"{_NAME}\s*(?:!=|is not)\s*(?:None|nan|NaN|NULL|null)\b", r"\g<name>.notna()"),
    (r"\bis not\b", "!="),
    (r"\bis\b", "=="),
]


_LONGEST = 1_000
"""Longer queries get no suggestion: the time grows with the square of the length, to hours for a million letters."""
_SIGNS = {"&&": "and", "||": "or", "===": "==", "<>": "!=", "=>": ">=", "=<": "<="}


def meant_query(text: str, dataset: Dataset, layer: str | None = None) -> str | None:
    """Return the query that a refused text probably means; None = no suggestion."""
    if len(text) > _LONGEST:
        return None
    query = text
    for pattern, instead in _OTHER_WORDS:
        query = re.sub(pattern, instead, query)
    query = with_quotes(in_usual_signs(query), dataset)
    try:
        is_query = query != text and not unknown_in(parse(query), dataset, layer)
    except CxgWidgetError:
        return None
    return query if is_query else None


def advised(error: CxgWidgetError, text: object, dataset: Dataset, layer: str | None = None) -> CxgWidgetError:
    """Return the error for a refused query, with a query that works if there is a suggestion."""
    if not isinstance(text, str):
        return error
    if named := re.search(r"@(\w+)", text):
        how = f'no variable {named[1]} is known here; write its value, as by f"... {{{named[1]}!r}}"'
        return SelectionError(f"query {shown(text)}: {how}")
    meant = meant_query(text, dataset, layer)
    return error if meant is None else SelectionError(f"query {shown(text)} cannot be read. Did you mean {meant!r}?")


def named_columns(query: str, columns: list[str]) -> list[str]:
    """Return those of `columns` that a query uses, bare or in backticks."""
    names = {token["quoted"] or token["word"] for token in QUERY_TOKEN.finditer(query)}
    return [column for column in columns if column in names]


def in_usual_signs(query: str) -> str:
    """Replace operators of other languages by those of pandas; names and texts stay."""
    parts, end = [], 0
    for token in QUERY_TOKEN.finditer(query):
        word = token["word"]
        sign = word.lower() if word in ("AND", "OR", "NOT", "IN") else token[0]
        parts += [_signs(query, end, token.start()), sign]
        end = token.end()
    return "".join([*parts, _signs(query, end, len(query))])


def _signs(query: str, start: int, stop: int) -> str:
    """Return the part between two names as pandas writes it."""
    signs = query[start:stop]
    for other, usual in _SIGNS.items():
        signs = signs.replace(other, usual)
    signs = re.sub(r"!(?!=)", "not ", signs)
    is_call = re.search(r"\w\(", query[:stop])  # keyword arguments keep their single =
    return signs if is_call else re.sub(r"(?<![=<>!])=(?!=)", "==", signs)


def with_quotes(query: str, dataset: Dataset) -> str:
    """Quote texts that are values of the used columns, and put columns in backticks."""
    blank = QUERY_TOKEN.sub(lambda token: token[0] if token["word"] else "\0" * len(token[0]), query)
    columns = {name: f"`{name}`" for name in dataset.obs_columns if not name.isidentifier()}
    labels = {
        label: repr(label)
        for column in [*named_columns(query, list(dataset.obs_columns)), *columns]
        if column in query
        for label in labels_of(column, dataset)
    }
    known = {text: literal for text, literal in {**labels, **columns}.items() if not text.isnumeric()}
    for text in sorted(known, key=len, reverse=True):
        found = re.search(rf"(?<![\w.@]){re.escape(text)}(?!\w)", blank)
        if text and text not in dataset.obs_columns.keys() - columns and found is not None:
            start, stop = found.span()
            query = query[:start] + known[text] + query[stop:]
            blank = blank[:start] + "\0" * len(known[text]) + blank[stop:]
    return query
