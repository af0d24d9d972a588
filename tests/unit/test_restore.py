"""Laws of keeping: what a user made is found again, by nobody else, and never in the way."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, errors
from cxg_widget.datasets.cxg.dataset import CxgDataset
from cxg_widget.widget import keeping, kept_states
from tests.datasets.make_cxg import make_cxg, make_truth

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of files are those of POSIX")


@pytest.fixture
def caches(monkeypatch, tmp_path):
    monkeypatch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path / "caches"))
    monkeypatch.delenv("CXG_WIDGET_RESTORE", raising=False)
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/trial.ipynb")
    monkeypatch.setattr(keeping, "_dismissed", set())
    monkeypatch.setattr(kept_states.KeptStates, "_has_complained", False)
    return tmp_path / "caches" / "states"


@pytest.fixture
def store(tmp_path):
    return str(make_cxg(tmp_path / "s.cxg", make_truth(200, 6), "columns"))


@pytest.fixture
def opened(store):
    """Opens a widget, with what it sends; all are closed in the end."""
    made = []

    def build(source=store, **options):
        w = CxgWidget(source, **options)
        w.sent = []
        w._exchange._send = lambda content, _=None: w.sent.append(content)
        made.append(w)
        return w

    yield build
    for w in made:
        w.close()


def work(w):
    """Make two sets, one of them of rows, two labels, a filter and a pin, and color by the labels."""
    column = next(name for name, one in w.dataset.obs_columns.items() if one.kind == "categorical")
    labels = list(w.dataset.codes(column).categories)
    w.sets.add("kind", {column: labels[0]})
    w.sets.add("rows", [3, 5, 8])
    mine = w.annotations.new("mine")
    mine.assign("A", {column: labels[0]})
    mine.assign("B", [1, 2])
    w.color = "mine"
    w.filters[column] = labels[:2]
    w.genes.pin("GENE1")
    return mine.series()


def offers(w):
    w._handle_custom_msg({"id": 7, "kind": "begun"}, [])
    for future in list(w._exchange.jobs._waiting.values()):
        future.exception() if not future.cancelled() else None
    return next((one["states"] for one in reversed(w.sent) if one["kind"] == "kept"), [])


def answer(w, name):
    w._handle_custom_msg({"id": 8, "kind": "restore", "name": name}, [])
    return [one for one in w.sent if one.get("id") == 8]


def kept_files(caches):
    return sorted(caches.glob("*.cxgstate")) if caches.is_dir() else []


def test_what_was_made_is_back_after_a_restart_with_its_rules_and_colors(caches, opened):
    first = opened(restore=True)
    labels = work(first)
    before = first.state
    first.close()
    again = opened(restore=True)
    assert again.state == before
    assert {name: one.rows.tolist() for name, one in again.sets.items()}["rows"] == [3, 5, 8]
    pd.testing.assert_series_equal(again.annotations["mine"].series(), labels)
    assert again.color in ("mine", "obs:mine")


def test_bringing_back_is_one_step_that_can_be_undone(caches, opened):
    first = opened()
    work(first)
    first.close()
    again = opened(restore=True)
    assert len(again.sets) == 2
    assert again.undo()
    assert (len(again.sets), len(again.annotations), len(again.filters)) == (0, 0, 0)
    assert not again.undo()
    assert again.redo()
    assert len(again.sets) == 2


def test_an_offer_counts_what_is_brought_back_by_one_message(caches, opened):
    first = opened()
    labels = work(first)
    before = first.state
    first.close()
    again = opened()
    (offer,) = offers(again)
    counts = {"sets": 2, "labels": int(labels.notna().sum()), "annotations": 1, "filters": 1, "pins": 1, "panels": 0}
    assert {name: offer["counts"][name] for name in counts} == counts
    assert (offer["unsaved"], offer["notebook"]) == (1, "")
    assert len(again.sets) == 0
    assert [one["states"] for one in answer(again, offer["name"])] == [[]]
    assert again.state == before
    assert again.steps["undo"] != ""


def test_one_who_declines_is_not_asked_again_by_the_same_kernel(caches, opened):
    work(first := opened())
    first.close()
    assert len(offers(second := opened())) == 1
    assert [one["states"] for one in answer(second, "")] == [[]]
    assert len(second.sets) == 0
    assert offers(opened()) == []
    assert len(opened(restore=True).sets) == 2


def test_false_neither_offers_nor_keeps_nor_does_the_environment(caches, opened, monkeypatch):
    work(first := opened(restore=False))
    first.close()
    monkeypatch.setenv("CXG_WIDGET_RESTORE", "0")
    work(second := opened())
    second.close()
    assert kept_files(caches) == []
    monkeypatch.delenv("CXG_WIDGET_RESTORE")
    work(third := opened())
    third.close()
    assert len(kept_files(caches)) == 1
    assert offers(opened(restore=False)) == []
    with pytest.raises(errors.InvalidValue, match="True, False or 'ask'"):
        opened(restore="yes")


def test_nothing_is_kept_or_offered_where_nothing_was_made(caches, opened):
    w = opened()
    w.color, w.view, w.point_size = None, [0.0, 1.0, 0.0, 1.0], 3
    w._keeper.keep()
    assert kept_files(caches) == []
    w.sets.add("a", [1])
    w._keeper.keep()
    assert len(kept_files(caches)) == 1
    del w.sets["a"]
    w.close()
    assert kept_files(caches) == []


def test_what_is_given_by_name_wins_and_what_was_made_since_stays(caches, opened):
    work(first := opened())
    first.close()
    again = opened(color="GENE1", filters={})
    again.sets.add("new", [7])
    (offer,) = offers(again)
    answer(again, offer["name"])
    assert again.color in {"var:GENE1", "GENE1"}
    assert len(again.filters) == 0
    assert set(again.sets) == {"kind", "rows", "new"}


def test_two_widgets_keep_two_files_and_the_newest_of_this_notebook_comes_first(caches, opened, monkeypatch):
    one, other = opened(), opened()
    one.sets.add("one", [1])
    other.sets.add("other", [2])
    one._keeper.keep()
    other._keeper.keep()
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/elsewhere.ipynb")
    third = opened()
    third.sets.add("third", [3])
    third._keeper.keep()
    assert len(kept_files(caches)) == 3
    assert [one["notebook"] for one in offers(opened())] == ["", "trial.ipynb", "trial.ipynb"]
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/trial.ipynb")
    assert [one["notebook"] for one in offers(opened())] == ["", "", "elsewhere.ipynb"]
    assert list(opened(restore=True).sets) == ["other"]


def test_data_that_changed_are_given_no_state(caches, opened, store):
    work(first := opened())
    first.close()
    make_cxg(Path(store).with_name("new.cxg"), make_truth(200, 6, seed=3), "columns")
    Path(store).rename(Path(store).with_name("old.cxg"))
    Path(store).with_name("new.cxg").rename(store)
    assert offers(again := opened()) == []
    assert len(again.sets) == 0


def test_an_object_in_memory_is_known_again_by_its_cells_and_where_they_lie(caches, opened):
    def cells(seed=0):
        obs = pd.DataFrame({"kind": ["a", "b"] * 30}, index=[f"cell{i}" for i in range(60)])
        umap = np.random.default_rng(seed).normal(size=(60, 2)).astype(np.float32)
        var = pd.DataFrame(index=["A", "B"])
        return SimpleNamespace(
            obs=obs, var=var, obsm={"X_umap": umap}, X=np.ones((60, 2)), n_obs=60, layers={}, uns={}, raw=None
        )

    first = opened(cells())
    first.sets.add("rows", [1, 2])
    first.close()
    assert opened(cells(), restore=True).sets["rows"].rows.tolist() == [1, 2]
    assert offers(opened(cells(seed=1))) == []


@posix
def test_files_are_the_users_alone(caches, opened):
    work(first := opened())
    first.close()
    (file,) = kept_files(caches)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(caches.stat().st_mode) == 0o700
    caches.chmod(0o755)
    opened().sets.add("a", [1])
    second = opened()
    second.sets.add("b", [1])
    second.close()
    assert stat.S_IMODE(caches.stat().st_mode) == 0o700


DAMAGES = {
    "empty": lambda text: b"",
    "cut": lambda text: text[: len(text) // 2],
    "no JSON": lambda text: b"{" * 70_000 + text,
    "deep": lambda text: b"[" * 60_000 + b"\n{}",
    "a list": lambda text: b"[]\n{}",
    "another version": lambda text: text.replace(b'"version": 1', b'"version": 99'),
    "huge numbers": lambda text: text.replace(b'"sets": 2', b'"sets": 1e400'),
    "changed": lambda text: text.replace(b'"kind"', b'"KIND"'),
    "other parts": lambda text: text.replace(b'"unsaved"', b'"unknown"'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_never_keeps_a_widget_from_opening(caches, opened, damage):
    work(first := opened())
    first.close()
    (file,) = kept_files(caches)
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    again = opened()
    for offer in offers(again):
        answer(again, offer["name"])
        assert [one["kind"] for one in again.sent if one.get("id") == 8] == ["error"]
    assert len(again.sets) == 0
    if damage in ("changed", "cut"):
        with pytest.warns(UserWarning, match="restore=True: .* nothing was restored"):
            assert len(opened(restore=True).sets) == 0
    else:
        assert len(opened(restore=True).sets) == 0


def test_a_state_whose_names_do_not_fit_is_refused_in_one_sentence_and_changes_nothing(caches, opened):
    work(first := opened())
    first.close()
    (file,) = kept_files(caches)
    head, _ = file.read_bytes().split(b"\n", 1)
    text = json.dumps({"color": "no such gene", "sets": [{"name": "x", "rule": {"rows": "!!", "n_obs": -1}}]})
    header = json.loads(head) | {"content": kept_states.digest(text)}
    file.write_bytes(json.dumps(header).encode() + b"\n" + text.encode())
    again = opened()
    before = again.state
    (offer,) = offers(again)
    assert [one["kind"] for one in answer(again, offer["name"])] == ["error"]
    assert again.state == before


@posix
def test_links_pipes_and_files_of_others_are_not_read(caches, opened, tmp_path, monkeypatch):
    work(first := opened())
    first.close()
    (file,) = kept_files(caches)
    elsewhere = file.rename(tmp_path / "elsewhere")
    file.symlink_to(elsewhere)
    assert offers(opened()) == []
    file.unlink()
    os.mkfifo(file)
    assert offers(opened()) == []
    file.unlink()
    elsewhere.rename(file)
    assert len(offers(opened())) == 1
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert offers(opened()) == []


@pytest.mark.parametrize("obstacle", ["a file", "no room", "no cache"])
def test_a_folder_that_takes_nothing_disturbs_nobody(caches, opened, monkeypatch, tmp_path, obstacle):
    if obstacle == "a file":
        (tmp_path / "caches").write_text("in the way")
    elif obstacle == "no room":
        monkeypatch.setattr(kept_states.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "no space")))
    else:
        monkeypatch.setenv("CXG_WIDGET_CACHE_BYTES", "0")
    w = opened()
    work(w)
    w._keeper.keep()
    assert not [one for one in w.sent if one["kind"] == "error"]
    w.close()
    assert kept_files(caches) == []
    assert not list(caches.glob("*")) if caches.is_dir() else True


def test_the_oldest_go_beyond_a_number_and_a_size(caches, opened, monkeypatch):
    monkeypatch.setattr(kept_states, "MOST_FILES", 3)
    for i in range(5):
        w = opened()
        w.sets.add(f"s{i}", [i])
        w._keeper.keep()
        os.utime(caches / f"{w._keeper._name}.cxgstate", (i, i))
    assert len(kept_files(caches)) == 3
    assert {next(iter(json.loads(f.read_bytes().split(b"\n")[1])["sets"]))["name"] for f in kept_files(caches)} == {
        "s2", "s3", "s4"
    }  # fmt: skip
    monkeypatch.setattr(kept_states, "MOST_IN_ALL", 1500)
    w = opened()
    w.sets.add("last", [1])
    w._keeper.keep()
    assert sum(f.stat().st_size for f in kept_files(caches)) <= 1500
    monkeypatch.setattr(kept_states, "MOST_BYTES", 100)
    monkeypatch.setattr(keeping, "MOST_BYTES", 100)
    w.sets.add("more", [2])
    w._keeper.keep()
    assert [one["kind"] for one in w.sent if one["kind"] == "error"] == ["error"]


def test_labels_are_unsaved_until_a_file_has_them_and_again_when_they_change(caches, opened, tmp_path):
    def is_saved(w):
        w._handle_custom_msg({"id": 9, "kind": "annotations", "name": "", "query": "", "filters": []}, [])
        w._exchange.jobs.finish(("annotations", 0))
        (told,) = [one for one in w.sent if one.get("id") == 9][-1:]
        return [one["is_saved"] for one in told["annotations"]]

    w = opened()
    mine = w.annotations.new("mine")
    assert is_saved(w) == [True]  # there is nothing to save
    mine.assign("A", [1, 2])
    assert is_saved(w) == [False]
    w.annotations.save(tmp_path / "mine.csv")
    assert is_saved(w) == [True]
    w.close()
    again = opened(restore=True)
    assert is_saved(again) == [True]
    again.annotations["mine"].assign("B", [3])
    assert is_saved(again) == [False]
    again.undo()
    assert is_saved(again) == [True]
    assert is_saved(opened(annotations=tmp_path / "mine.csv", restore=False)) == [True]


def test_opening_reads_neither_folder_nor_identity_before_the_first_paint_and_no_identity_where_nothing_is_kept(
    caches, opened, monkeypatch
):
    read = []
    identity, headers = CxgDataset._read_identity, kept_states.KeptStates._headers
    monkeypatch.setattr(CxgDataset, "_read_identity", lambda self: read.append("identity") or identity(self))
    monkeypatch.setattr(kept_states.KeptStates, "_headers", lambda self: read.append("folder") or headers(self))
    w = opened()
    w._exchange.jobs.finish("prepare")
    assert read == []
    assert offers(w) == []
    assert read == ["folder"]


def test_a_change_is_kept_at_rest_without_the_main_thread(caches, opened, monkeypatch):
    monkeypatch.setattr(keeping, "REST_S", 0.05)
    wrote, threads = threading.Event(), []
    write = kept_states.KeptStates.write

    def noted(self, *args):
        threads.append(threading.current_thread())
        done = write(self, *args)
        wrote.set()
        return done

    monkeypatch.setattr(kept_states.KeptStates, "write", noted)
    opened().sets.add("a", [1])
    assert wrote.wait(30)
    assert threads[0] is not threading.main_thread()
    assert len(kept_files(caches)) == 1


def test_what_was_made_just_before_the_kernel_ends_is_kept(caches, store):
    code = f"from cxg_widget import CxgWidget; w = CxgWidget({store!r}); w.sets.add('late', [1, 2]); raise SystemExit"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    assert len(kept_files(caches)) == 1
