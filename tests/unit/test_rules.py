"""Laws of rules: a query means what pandas says of the same text, a rule what NumPy says, and neither runs anything."""

import json

import numpy as np
import pandas as pd
import pytest

from cxg_widget.errors import CxgWidgetError, InvalidValue, SelectionError, UnknownName
from cxg_widget.rules.forms import check_rule
from cxg_widget.rules.rule import mask_of, packed_rule
from tests.memory import MemoryDataset, small


@pytest.fixture(scope="module")
def dataset():
    return small(1000)


@pytest.fixture(scope="module")
def frame(dataset):
    """Obs columns and genes as pandas has them."""
    frame = dataset.obs()
    return frame.assign(**{gene: dataset.vector(gene).dense(dataset.n_obs) for gene in dataset.var_labels})


QUERIES = {
    "n_genes > 500": None,
    "500 < n_genes <= 900": None,
    "n_genes == 500 or n_counts >= 1e2": None,
    "n_counts != n_counts": None,
    "not n_counts < 300": None,
    "n_counts / n_genes * 2 - 1 > .5": None,
    "n_genes // 7 % 3 == 1": None,
    "-n_genes < -500 and +n_genes > 0": None,
    "(n_genes > 3) & (cell_type != 'T cell') | is_doublet": None,
    "~(n_genes > 300) and not is_doublet": None,
    "cell_type == 'T cell'": None,
    "'T cell' == cell_type": None,
    "cell_type != 'T cell'": None,
    "cell_type in ['T cell', 'B cell']": None,
    "cell_type not in ('T cell',)": None,
    "n_genes in [500, 600.0, -1] ": None,
    "CD3E > 0 and MS4A1 == 0": None,
    "`n_genes` > 500 and `donor name` == 'd 1'": None,
    "isna(cell_type)": "cell_type.isna()",
    "notna(n_counts) and isnull(cell_type)": "n_counts.notna() and cell_type.isna()",
    "`obs:n_genes` > 500 and `var:CD3E` > 0": "n_genes > 500 and CD3E > 0",
    "n_genes > 500 && cell_type == 'B cell' || is_doublet": "(n_genes > 500 and cell_type == 'B cell') or is_doublet",
    "is_doublet == True": None,
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_means_what_pandas_says(query, dataset, frame):
    values = frame["donor name"].unique()
    query, in_pandas = (one and one.replace("'d 1'", repr(values[0])) for one in (query, QUERIES[query]))
    truth = frame.eval(in_pandas or query, engine="python")
    np.testing.assert_array_equal(mask_of({"query": query}, dataset), truth.astype(bool))


@pytest.mark.parametrize(
    "query", ["share * 100 > 2.5", "share * (1 / 4) == 0.00625", "-share / 3 + 1 <= .99", "share * n > 7"]
)
def test_arithmetic_keeps_the_float32_of_a_column_as_pandas_does(query):
    share = (np.arange(1, 4001) / 16_000).astype(np.float32)  # many a boundary of float32 beside one of float64
    columns = {"share": share, "n": (np.arange(4000) % 97).astype(np.int32)}
    dataset = MemoryDataset(columns, np.zeros((4000, 1), np.float32), ["G"], {"umap": np.zeros((4000, 2), np.float32)})
    truth = pd.DataFrame(columns).eval(query, engine="python")
    np.testing.assert_array_equal(mask_of({"query": query}, dataset), truth)


def test_whole_numbers_do_not_overflow_in_a_query(dataset, frame):
    found = mask_of({"query": "n_genes * 10000000000000000 > 7e18"}, dataset)
    np.testing.assert_array_equal(found, frame["n_genes"].astype(float) * 1e16 > 7e18)


HOSTILE = [
    "n_genes.to_csv('x') == 1", "__import__('os').system('x')", "(lambda: 1)() == n_genes", "@x > n_genes",
    "n_genes > 1 if n_genes else 2", "f'{n_genes}' == 'a'", "n_genes ** 9 ** 9 ** 9 > 1", "[x for x in n_genes]",
    "n_genes[0] == 1", "(n := n_genes) > 1", "isna(n_genes, 1)", "isna(x=n_genes)", "eval('n_genes') > 1",
    "n_genes > 1; n_genes",
    "n_genes > 1\nimport os", "n_genes > 1) or (n_genes > 2", "n_genes > {1}", "n_genes > b'a'", "n_genes > ...",
    "n_genes > 1j",
    "n_genes in [n_counts]", "*n_genes", "await n_genes", "n_genes is None", "n_genes > '\\x00", "`n_genes > 1",
    "_quoted_0_ > `n_genes`",
    "isna.__class__ == n_genes", "1 < 2", "n_genes << 3 > 1", "n_genes" + " + 1" * 3000, "-" * 9000 + "n_genes > 1",
    "not " * 2000 + "n_genes > 1", "(" * 900 + "n_genes" + ")" * 900 + " > 1", "n_genes > " + "9" * 9000, "", " ",
    "\x00", "#",
    "n_genes > 1e999 + " + "9" * 400, 7, None, b"n_genes > 1",
    "cell_type.str.contains('(a+)+$')", "cell_type.str.contains('a+')", "cell_type.str.contains('.*a.*')",
    "cell_type.str.contains('a{9}')", "cell_type.str.contains('[z-a]')", "cell_type.str.contains('[a')",
    "cell_type.str.contains('.*?a')", r"cell_type.str.contains('\\1')", "cell_type.str.contains('T', flags=2)",
    "cell_type.str.contains(n_genes)", "cell_type.str.contains('T', 'B')", "cell_type.str.contains('T', na=1)",
    "cell_type.str.contains(pat='T')", "cell_type.str.lower() == 't'", "cell_type.str.startswith(('T', 'B'))",
    "n_genes.str.contains('1')", "cell_type.contains('T')", "cell_type.str == 'T'", "n_genes.isin(n_counts)",
    "n_genes.isin([1], 2)", "n_genes.isin(*[1])", "n_genes.isin(**{})", "n_genes.between(1)",
    "n_genes.between(1, 2, inclusive=True)", "n_genes.between(1, 2, inclusive='all')", "n_genes.isna().sum() > 1",
    "n_genes.isna", "n_genes.isin.__self__ > 1", "(1).isin([1]) and n_genes > 1", "n_genes.isna(1)",
    "cell_type.isin([n_genes.to_csv('x')])", "n_genes.between(n_genes.to_csv('x'), 1)",
    "cell_type.between('B cell', 'T cell')", "is_doublet + is_doublet > 0",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: repr(query)[:30])
def test_what_is_no_query_is_refused_in_a_sentence_and_nothing_runs(query, dataset, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CxgWidgetError) as refused:
        mask_of({"query": query}, dataset)
    assert len(str(refused.value)) < 1000
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("cell_type > 'a'", "no order"),
        ("n_genes == 'a'", "cannot be compared with numbers"),
        ("n_genes + cell_type > 1", "text is not a number"),
        ("n_genes", "must be true or false"),
        ("n_genes and is_doublet", "not true or false"),
        ("cell_type == 'T cel'", "Did you mean 'T cell'"),
        ("cell_type in n_genes", "takes a list"),
        ("n_genes < [500, 600]", "a list of values with =="),
        ("-(n_genes > 5) == 1", "incompatible types"),
        ("'a' > 5 and n_genes > 1", "incompatible types"),
        ("isna([1, 2]) and n_genes > 1", "needs a column"),
        ("n_counts > " + "9" * 400, "incompatible types"),
    ],
)
def test_a_query_that_does_not_fit_the_columns_says_what_does_not(query, said, dataset):
    with pytest.raises(SelectionError, match=said):
        mask_of({"query": query}, dataset)


def test_two_columns_of_text_are_equal_where_their_labels_are(dataset, frame):
    np.testing.assert_array_equal(mask_of({"query": "cell_type == cell_type"}, dataset), frame["cell_type"].notna())
    assert not mask_of({"query": "cell_type == `donor name`"}, dataset).any()


def test_all_names_that_are_missing_are_named_at_once(dataset):
    rule = {
        "and": [
            {"query": "nosuch > 1 and other < n_genes"},
            {"obs": "third", "in": [1]},
            {"var": "FOURTH", "range": [0, 1]},
        ]
    }
    with pytest.raises(UnknownName) as error:
        mask_of(rule, dataset)
    assert all(name in str(error.value) for name in ("nosuch", "other", "third", "FOURTH"))


def test_rules_mean_what_numpy_says(dataset, frame):
    genes, counts = frame["n_genes"].to_numpy(), frame["n_counts"].to_numpy()
    is_t = (frame["cell_type"] == "T cell").to_numpy()
    many, t_cells = {"obs": "n_genes", "range": [500, None]}, {"obs": "cell_type", "in": ["T cell"]}
    truths = [
        (many, genes >= 500),
        ({"obs": "n_genes", "range": [None, 500]}, genes <= 500),
        ({"obs": "n_counts", "range": [100, 300.5]}, (counts >= 100) & (counts <= 300.5)),
        ({"obs": "cell_type", "in": [None, "B cell"]}, frame["cell_type"].isna() | (frame["cell_type"] == "B cell")),
        ({"var": "CD3E", "range": [0.5, None]}, frame["CD3E"] >= 0.5),
        ({"and": [many, t_cells]}, (genes >= 500) & is_t),
        ({"or": [many, t_cells]}, (genes >= 500) | is_t),
        ({"not": t_cells}, ~is_t),
        ({"minus": [many, t_cells]}, (genes >= 500) & ~is_t),
        ({"and": []}, np.ones(1000, bool)),
        ({"or": []}, np.zeros(1000, bool)),
        ({"set": "many"}, genes >= 500),
    ]
    for rule, truth in truths:
        found = mask_of(json.loads(json.dumps(rule)), dataset, sets={"many": many})
        np.testing.assert_array_equal(found, truth, err_msg=str(rule))


def test_a_polygon_is_a_rule_in_data_units_of_an_embedding(dataset):
    corners = np.array([[-5.0, -5.0], [5.0, -4.0], [0.0, 6.0]])
    name = dataset.default_embedding
    to_point = dataset.embedding(name)[:, None].astype(np.float64) - corners
    side = np.roll(corners, -1, axis=0) - corners
    truth = (side[:, 0] * to_point[..., 1] - side[:, 1] * to_point[..., 0] > 0).all(axis=1)  # left of all sides
    assert 0 < truth.sum() < 1000
    np.testing.assert_array_equal(mask_of({"polygon": corners.tolist(), "embedding": name}, dataset), truth)


def test_packed_rows_come_back_bit_for_bit_in_their_own_dataset_and_in_no_other(dataset):
    mask = np.random.default_rng(1).random(1000) < 0.3
    rule = json.loads(json.dumps(packed_rule(mask, dataset)))
    np.testing.assert_array_equal(mask_of(rule, dataset), mask)
    with pytest.raises(SelectionError, match="another dataset"):
        mask_of(rule, small(1000))


WRONG = [
    None, 5, "n_genes > 5", [], {}, {"obs": "n_genes"}, {"obs": "n_genes", "in": [1], "range": [1, 2]}, {"obs": 5,
    "in": []},
    {"obs": "n_genes", "range": [2, 1]}, {"obs": "n_genes", "range": [None, None]}, {"obs": "n_genes", "range": [1]},
    {"obs": "n_genes", "range": [True, 2]}, {"obs": "n_genes", "range": [float("nan"), 2]}, {"obs": "n_genes",
    "in": [[1]]},
    {"obs": "n_genes", "in": "abc"}, {"and": {}}, {"minus": [{"and": []}]}, {"not": []}, {"query": "n > 1", "or": []},
    {"var": "CD3E"}, {"polygon": [[0, 0], [1, 1]], "embedding": "umap"}, {"polygon": [[0, 0], [1, 1], [0, 1]]},
    {"polygon": [[0, 0], [1, 1], [0, 1]], "embedding": "umap", "axes": [0]}, {"rows": "AAAA", "n_obs": 1000,
    "identity": ""},
    {"rows": "=" * 168, "n_obs": 1000, "identity": "x"}, {"set": 3}, {"query": "n_genes > 1", "exec": "x"},
    {"unknown": 1},
    {"and": [{"and": []}] * 1001},
]  # fmt: skip


@pytest.mark.parametrize("rule", WRONG, ids=lambda rule: repr(rule)[:40])
def test_what_has_no_form_of_a_rule_is_refused_in_a_sentence(rule, dataset):
    with pytest.raises((InvalidValue, SelectionError, UnknownName)):
        mask_of(rule, dataset)


def test_a_rule_is_neither_too_deep_nor_made_of_itself(dataset):
    rule = {"and": []}
    for _ in range(2000):
        rule = {"not": rule}
    with pytest.raises(InvalidValue):
        check_rule(rule)
    with pytest.raises(InvalidValue, match="refers to itself"):
        mask_of({"set": "a"}, dataset, sets={"a": {"not": {"set": "a"}}})


def test_a_rule_changes_neither_itself_nor_the_dataset(dataset):
    rule = {"and": [{"obs": "cell_type", "in": ["T cell"]}, {"query": "n_genes > 500"}]}
    before = json.dumps(rule)
    codes = dataset.codes("cell_type").codes.copy()
    mask_of(rule, dataset)
    assert json.dumps(rule) == before
    np.testing.assert_array_equal(dataset.codes("cell_type").codes, codes)


def test_categories_are_meant_by_their_values_else_all_of_a_label_and_missing_ones_never():
    from tests.memory import Codes, MemoryDataset

    codes = np.array([-1, 0, 1, 2] * 5, dtype=np.int8)
    xy = np.zeros((20, 2), np.float32)
    data = MemoryDataset({"mixed": Codes(codes, (1, "1", "x"))}, np.zeros((20, 1), np.float32), ["G"], {"umap": xy})
    np.testing.assert_array_equal(mask_of({"query": "mixed == 'x'"}, data), codes == 2)
    np.testing.assert_array_equal(mask_of({"query": "mixed == '1'"}, data), codes == 1)
    np.testing.assert_array_equal(mask_of({"query": "mixed in [1, 'x']"}, data), (codes == 0) | (codes == 2))
    data = MemoryDataset({"n": Codes(codes, (1, 2, 3))}, np.zeros((20, 1), np.float32), ["G"], {"umap": xy})
    np.testing.assert_array_equal(mask_of({"query": "n == '2'"}, data), codes == 1)
