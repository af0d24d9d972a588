"""Strings in two buffers are read as the list of strings that they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import to_pandas
from cxg_widget.datasets.base.var_names import Positions

words = st.lists(st.text(st.sampled_from("ab7é💡"), max_size=4), max_size=12)


def pack(strings, encoded=None) -> PackedStrings:
    encoded = encoded or [one.encode() for one in strings]
    starts = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    return PackedStrings(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)


@pytest.mark.parametrize("odd", ["b", "é", "💡"])
def test_a_few_strings_of_a_long_text_are_those_of_the_list(odd):
    strings = [f"{'x' * (i % 7)}{odd}{i}" for i in range(2_000)]
    rows = np.array([1_999, 0, 3, 3])
    assert pack(strings).pick(rows).objects().tolist() == [strings[row] for row in rows]
    assert pack(strings).objects().tolist() == strings


@given(words, st.data())
def test_packed_strings_are_a_sequence_of_their_strings(strings, data):
    packed = pack(strings)
    assert list(packed) == packed.objects().tolist() == strings
    assert len(packed) == len(strings)
    assert [packed[i] for i in range(-len(strings), len(strings))] == strings * 2
    assert list(packed[1:7:2]) == strings[1:7:2]
    if strings:
        rows = np.array(data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=8)), dtype=np.int64)
        picked = packed.pick(rows)
        expected = [strings[row] for row in rows]
        assert list(picked) == expected
        assert list(picked.pick(np.arange(len(rows))[::-1])) == expected[::-1]
        assert [picked[i] for i in range(len(rows))] == expected


def test_what_is_out_of_range_is_refused_as_by_a_list():
    with pytest.raises(IndexError):
        pack(["a"])[1]


@given(words, st.text(st.sampled_from("ab7é💡"), max_size=4))
def test_the_first_of_equal_strings_is_found(strings, wanted):
    expected = strings.index(wanted) if wanted in strings else None
    assert pack(strings).find(wanted) == expected


@pytest.mark.parametrize("strings", [["x", "ENSG01", "ENSG02", "x", ""], []])
def test_few_and_many_names_are_found_at_the_same_positions(strings):
    positions = Positions(pack(strings))
    for _ in range(20):
        for name in ("ENSG02", "x", "", "ENSG", "no such"):
            assert positions.get(name) == (strings.index(name) if name in strings else None)


@given(words, words)
def test_columns_are_the_same_when_their_strings_are(one, other):
    assert pack(one).same_as(pack(other)) == (one == other)


@pytest.mark.parametrize("rows", [None, [2, 0, 2], []])
def test_pandas_gets_the_column_it_makes_of_the_objects(rows):
    strings = ["é", "", "CD3E", "nan"]
    packed = pack(strings) if rows is None else pack(strings).pick(np.array(rows, dtype=np.int64))
    expected = strings if rows is None else [strings[row] for row in rows]
    series = pd.Series(to_pandas(packed))
    pd.testing.assert_series_equal(series, pd.Series(expected, dtype="str"))
    assert series.isna().sum() == 0


def test_bytes_that_are_no_utf_8_are_shown_and_stop_nothing():
    packed = pack([], [b"a", b"\xff\xfe", b"b"])
    assert list(packed) == ["a", "\ufffd\ufffd", "b"]
    assert packed[1] == "\ufffd\ufffd"
    assert pd.Series(to_pandas(packed)).tolist() == ["a", "\ufffd\ufffd", "b"]
    assert packed.find("b") == 2


def test_no_text_is_looked_at_where_no_string_is_as_long_as_the_one_wanted():
    class Untouched(np.ndarray):
        def __getitem__(self, at):
            raise AssertionError(f"looked at {at}")

    packed = pack(["CD3E", "CD4", ""])
    packed = PackedStrings(packed.text.view(Untouched), packed.starts)
    assert packed.find("x" * 1_000_000) is None
