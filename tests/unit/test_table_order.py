"""Laws of the order of the table: that of pandas `sort_values(kind="stable", na_position="last")`, on any page."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.table import order
from cxg_widget.table.keys import of_codes, of_numbers, of_text
from cxg_widget.table.order import Ordered

N = 1000
RNG = np.random.default_rng(0)


def with_holes(values):
    """Return numbers among which are missing, infinite ones and both zeros."""
    for step, hole in ((7, np.nan), (11, np.inf), (13, -np.inf), (17, -0.0), (19, 0.0)):
        values[::step] = hole
    return values


def words(alphabet, longest):
    return np.array(["".join(RNG.choice(list(alphabet), RNG.integers(0, longest))) for _ in range(N)], dtype=object)


NUMBERS = {
    "float16": with_holes(RNG.normal(size=N).astype(np.float16)),
    "float32": with_holes(RNG.normal(size=N).astype(np.float32).round(1)),
    "float64": with_holes(RNG.normal(size=N) * 1e300),
    "big-endian": with_holes(RNG.normal(size=N)).astype(">f8"),
    "bool": RNG.random(N) < 0.5,
    "int8": RNG.integers(-128, 128, N).astype(np.int8),
    "int32": RNG.integers(-(2**31), 2**31 - 1, N).astype(np.int32),
    "int64": np.append(RNG.integers(-(2**63), 2**63 - 1, N), [-(2**63), 2**63 - 1]),
    "uint64": np.append(RNG.integers(0, 2**63, N).astype(np.uint64), np.array([2**64 - 1, 0], dtype=np.uint64)),
    "far from 0": RNG.integers(-(2**62), -(2**62) + 100_000, N),
    "one value": np.full(N, 3),
    "nothing": np.full(N, np.nan),
    "no cell": np.empty(0, dtype=np.float32),
}
TEXTS = {
    "short": words("AB", 4),
    "of all kinds": words("AB\0é😀", 25),
    "one beginning": "the same beginning of each " + words("ACGT", 3),
}


def check(values, keys):
    """Compare pages of all cells, of some and of none, up and down, and the places of some cells with pandas."""
    series = pd.Series(values)
    for mask in (None, RNG.random(len(series)) < 0.3, np.zeros(len(series), dtype=bool)):
        some = series if mask is None else series[mask]
        for descends in (False, True):
            expected = some.sort_values(ascending=not descends, kind="stable", na_position="last").index.to_numpy()
            n = len(expected)
            for start, stop in ((0, min(50, n)), (0, n), (n // 2, min(n // 2 + 70, n)), (max(n - 20, 0), n)):
                found = order.rows_at(keys, mask, start, stop, descends=descends)
                np.testing.assert_array_equal(found, expected[start:stop])
            for place in range(0, n, max(n // 3, 1)):
                assert order.place_of(int(expected[place]), keys, mask, descends=descends) == place


@pytest.fixture(params=[4, 1 << 14], ids=lambda few: f"{few} sorted at once")
def few(request, monkeypatch):
    monkeypatch.setattr(order, "_FEW", request.param)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_of_every_type_are_in_the_order_of_pandas_and_missing_ones_last(case):
    values = NUMBERS[case]
    check(values.astype(values.dtype.newbyteorder("=")), of_numbers(values))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("n_categories", [30, 70_000])
def test_categories_are_in_their_own_order(n_categories):
    codes = RNG.integers(-1, n_categories, N)
    labels = tuple(f"type {i * 7919 % n_categories}" for i in range(n_categories))
    check(pd.Categorical.from_codes(codes, labels), of_codes(Codes(codes, labels)))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("case", TEXTS)
def test_text_is_in_the_order_of_its_code_points_and_missing_text_last(case):
    values = TEXTS[case].copy()
    check(values, of_text(values))
    encoded = [one.encode() for one in values]
    starts = np.cumsum([0, *map(len, encoded)])
    check(values, of_text(PackedStrings(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)))
    values[::5] = None
    check(values, of_text(values))


@given(st.lists(st.text(max_size=20), max_size=40), st.booleans())
def test_any_text_is_in_the_order_of_python(texts, descends):
    keys = of_text(np.array(texts, dtype=object))
    expected = sorted(range(len(texts)), key=lambda row: texts[row], reverse=descends)
    found = order.rows_at(keys, None, 0, len(texts), descends=descends)
    assert found.tolist() == expected  # which for equal texts keeps the order of rows either way


@pytest.mark.parametrize("sorts", [False, True])
def test_pages_one_after_another_are_the_whole_table(sorts):
    values, mask = RNG.integers(0, 5, 20_000), RNG.random(20_000) < 0.7
    ordered = Ordered(of_numbers(values) if sorts else None, mask, values.size)
    series = pd.Series(values)[mask]
    expected = (series.sort_values(kind="stable") if sorts else series).index.to_numpy()
    assert ordered.total == expected.size
    pages = [ordered.rows(start, 3000) for start in range(0, ordered.total + 3000, 3000)]
    np.testing.assert_array_equal(np.concatenate(pages), expected)
    assert ordered.place(int(expected[4321])) == 4321
    assert ordered.place(int(np.flatnonzero(~mask)[0])) == ordered.place(-1) == ordered.place(values.size) == -1
