"""Code of an analysis: its form, hostile names, polygons, rows, and the request of the page."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget import CxgWidget
from cxg_widget.code.statement import call, literal, prefixed, statement
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.errors import InvalidOption, InvalidValue
from cxg_widget.wire import protocol
from tests.memory import small
from tests.unit.test_code_laws import rebuilt, state_of
from tests.unit.test_rules import HOSTILE

RUFF = Path(sys.executable).with_name("ruff")
TEXTS = [one for one in HOSTILE if isinstance(one, str) and len(one) < 190] + [
    '"); import os; os.abort() #', "'); import os; os.abort() #", "\\", '\\"', '"""', "{w}", "%s", "\n#",
    "ü 細胞 \u202e",
    "x" * 85, "# fmt: off", "a'b\"c",
]  # fmt: skip


def formatted(code):
    if not RUFF.exists():
        pytest.skip("ruff is not installed beside this Python")
    done = subprocess.run(
        [RUFF, "format", "--isolated", "-"], input=code, capture_output=True, text=True, encoding="utf-8", check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("code") / "demo.cxg", 1000, seed=0)


def test_code_of_an_untouched_widget_is_one_line(path):
    w = CxgWidget(path, restore=False)
    assert w.code() == f'w = CxgWidget("{path}")'
    assert w.code(since=0) == w.code()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=60) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), min_size=20, max_size=40))
def test_any_value_is_a_literal_of_itself_as_ruff_formats_it(pairs):
    lines = [statement(prefixed("found = ", call("tuple", literal([one, other])))) for one, other in pairs]
    code = "\n".join(lines) + "\n"
    assert formatted(code) == code
    for line, pair in zip(lines, pairs, strict=True):
        space = {}
        exec(line, space)
        assert space["found"] == pair


def test_hostile_names_are_inert_and_code_is_as_ruff_formats_it(monkeypatch):
    dataset = small(60)
    w = CxgWidget(dataset, restore=False)
    for text in TEXTS:
        for act in (
            lambda text=text: w.sets.add(text, {"is_doublet": True}),
            lambda text=text: w.genes.sets.__setitem__(text, ["CD3E"]),
            lambda text=text: w.annotations.new(text).assign(text, [1, 2, 3]),
            lambda text=text: w.annotations[text].rename(text, f"{text}."),
            lambda text=text: w.filters.__setitem__(f"set:{text}", False),
        ):
            try:
                act()
            except ValueError:  # no such name is allowed
                continue
    assert len(w.sets) > 70
    code = w.code() + "\n"
    assert formatted(code) == code
    assert state_of(rebuilt(code, dataset, monkeypatch, times=2)) == state_of(w)
    compile(w.code("scanpy"), "code", "exec")


def test_a_polygon_has_few_digits_and_the_same_cells_and_rows_are_found_again(path):
    w = CxgWidget(path, restore=False)
    angle = np.linspace(0, 6.2, 50)
    w.sets.add("drawn", np.c_[3.123456789 * np.cos(angle), 4.987654321 * np.sin(angle)])
    w.sets.add("few", [3, 5])
    w.select(np.random.default_rng(0).random(1000) < 0.4)
    w.compare("drawn", method="wilcoxon", within="filter")
    code = w.code() + "\n"
    assert formatted(code) == code
    corners = code.partition("polygon = [")[2].partition("]")[0]
    assert max(map(len, corners.replace("(", "").replace(")", "").replace(",", " ").split())) <= 5
    shown = (
        "import numpy as np; print(*(int(one.mask.dot(np.arange(1000))) for one in [*w.sets.values(), w.selection]))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True
    )
    masks = [*(one.mask for one in w.sets.values()), w.selection.mask]
    assert done.stdout.split() == [str(int(mask.dot(np.arange(1000)))) for mask in masks]


def test_steps_are_counted_as_undo_does(path):
    w = CxgWidget(path, restore=False)
    w.color = "CD3E"
    w.filters["n_genes"] = (500, None)
    w.select({"sex": "male"})
    w.select({"sex": "female"}, "add")
    assert w.code(since=-2).splitlines()[-4:] == [
        "# Step 1: selection", 'w.select({"sex": "male"})', "# Step 2: selection", 'w.select({"sex": "female"}, "add")',
    ]  # fmt: skip
    assert "w.filters" in w.code(since=-2).partition("# Step")[0]
    with pytest.raises(InvalidValue, match="of the 4 that undo knows"):
        w.code(since=5)
    with pytest.raises(InvalidValue, match="flavor"):
        w.code("seurat")
    with pytest.raises(InvalidOption, match=r"code\(since=0\)"):
        w.code("scanpy", since=0)


def test_a_study_is_declared_again_with_the_samples_that_are_left_out(path):
    w = CxgWidget(path, restore=False)
    study = w.study(sample="donor", condition="condition")
    study.exclude(study.samples.index[0])
    for code in (w.code(), w.code(since=0)):
        space = {}
        exec(code, space)
        assert space["w"].state == w.state
    assert w.code().splitlines()[-2] == 'w.study(sample="donor", condition="condition")'


def test_the_page_gets_the_code_that_python_gets(path):
    w = CxgWidget(path, restore=False)
    w.color = "CD3E"
    frames = list(w._code(protocol.AskCode()))
    assert b"".join(frame.arrays["file"].tobytes() for frame in frames).decode() == w.code()
