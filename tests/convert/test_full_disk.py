"""A full disk, or the end of the process, leaves nothing that looks like a store; of a full disk no process dies."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from errno import ENOSPC
from pathlib import Path

import numpy as np
import pytest

from cxg_widget.convert import convert
from cxg_widget.datasets import open_dataset
from cxg_widget.errors import TargetNotWritten
from cxg_widget.files.lasting_file import LastingFile
from tests.convert.conftest import assert_holds, truth_with
from tests.datasets.make_cxg import make_cxg

KILOBYTES = [8, 60, 150, 300]
TARGETS = ["new.cxg", "new.h5ad"]


@pytest.fixture(scope="module")
def truth():
    return truth_with(0.3, n_axes=50)


@pytest.fixture(scope="module")
def source(truth, tmp_path_factory):
    return make_cxg(tmp_path_factory.mktemp("full") / "source.cxg", truth)


@pytest.fixture
def disk(tmp_path):
    """A disk of its own, and a function that makes it so many kilobytes large."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options):
        return subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
        )

    if sys.platform != "linux" or os.geteuid() != 0 or mount("size=64k").returncode:
        pytest.skip("a small disk can be mounted by root alone, and not in every container")
    yield folder, lambda kilobytes: mount(f"remount,size={kilobytes}k")
    subprocess.run(["umount", str(folder)], check=True)


def command(source, target, before=""):
    code = f"import sys\n{before}\nfrom cxg_widget.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, "convert", source, target], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", TARGETS)
def test_on_a_full_disk_of_any_size_there_is_one_error_nothing_left_and_the_process_goes_on(disk, source, truth, name):
    folder, resize = disk
    refused = 0
    for kilobytes in KILOBYTES:
        resize(kilobytes)
        try:
            convert(source, folder / "deep" / name)
        except TargetNotWritten as error:
            refused += 1
            told = str(error)
            assert told.startswith(f"'{folder}/deep/{name}' cannot be written: the disk is full. Nothing of it is left")
            assert len(told.splitlines()) == 1
        else:
            (folder / "deep" / name).rename(folder.parent / f"{kilobytes} {name}")
            (folder / "deep").rmdir()
        assert os.listdir(folder) == []
    assert refused >= 3
    resize(20_000)
    convert(source, folder / name)
    with open_dataset(folder / name) as dataset:
        assert_holds(dataset, truth)


@pytest.mark.parametrize("name", TARGETS)
def test_the_command_ends_with_status_1_and_one_sentence(disk, source, name):
    folder, resize = disk
    resize(40)
    done = command(source, folder / name)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"cxg-widget: '{folder}/{name}' cannot be written: the disk is full.")
    assert done.stderr.count("\n") == 1
    assert os.listdir(folder) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on the size of files")
@pytest.mark.parametrize(("name", "kilobytes"), [("new.h5ad", 1), ("new.cxg", 40)])
def test_where_files_may_not_be_large_it_is_told_alike(source, tmp_path, name, kilobytes):
    limit = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({kilobytes} << 10,) * 2)"
    done = command(source, tmp_path / name, limit)
    assert done.returncode == 1
    assert done.stderr.startswith(f"cxg-widget: '{tmp_path}/{name}' cannot be written: no file may be as large there.")
    assert done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == []


KILLED = """
import os, signal, sys
from cxg_widget.convert import convert
convert(sys.argv[1], sys.argv[2], progress=lambda what, part: part >= 0.4 and os.kill(os.getpid(), int(sys.argv[3])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not killed by signals")
@pytest.mark.parametrize(("name", "number"), [("new.cxg", signal.SIGTERM), ("new.h5ad", signal.SIGKILL)])
def test_a_killed_process_leaves_nothing_that_looks_whole_and_the_next_one_replaces_it(
    source, truth, tmp_path, name, number
):
    args = [sys.executable, "-c", KILLED, source, tmp_path / name, str(int(number))]
    assert subprocess.run(args, check=False).returncode == -number
    (left,) = os.listdir(tmp_path)
    assert left.startswith(f"{name}.")
    assert left.endswith(".partial")
    convert(source, tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    with open_dataset(tmp_path / name) as dataset:
        assert_holds(dataset, truth)


class FullDisk(io.FileIO):
    """Takes so many bytes, and no more."""

    room = 0

    def write(self, data):
        if self.tell() + len(data) > self.room:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        return super().write(data)


@pytest.mark.parametrize("room", [0, 100, 1_000, 10**6])
def test_what_a_full_disk_refuses_is_read_back_until_the_file_is_closed(tmp_path, monkeypatch, room):
    path = tmp_path / "file"
    monkeypatch.setattr(Path, "open", lambda self, *_, **__: FullDisk(self, "w+b"))
    monkeypatch.setattr(FullDisk, "room", room)
    file, model, rng = LastingFile(path), np.zeros(5_000, dtype=np.uint8), np.random.default_rng(room)
    for _ in range(200):
        start, size = rng.integers(0, 4_000), rng.integers(1, 900)
        data = rng.integers(0, 256, size).astype(np.uint8)
        file.seek(start)
        assert file.write(data) == size
        model[start : start + size] = data
        start, size = rng.integers(0, 4_000), rng.integers(1, 900)
        file.seek(start)
        found = bytearray(size)
        read = file.readinto(found)
        assert bytes(found[:read]) == model[start : start + read].tobytes()
        assert read == max(0, min(size, file.seek(0, os.SEEK_END) - start))
    if room < 5_000:
        for ask in (file.check, file.close):
            with pytest.raises(OSError, match="No space left"):
                ask()
    else:
        file.check()
        file.close()
        assert path.read_bytes() == model[: path.stat().st_size].tobytes()
    assert file.closed
