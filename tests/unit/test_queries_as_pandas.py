"""The law of queries: each means the cells that pandas' `query` finds by the same text, in frames of every kind."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.rules.rule import mask_of
from tests.examples import MORE
from tests.memory import MemoryDataset

N = 80
KINDS = ("T cell", "B cell", "NK", "CD4+ T", "t", "")
STAGES = ("low", "mid", "high")
NAMES = ("d1", "d2", "Donor 3", "x.y", "it's")
CLUSTERS = (0, 1, 2, 10)


@cache
def both(seed):
    """Return a dataset and the same as pandas has it; half of the columns have missing values."""
    rng = np.random.default_rng(seed)

    def codes(categories, *, missing=True, ordered=False):
        return Codes(rng.integers(-missing, len(categories), N).astype(np.int8), categories, ordered)

    def holes(values):
        return np.where(rng.random(N) < 0.2, np.nan, values)

    names = np.array([*NAMES, None], dtype=object)
    obs = {
        "kind": codes(KINDS),
        "other kind": codes(KINDS, missing=False),
        "stage": codes(STAGES, ordered=True),
        "cluster": codes(CLUSTERS),
        "maybe": codes((False, True)),
        "name": names[rng.integers(0, 6, N)],
        "flag": rng.random(N) < 0.5,
        "n": rng.integers(-4, 9, N),
        "small": rng.integers(-3, 9, N).astype(np.int16),
        "byte": rng.integers(0, 250, N).astype(np.uint8),
        "x": holes(rng.integers(-20, 20, N) / 10).astype(np.float32),
        "y": np.where(rng.random(N) < 0.1, np.inf, holes(rng.integers(-20, 20, N) / 10)),
    }
    genes = (rng.integers(0, 30, (N, 2)) / 10).astype(np.float32)
    dataset = MemoryDataset(obs, genes, ["CD3E", "HLA-A"], {"umap": np.zeros((N, 2), np.float32)})
    return dataset, dataset.obs().assign(**{name: dataset.values(name) for name in ("CD3E", "HLA-A")})


def column(name):
    return name if name.isidentifier() else f"`{name}`"


NUMBERS = st.sampled_from(["n", "small", "x", "y", "CD3E", "`HLA-A`"])
CONSTANTS = st.sampled_from(["0", "1", "-2", "3", "0.1", "0.5", "-1.3", "1e1", ".7"])
COMPARED = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
TEXTS = {"kind": KINDS, "other kind": KINDS, "name": NAMES, "stage": STAGES}
PATTERNS = ["T", "t", "cell", "", "d", "^d", "l$", "T|d", ".", "x.y", r"x\.y", r"\+", "[dDT]", "[^a-z ]", "C.*T", "^$"]
arithmetic = st.recursive(
    NUMBERS | CONSTANTS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner).map(lambda one: f"({' '.join(one)})"),
        NUMBERS.map("-{}".format),
    ),
    max_leaves=3,
)


def listed(values):
    return st.lists(st.sampled_from(values), min_size=0, max_size=3).map(lambda some: f"[{', '.join(map(repr, some))}]")


@st.composite
def of_text(draw):
    name = draw(st.sampled_from(list(TEXTS)))
    value, many = repr(draw(st.sampled_from(TEXTS[name]))), draw(listed(TEXTS[name]))
    text = repr(draw(st.sampled_from(["T", "d", "", "cell", "CD4+", "h", "(", "x."])))
    case = draw(st.sampled_from(["", ", case=False", ", case=True", ", na=False", ", case=False, na=True"]))
    forms = [
        f"{column(name)} == {value}", f"{value} != {column(name)}", f"{column(name)} in {many}",
        f"{column(name)} not in {many}", f"{column(name)} == {many}", f"{column(name)}.isin({many})",
        f"{column(name)}.str.contains({draw(st.sampled_from(PATTERNS))!r}{case})",
        f"{column(name)}.str.contains({text}, regex=False)",
        f"{column(name)}.str.startswith({text})", f"{column(name)}.str.endswith({text}, na=False)",
        f"{column(name)}.isna()", f"{column(name)}.notnull()",
        f"stage {draw(COMPARED)} {draw(st.sampled_from(STAGES))!r}",
        f"stage.between({draw(st.sampled_from(STAGES))!r}, {draw(st.sampled_from(STAGES))!r})",
        f"cluster == {draw(st.sampled_from(CLUSTERS))}", f"cluster not in {draw(listed(CLUSTERS))}",
        "kind == `other kind`", "kind != `other kind`", "index.str.endswith('1')", "cell_id == 'cell 3'",
    ]  # fmt: skip
    return draw(st.sampled_from(forms))


@st.composite
def of_numbers(draw):
    left, right = draw(arithmetic), draw(arithmetic)
    name, low, high = draw(NUMBERS | st.just("byte")), draw(CONSTANTS), draw(CONSTANTS)
    inclusive = draw(st.sampled_from(["", ", inclusive='left'", ", inclusive='right'", ', inclusive="neither"']))
    many = draw(st.lists(CONSTANTS, max_size=3).map(lambda some: f"[{', '.join(some)}]"))
    forms = [
        f"{name} {draw(COMPARED)} {left}", f"{left} {draw(COMPARED)} {name}", f"{left} < {name} <= {right}",
        f"{name} in {many}", f"{name} not in {many}", f"{name}.isin({many})", f"{name} == {many}",
        f"{name}.between({low}, {high}{inclusive})", f"{name}.isna()", f"{name}.notna()",
        f"{name} {draw(COMPARED)} {draw(NUMBERS)}",
    ]  # fmt: skip
    return draw(st.sampled_from(forms))


FLAGS = st.sampled_from(["flag", "flag == True", "flag != 1", "flag in [False]", "flag.isin([True, False])",
                         "maybe == True", "maybe.isna()", "flag < n", "flag + 1 > n", "maybe in [False]"])  # fmt: skip
queries = st.recursive(
    of_text() | of_numbers() | FLAGS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or", "&", "|"]), inner).map(lambda one: f"({' '.join(one)})"),
        inner.map("~({})".format),
        inner.map("not ({})".format),
    ),
    max_leaves=4,
)


@given(queries, st.integers(0, 3))
@settings(max_examples=200 * MORE, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_query_means_the_cells_that_pandas_finds(query, seed):
    dataset, frame = both(seed)
    found = mask_of({"query": query}, dataset)  # the language accepts all of these
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            rows = frame.query(query, engine="python").index
        except Exception as error:
            event(f"pandas refuses: {type(error).__name__}")
            return
    event("pandas accepts")
    np.testing.assert_array_equal(found, frame.index.isin(rows), err_msg=query)
