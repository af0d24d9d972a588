"""Laws of every file that is written: whole or not at all, by one of several writers, never through a link."""

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cxg_widget import open_dataset
from cxg_widget.convert import convert
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.errors import CxgWidgetError, InvalidValue, TargetExists, TargetNotWritten
from cxg_widget.files import workplace
from cxg_widget.files import writing as files
from cxg_widget.files.target import check_replaceable, local_path
from cxg_widget.files.writing import writing
from cxg_widget.table.csv import write_csv
from tests.memory import small

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and signals of POSIX")


@pytest.fixture
def labelled(widget):
    widget.annotations.new("mine").assign("x", [1, 2, 3])
    return widget


WRITERS = {
    "table.csv": lambda w, path: w.table.to_csv(path),
    "markers.csv": lambda w, path: w.compare({"cell_type": "T cell"}, {"cell_type": "B cell"}).to_csv(path),
    "labels.csv": lambda w, path: w.annotations.save(path, on_conflict="ours"),
    "labels.parquet": lambda w, path: w.annotations.save(path, on_conflict="ours"),
    "labels.cxg": lambda w, path: w.annotations.save(path, on_conflict="ours"),
    "data.h5ad": lambda w, path: w.annotations.save(into=path, on_conflict="ours"),
    "figure.png": lambda w, path: w.save(path, dpi=40),
    "page.html": lambda w, path: w.save(path),
}


def content(path):
    """Return the bytes of a file, or of all files below a folder by their paths."""
    if path.is_file():
        return path.read_bytes()
    return {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}


def written(widget, name, folder):
    """Write a target the first time, as far as it has to be there."""
    path = folder / name
    if name.endswith(".h5ad"):
        pytest.importorskip("h5py")
        convert(small(1000), path, progress=False)
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    WRITERS[name](widget, path)
    widget.annotations["mine"].assign("y", [5, 6])
    return path


@POSIX
@pytest.mark.parametrize("name", WRITERS)
def test_a_target_that_is_a_link_is_refused_and_the_sentence_names_the_path_that_works(name, labelled, tmp_path):
    real = written(labelled, name, tmp_path)
    before, link = content(real), tmp_path / f"link {name}"
    link.symlink_to(real)
    with pytest.raises(TargetNotWritten, match=f"is a link.*write to '{re.escape(str(real))}' itself"):
        WRITERS[name](labelled, link)
    assert link.is_symlink()
    assert content(real) == before
    link.unlink()
    link.symlink_to(tmp_path / f"nowhere {name}")
    with pytest.raises(CxgWidgetError):
        WRITERS[name](labelled, link)
    assert sorted(os.listdir(tmp_path)) == sorted([name, link.name])


@POSIX
@pytest.mark.parametrize("kind", ["fifo", "socket"])
@pytest.mark.parametrize("name", WRITERS)
def test_what_is_neither_file_nor_folder_is_refused_at_once_and_stays(name, kind, labelled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    if kind == "fifo":
        os.mkfifo(name)
    else:
        socket.socket(socket.AF_UNIX).bind(name)
    mode = os.lstat(name).st_mode
    with pytest.raises(TargetNotWritten, match=r"named pipe|socket"):
        WRITERS[name](labelled, Path(name))
    assert os.lstat(name).st_mode == mode
    assert os.listdir(tmp_path) == [name]


@POSIX
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("mode", [0o600, 0o444])
def test_permissions_of_the_target_are_kept_and_new_files_follow_the_umask(name, mode, labelled, tmp_path):
    before = os.umask(0o027)
    try:
        path = written(labelled, name, tmp_path)
        created = stat.S_IMODE(path.stat().st_mode)
        path.chmod(mode | (0o300 if path.is_dir() else 0))
        kept = stat.S_IMODE(path.stat().st_mode)
        WRITERS[name](labelled, path)
    finally:
        os.umask(before)
    assert created == (0o750 if path.is_dir() else 0o640)
    assert stat.S_IMODE(path.stat().st_mode) == kept


@POSIX
def test_while_a_private_file_is_written_nobody_else_can_open_what_there_is_of_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("secret")
    path.chmod(0o600)
    with writing(path, replaces=True) as place:
        place.partial.write_text("new secret")
        (beside,) = set(os.listdir(tmp_path)) - {"a.csv"}
        assert stat.S_IMODE((tmp_path / beside).stat().st_mode) == 0o700
        assert place.partial.is_relative_to(tmp_path / beside)
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("name", WRITERS)
def test_what_a_user_calls_partial_is_kept(name, labelled, tmp_path):
    folder, file = tmp_path / f"{name}.partial", tmp_path / f"{name}.partial-blocks"
    folder.mkdir()
    (folder / "precious").write_text("mine")
    file.write_text("mine too")
    path = written(labelled, name, tmp_path)
    WRITERS[name](labelled, path)
    assert (folder / "precious").read_text() == "mine"
    assert file.read_text() == "mine too"
    assert len(os.listdir(tmp_path)) == 3


SLOW = """
import sys
from pathlib import Path
from cxg_widget.table.csv import write_csv
text, n = sys.argv[2] * 200_000, int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(n):
    write_csv(Path(sys.argv[1]), [text, text])
"""


def test_readers_beside_two_writers_find_the_whole_file_of_one_at_each_look(tmp_path):
    path = tmp_path / "a.csv"
    whole = {letter: letter * 400_000 for letter in "abc"}
    path.write_text(whole["c"])
    command = [sys.executable, "-c", SLOW, str(path)]
    writers = [
        subprocess.Popen([*command, letter, "150"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        for letter in "ab"
    ]
    for one in writers:
        assert one.stdout.readline() == b"ready\n"
    for one in writers:
        one.stdin.write(b"go\n")
        one.stdin.flush()
    looks, torn = 0, 0
    while any(one.poll() is None for one in writers):
        text = path.read_text()
        looks, torn = looks + 1, torn + (text not in whole.values())
    for one in writers:
        one.communicate()
    assert [one.returncode for one in writers] == [0, 0]
    assert (torn, looks > 100) == (0, True)
    assert path.read_text() in (whole["a"], whole["b"])
    assert os.listdir(tmp_path) == ["a.csv"]


FOLDERS = """
import sys
from cxg_widget import CxgWidget
from tests.memory import small
w = CxgWidget(small(1000))
note = w.annotations.new("mine")
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    note.assign(sys.argv[2], [number])
    note.save(sys.argv[1], on_conflict="ours")
"""


def test_of_two_writers_of_a_folder_the_last_one_wins_whole(widget, tmp_path):
    path = tmp_path / "a.cxg"
    widget.annotations.new("mine").assign("first", [0])
    widget.annotations.save(path)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", FOLDERS, str(path), letter, "8"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        for letter in "ab"
    ]
    for one in writers:
        assert one.stdout.readline() == b"ready\n"
    for one in writers:
        one.stdin.write(b"go\n")
        one.stdin.flush()
    errors = [one.communicate()[1].decode() for one in writers]
    assert [one.returncode for one in writers] == [0, 0], errors
    assert os.listdir(tmp_path) == ["a.cxg"]
    del widget.annotations["mine"]
    with pytest.warns(UserWarning, match="another dataset"):  # of another process
        widget.annotations.load(path)
    found = widget.annotations["mine"].series().dropna()
    assert set(found) in ({"a"}, {"b"})
    assert found.index.tolist() == [f"cell {number}" for number in range(len(found))]


KILLED_AT = """
import os, signal, sys
import pandas, h5py, tiledb
from pathlib import Path
from cxg_widget import CxgWidget
from cxg_widget.annotations import h5ad
from tests.memory import small
w = CxgWidget(small(1000))
w.annotations.new("mine").assign("new", [1, 2, 3])

def save(path, at):
    seen = 0
    def count(event, args):
        nonlocal seen
        if event in ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.chown", "os.scandir",
                     "shutil.copyfile", "shutil.copymode", "shutil.rmtree", "ctypes.call_function", "os.listdir"):
            seen += 1
            if seen == at:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count)
    if path.suffix == ".h5ad":
        w.annotations.save(into=path, on_conflict="ours")
    else:
        w.annotations.save(path, on_conflict="ours")

for line in sys.stdin:
    at, path = line.rstrip().split(" ", 1)
    child = os.fork()
    if child == 0:
        signal.alarm(100)  # a fork beside threads of a library may hang
        save(Path(path), int(at))
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.fixture(scope="module")
def killed_at():
    """Save the labels of a widget in another process that is killed at a step, and return how that process ended."""
    command = [sys.executable, "-c", KILLED_AT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as parent:

        def save(path, step):
            print(step, path, file=parent.stdin, flush=True)
            return int(parent.stdout.readline())

        yield save
        parent.stdin.close()
    assert parent.returncode == 0


@POSIX
@pytest.mark.parametrize("name", ["labels.csv", "labels.parquet", "labels.cxg", "data.h5ad"])
def test_a_writer_that_is_killed_anywhere_leaves_the_old_file_or_the_new_one_whole(name, labelled, tmp_path, killed_at):
    path = written(labelled, name, tmp_path)
    before, statuses = content(path), []
    copy = Path(shutil.copytree(path, tmp_path / "copy") if path.is_dir() else shutil.copy2(path, tmp_path / "copy"))
    while 0 not in statuses:
        statuses.append(killed_at(path, 1 + (41 if name == "labels.cxg" else 7) * len(statuses)))
        if content(path) != before:
            assert labels_of(path, name) == {1: "new", 2: "new", 3: "new"}
            if statuses[-1]:  # what is written already would not be written again
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                shutil.copytree(copy, path) if copy.is_dir() else shutil.copy2(copy, path)
    assert set(statuses[:-1]) == {signal.SIGKILL}
    assert len(statuses) > 3
    assert labels_of(path, name) == {1: "new", 2: "new", 3: "new"}
    assert set(os.listdir(tmp_path)) == {name, "copy"}


def labels_of(path, name):
    """Return the labels of a file by the numbers of cells, as another reader sees them."""
    import pandas as pd

    if name.endswith(".csv"):
        column = pd.read_csv(path, skiprows=1, index_col=0)["mine"]
    elif name.endswith(".parquet"):
        column = pd.read_parquet(path)["mine"]
    elif name.endswith(".cxg"):
        import json

        import tiledb

        with tiledb.open(str(path / "obs")) as array:
            categories = json.loads(array.meta["cxg_schema"])["mine"]["categories"]
            column = pd.Series([categories[code] for code in array[:]["mine"]]).replace("nan", None)
    else:
        import h5py

        with h5py.File(path) as file:
            group = file["obs/mine"]
            categories = group["categories"].asstr()[:]
            column = pd.Series([categories[code] if code >= 0 else None for code in group["codes"][:]])
    return {at: label for at, label in enumerate(column) if isinstance(label, str)}


@POSIX
def test_what_a_dead_writer_left_goes_with_the_next_one_and_that_of_a_living_one_stays(tmp_path):
    path = tmp_path / "a.csv"
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    machine, digits = workplace.machine(), "0" * 16
    dead, living = (tmp_path / f"a.csv.{machine}-{pid}-{digits}.partial" for pid in (child.pid, os.getpid()))
    elsewhere = tmp_path / f"a.csv.{'f' * 8}-{child.pid}-{digits}.partial"
    other = tmp_path / f"b.csv.{machine}-{child.pid}-{digits}.partial"
    for one in (dead, living, elsewhere, other):
        one.mkdir()
    write_csv(path, ["x"])
    assert set(tmp_path.iterdir()) == {path, living, elsewhere, other}


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("x")])
@pytest.mark.parametrize("replaces", [True, False])
def test_a_failure_and_an_interruption_leave_what_was_there(error, replaces, tmp_path):
    path = tmp_path / ("a" if replaces else "deep/er/a")
    if replaces:
        path.write_text("old")

    def write():
        with writing(path, replaces=replaces) as place:
            place.partial.write_text("ne")
            place.scratch.mkdir()
            raise error

    with pytest.raises(TargetNotWritten if isinstance(error, OSError) else type(error)):
        write()
    assert [one.name for one in tmp_path.iterdir()] == (["a"] if replaces else [])
    assert not replaces or path.read_text() == "old"


def test_a_new_target_that_appears_in_the_last_moment_is_kept(tmp_path, monkeypatch):
    for name, make in (("file", Path.touch), ("folder", Path.mkdir)):
        new, target = tmp_path / f"new {name}", tmp_path / name
        make(new)
        make(target)
        for rename in (files._rename, lambda *_: 38):
            monkeypatch.setattr(files, "_rename", rename)
            with pytest.raises(FileExistsError):
                files.move_new(new, target)
        monkeypatch.undo()


def test_a_new_target_that_appears_while_another_is_written_is_kept(tmp_path):
    def write():
        with writing(tmp_path / "a") as place:
            place.partial.write_text("late")
            (tmp_path / "a").write_text("first")

    with pytest.raises(TargetExists):
        write()
    assert (tmp_path / "a").read_text() == "first"


@pytest.mark.parametrize("letter", ["a", "é", "雪"])
def test_a_name_of_any_length_that_the_disk_takes_is_written(letter, tmp_path):
    name = letter * (251 // len(letter.encode())) + ".csv"
    write_csv(tmp_path / name, ["x"])
    assert os.listdir(tmp_path) == [name]
    with pytest.raises(InvalidValue, match="nothing can be written there"):
        local_path(tmp_path / f"{name}{'x' * 10}")


@POSIX
def test_a_hard_link_keeps_what_it_had(tmp_path):
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("old")
    os.link(path, other)
    write_csv(path, ["new"])
    assert (path.read_text(), other.read_text()) == ("new", "old")


@POSIX
def test_links_on_the_way_to_a_folder_are_the_users_own(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "real")
    write_csv(tmp_path / "way" / "a.csv", ["x"])
    assert (tmp_path / "real" / "a.csv").read_text() == "x"


@POSIX
def test_a_folder_that_holds_a_link_is_not_replaced_nor_what_the_link_leads_to(labelled, tmp_path):
    path, outside = written(labelled, "labels.cxg", tmp_path), tmp_path / "outside"
    (path / "emb").rename(outside)
    (path / "emb").symlink_to(outside)
    (outside / "precious").write_text("mine")
    before = content(tmp_path)
    with pytest.raises(TargetNotWritten, match="'emb' in it is a link"):
        labelled.annotations.save(path, on_conflict="ours")
    assert content(tmp_path) == before
    demo = write_demo(tmp_path / "demo.cxg", 10, 2)
    (demo / "var").rename(tmp_path / "var")
    (demo / "var").symlink_to(tmp_path / "var")
    before = content(tmp_path)
    with pytest.raises(TargetNotWritten, match="'var' in it is a link"):
        write_demo(demo, 20, 2, force=True)
    (tmp_path / "link.cxg").symlink_to(demo)
    with pytest.raises(TargetNotWritten, match="is a link"):
        write_demo(tmp_path / "link.cxg", 20, 2, force=True)
    (tmp_path / "link.cxg").unlink()
    assert content(tmp_path) == before


def test_a_demo_that_takes_the_place_of_another_is_whole_or_the_old_one(tmp_path):
    path = write_demo(tmp_path / "demo.cxg", 10, 2)

    def fail(what, part):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_demo(path, 20, 2, force=True, progress=fail)
    with open_dataset(path) as dataset:
        assert dataset.n_obs == 10
    assert os.listdir(tmp_path) == ["demo.cxg"]


@POSIX
def test_a_relative_target_lies_in_the_folder_that_the_process_is_in_by_now(tmp_path, monkeypatch):
    (tmp_path / "later").mkdir()
    monkeypatch.chdir(tmp_path)
    write_demo(Path("first.cxg"), 50)  # TileDB takes note of where it is
    monkeypatch.chdir(tmp_path / "later")
    write_demo(Path("second.cxg"), 50)
    assert sorted(os.listdir(tmp_path)) == ["first.cxg", "later"]
    with open_dataset("second.cxg") as dataset:
        assert dataset.n_obs == 50


def test_a_device_is_no_target():
    with pytest.raises(TargetNotWritten, match="it is a device"):
        check_replaceable(Path("/dev/null"))
