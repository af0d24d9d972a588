"""The laws of the byte-bounded cache, and of steps on one column and one color."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.color.css_colors import to_hex
from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.base.column_values import factorize, smallest_codes, tidy_categories
from cxg_widget.datasets.base.contract import DEFAULT_CACHE_BYTES
from cxg_widget.datasets.base.values import as_rows


@given(st.integers(0, 30), st.lists(st.tuples(st.integers(0, 6), st.integers(1, 12), st.booleans())))
def test_the_cache_is_a_least_recently_used_dict_within_its_bytes(limit, steps):
    cache, model = ByteCache(limit, int), OrderedDict()
    for key, size, is_put in steps:
        if is_put:
            cache.put(key, size)
            model.pop(key, None)
            if size <= limit:
                model[key] = size
            while sum(model.values()) > limit:
                model.popitem(last=False)
        else:
            assert cache.get(key) == model.get(key)
            if key in model:
                model.move_to_end(key)
        assert cache.used_bytes == sum(model.values()) <= limit
        assert len(cache) == len(model)


def test_a_value_is_loaded_once_while_it_is_kept():
    calls = []
    cache = ByteCache(100, len)
    for _ in range(3):
        assert cache.get_or_load("key", lambda: calls.append(1) or "value") == "value"
    assert len(calls) == 1
    cache.clear()
    assert cache.used_bytes == 0
    cache.get_or_load("key", lambda: calls.append(1) or "value")
    assert len(calls) == 2


def test_many_threads_do_not_break_the_count():
    cache = ByteCache(50, int)

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(500):
            cache.put(int(rng.integers(20)), int(rng.integers(1, 10)))
            cache.get(int(rng.integers(20)))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.used_bytes == sum(size for _, size in cache._kept.values()) <= 50


@given(st.lists(st.one_of(st.text(max_size=3), st.just("nan"))))
def test_factorized_strings_are_those_of_pandas(values):
    stored = np.empty(len(values), dtype=object)
    stored[:] = values
    codes, distinct = factorize(stored)
    assert distinct == sorted(set(values))
    assert [distinct[code] for code in codes] == values


@given(st.sampled_from(["int8", "uint8", "int32", "int64", "uint64"]), st.data())
def test_factorized_integers_are_those_of_pandas(dtype, data):
    bounds = np.iinfo(dtype)
    near = data.draw(st.integers(int(bounds.min), int(bounds.max) - 6))
    close = st.integers(near, near + 6)
    far = st.sampled_from([int(bounds.min), int(bounds.max)])
    values = data.draw(st.lists(close | far if data.draw(st.booleans()) else close, max_size=300))
    stored = np.array(values, dtype=dtype)
    codes, distinct = factorize(stored)
    expected_codes, expected = pd.factorize(stored, sort=True)
    assert codes.tolist() == expected_codes.tolist()
    assert distinct == expected.tolist()


@given(st.lists(st.one_of(st.floats(width=32), st.just(float("nan")))))
def test_factorized_floats_are_those_of_pandas(values):
    stored = np.array(values, dtype=np.float32)
    codes, distinct = factorize(stored)
    expected_codes, expected = pd.factorize(stored, sort=True)
    assert codes.tolist() == expected_codes.tolist()
    assert distinct == expected.tolist()


LABELS = st.lists(st.one_of(st.none(), st.sampled_from(["nan", "a", "b", "c", "NaN", "None", ""])))


@given(LABELS, st.sampled_from([None, "nan", ""]), st.data())
def test_tidied_categories_give_each_code_its_label(labels, missing, data):
    target, categories = tidy_categories(labels, missing)
    assert len(set(categories)) == len(categories)
    assert missing is None or missing not in categories
    for code in data.draw(st.lists(st.integers(-1, len(labels) - 1))):
        label = None if code < 0 or labels[code] == missing else labels[code]
        assert (None if target[code] < 0 else categories[target[code]]) == label


def test_categories_of_several_types_become_strings():
    assert tidy_categories([1, "a", True, 2.5])[1] == ("1", "a", "True", "2.5")
    assert tidy_categories([3, 1.5])[1] == (3, 1.5)
    assert tidy_categories([True, False])[1] == (True, False)


@pytest.mark.parametrize(("n", "dtype"), [(0, np.int8), (127, np.int8), (128, np.int16), (32_768, np.int32)])
def test_codes_take_the_smallest_type_that_holds_them(n, dtype):
    assert smallest_codes(np.array([n - 1]), n).dtype == dtype


@given(st.integers(1, 30), st.data())
def test_a_mask_and_its_positions_mean_the_same_rows(n, data):
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    assert as_rows(mask, n).tolist() == as_rows(np.flatnonzero(mask), n).tolist()
    assert as_rows(None, n) is None
    assert as_rows([], n).dtype == np.int64


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_a_color_is_the_same_in_every_notation(rgb):
    expected = "#{:02x}{:02x}{:02x}".format(*rgb)
    assert to_hex(expected.upper()) == to_hex(list(rgb)) == to_hex([level / 255 for level in rgb]) == expected


def test_css_has_148_names_and_each_is_a_color():
    named = pytest.importorskip("matplotlib.colors").CSS4_COLORS
    assert len(named) == 148
    assert {name: to_hex(name) for name in [*named, *named]} == {name: code.lower() for name, code in named.items()}


@pytest.mark.parametrize(
    "bad", ["", "#12", "#12345", "red;", None, 5, [1, 2], [300, 0, 0], [-1, 0, 0], [True] * 3, ["a"] * 3]
)
def test_what_is_no_color_is_none(bad):
    assert to_hex(bad) is None
    assert to_hex([float("nan"), 0.0, 0.0]) is None


def test_the_docs_say_how_much_the_cache_keeps_where_nobody_says():
    text = (Path(__file__).parents[2] / "docs" / "large_n.md").read_text(encoding="utf-8")
    assert f"up to {DEFAULT_CACHE_BYTES >> 20} MiB (`cache_bytes=`)" in text
