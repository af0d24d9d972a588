"""Code of an analysis: its form, hostile names, polygons, rows, and the request of the page."""

import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget import CxgWidget
from cxg_widget.code.parts import PARTS
from cxg_widget.code.statement import call, literal, prefixed, statement
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.display.settings import PANELS
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


def results(w):
    """Make results of each kind, in three states; return the names of their variables."""
    w.filters["n_genes"] = (50, None)
    w.study(sample="donor", condition="condition")
    w.study().composition("cell_type")
    w.study().composition("cell_type", method="clr", within={"sex": "male"})
    w.study().expression(["CD3E", "NKG7"])
    w.sets.add("NK", {"cell_type": "NK cell"})
    w.compare("NK", within="filter", genes=["CD3E", "NKG7"])
    w.quick_markers("NK", n=5)
    w.select({"sex": "male"})
    w.study().composition()
    w.markers("NK", against="neighborhood", genes=["CD3E"])
    w.aggregate(width=30, height=20)
    w.color = "CD3E"
    w.aggregate("max", width=30, height=20)
    w.dotplot(["CD3E"], "cell_type")
    return ["shares", "shares_2", "expression", "compared", "quick_markers", "shares_3", "markers", "image", "image_2"]


def same(one, other):
    if hasattr(one, "frame"):
        one, other = (found.frame() for found in (one, other))
    if hasattr(one, "select_dtypes"):
        one, other = (found.select_dtypes("number") for found in (one, other))
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)


def test_results_since_a_step_are_in_the_state_that_they_were_made_in_and_come_back(path):
    w = CxgWidget(path, restore=False)
    names = results(w)
    code = w.code(since=0)
    found, again = {}, {}
    exec(code, found)
    exec(code, again)
    assert [line.split(" = ")[0] for line in code.splitlines() if line.split(" = ")[0] in names] == names
    assert "left out" not in code
    assert code.index("w.select(") < code.index("image = ") < code.index("w.color = ") < code.index("image_2 = ")
    assert found["w"].code(since=0) == code
    assert all(same(found[name], again[name]) for name in names)
    assert same(found["compared"], w.compare("NK", within="filter", genes=["CD3E", "NKG7"]))
    assert w.code().count("left out: another color") == 1
    while w.undo():
        pass
    assert " = w.study" not in w.code(since=0)
    while w.redo():
        pass
    # The comparison was made once more, in the last state.
    assert w.code(since=0).startswith(code)


def test_a_result_of_another_study_is_a_comment(path):
    w = CxgWidget(path, restore=False)
    w.study(sample="donor", condition="condition").composition("cell_type")
    w.study(sample="sample", condition="condition")
    assert w.code().splitlines()[-1].endswith("is left out: another study was declared")


def test_the_code_of_a_panel_has_what_it_shows_and_what_that_needs(path):
    assert {*PARTS} == {*PANELS}
    assert {*PANELS, "", "methods"} == {*typing.get_args(typing.get_type_hints(protocol.AskCode)["part"])}
    w = CxgWidget(path, restore=False)
    w.annotations.new("mine").assign("x", {"sex": "male"})
    w.annotations.new("other")
    w.sets.add("marked", {"mine": "x"})
    w.sets.add("alone", {"cell_type": "NK cell"})
    w.genes.pin("CD3E")
    w.color = "NKG7"
    w.filters["n_genes"] = (50, None)
    w.compare("alone")
    compared = w.compare("marked", within="filter", genes=["CD3E", "NKG7"])
    w.study(sample="donor", condition="condition").composition("cell_type")
    w.table.columns, w.table.of = ["mine"], "selection"
    w.select({"cell_type": "NK cell"})
    found = {}
    for panel in PARTS:
        code, found[panel] = w._text_of(panel), {}
        exec(code, found[panel])
        assert ("NKG7" in code) == (panel == "compare")
        assert ('new("other"' in code) == (panel == "annotations")
        assert ("pin(" in code) == (panel == "genes")
    assert same(found["compare"]["compared"], compared)
    assert [*found["table"]["w"].annotations] == ["mine"]
    assert [*found["compare"]["w"].sets] == ["marked"]
    assert found["table"]["rows"].equals(w.table.frame(n=None))
    assert np.array_equal(found["columns"]["w"].filters.mask, w.filters.mask)
    assert same(found["study"]["shares"], w.study().composition("cell_type"))
    w.compare({"sex": "male"})
    assert w._text_of("compare").splitlines()[-1] == 'compared = w.compare({"sex": "male"})'


def test_the_page_gets_the_texts_that_python_gets(path):
    w = CxgWidget(path, restore=False)
    w.color = "CD3E"
    for part, text in (("", w.code()), ("methods", w.methods()), ("sets", w._text_of("sets"))):
        frames = list(w._code(protocol.AskCode(part)))
        assert b"".join(frame.arrays["file"].tobytes() for frame in frames).decode() == text


def test_of_what_fills_the_study_in_the_page_the_newest_is_kept(path):
    w = CxgWidget(path, restore=False)
    w.study(sample="donor", condition="condition")
    w.study().composition("sex")
    for by in ("cell_type", "leiden", "cell_type"):
        list(w._session.answer(protocol.AskStudy("composition", by, "filter")))
    assert [line for line in w.code().splitlines() if "shares" in line] == [
        'shares = w.study().composition("sex")', 'shares_2 = w.study().composition("cell_type")',
    ]  # fmt: skip
