"""Laws of `isolated=True`: what ends or holds up a process ends another one than this."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.compute import child
from cxg_widget.compute.child import Attempt, attempt
from cxg_widget.datasets import probe
from cxg_widget.errors import CxgWidgetError, DamagedStore, DamagedText, DatasetNotFound, InvalidOption
from tests.datasets.child_work import chatter, end, hang, hang_in, leave, refuse
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.datasets.test_cxg_validation import spoil_offsets
from tests.memory import small


@pytest.fixture(scope="module")
def truth():
    return make_truth()


@pytest.mark.parametrize(
    ("work", "arguments", "reading", "ending"),
    [
        (end, (11,), "the second part", "SIGSEGV"),
        (end, (6,), "the second part", "SIGABRT"),
        (leave, (), None, "exit status 3"),
    ],
)
def test_how_and_where_a_process_ended_is_known(work, arguments, reading, ending):
    assert attempt(work, *arguments) == child.Attempt(None, reading, ending)


def test_a_process_that_says_nothing_any_more_is_ended():
    assert attempt(hang, silence_s=1) == child.Attempt(None, "a circle", "no answer for 1 s")


def test_what_work_returns_or_raises_comes_back_whatever_else_is_printed():
    assert attempt(chatter, silence_s=60).outcome == ("words", 7)
    refused = attempt(refuse)
    assert isinstance(refused.outcome, DatasetNotFound)
    assert str(refused.outcome) == "nothing there"


@pytest.mark.parametrize(("part", "what"), [("obs", "the obs index"), ("var", "the names of vars")])
def test_text_that_ends_the_process_which_reads_it_is_one_sentence(tmp_path, truth, part, what):
    path = make_cxg(tmp_path / "a.cxg", truth)
    spoil_offsets(path / part, "name_0")
    for opens in (open_dataset, CxgWidget):
        with pytest.raises(DamagedStore) as caught:
            opens(path, isolated=True)
        sentence = str(caught.value)
        assert sentence.startswith(f"{path}: reading {what} ended the process that read it first (SIG")
        assert sentence.endswith("); the store is damaged.")


def test_without_isolation_that_store_does_end_the_process(tmp_path, truth):
    path = make_cxg(tmp_path / "a.cxg", truth)
    spoil_offsets(path / "obs", "name_0")
    code = f"from cxg_widget import open_dataset; open_dataset({str(path)!r}).obs_names()"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode < 0


def test_text_that_depends_on_what_lies_in_memory_is_one_sentence(tmp_path, truth, monkeypatch):
    texts = iter("ab")
    monkeypatch.setattr(probe, "attempt", _here)
    monkeypatch.setattr(probe, "_parts", lambda dataset: [("a column", lambda: next(texts))])
    with pytest.raises(DamagedText, match="a column gives different data each time it is read; the store is damaged"):
        open_dataset(make_cxg(tmp_path / "a.cxg", truth), isolated=True)


def _here(work, *given, silence_s):
    try:
        return Attempt(work(print, *given), None, "")
    except CxgWidgetError as error:
        return Attempt(error, None, "")


@pytest.mark.parametrize("make", [lambda at: make_cxg(at / "a.cxg", make_truth()), make_anndata])
def test_an_intact_store_reads_the_same(tmp_path, make):
    path = make(tmp_path)
    with open_dataset(path) as plain, open_dataset(path, isolated=True) as isolated:
        pd.testing.assert_frame_equal(isolated.obs(), plain.obs())
        np.testing.assert_array_equal(isolated.values("ENSG0001"), plain.values("ENSG0001"))
        assert isolated.notes == plain.notes
    w = CxgWidget(path, isolated=True)
    assert w.dataset.n_obs == len(make_truth().obs)
    w.close()


def test_what_is_wrong_without_ending_anything_is_said_as_without_isolation(tmp_path, truth):
    with pytest.raises(DatasetNotFound, match="no such file"):
        open_dataset(tmp_path / "none.cxg", isolated=True)
    path = make_cxg(tmp_path / "a.cxg", truth)
    for file in (path / "Xc").rglob("a*.tdb"):
        file.unlink()
    with open_dataset(path, isolated=True) as dataset, pytest.raises(DamagedStore, match="Xc"):
        dataset.values("ENSG0001")


def test_a_script_that_isolates_is_not_run_again(tmp_path, truth):
    path = make_cxg(tmp_path / "a.cxg", truth)
    script = tmp_path / "script.py"
    script.write_text(f"from cxg_widget import open_dataset\nprint(open_dataset({str(path)!r}, isolated=True).n_obs)\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "40\n"


def test_a_hang_is_one_sentence_too(tmp_path, truth, monkeypatch):
    path = make_cxg(tmp_path / "a.cxg", truth)
    monkeypatch.setattr(probe, "_read", hang_in)
    monkeypatch.setattr(probe, "SILENCE_S", 1.0)
    with pytest.raises(DamagedStore, match=r"reading a circle ended the process .* \(no answer for 1 s\)"):
        open_dataset(path, isolated=True)


@pytest.mark.parametrize(
    ("source", "options", "sentence"),
    [
        ("path", {"isolated": 1}, "isolated is 1; it must be True or False"),
        ("path", {"isolated": True, "ctx": tiledb.Ctx()}, "ctx is a Ctx, which cannot be sent to the separate process"),
        ("dataset", {"isolated": True}, "the dataset is already open"),
        ("path", {"isolatd": True}, "isolated"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, truth, source, options, sentence):
    what = small(50) if source == "dataset" else make_cxg(tmp_path / "a.cxg", truth)
    with pytest.raises(InvalidOption, match=sentence):
        open_dataset(what, **options)
