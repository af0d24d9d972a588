"""Laws of labels that are saved into an .h5ad with links: nothing is written or removed where a link leads."""

import shutil

import numpy as np
import pandas as pd
import pytest

from cxg_widget.convert import convert
from cxg_widget.errors import CxgWidgetError, TargetNotWritten
from tests.memory import small

h5py = pytest.importorskip("h5py", reason="AnnData files are an extra: pip install cxg-widget[h5ad]")


@pytest.fixture
def files(tmp_path, widget):
    """An .h5ad, and another file with objects of the names that labels have."""
    ours, theirs = tmp_path / "ours.h5ad", tmp_path / "theirs.h5"
    convert(small(1000), ours, progress=False)
    for name in ("mine", "uns"):
        widget.annotations.new(name).assign("x", [1, 2])
    with h5py.File(theirs, "w") as file:
        for name in ("mine", "uns", "obs/mine", "obs/__categories/mine"):
            file[name] = np.arange(1000)
        file["obs"].attrs["column-order"] = ["mine"]
    return ours, theirs


def shared_categories(file):
    file["elsewhere/mine"] = np.arange(3)
    file["obs/__categories"] = file["elsewhere"]


def shared_obs(file):
    file["elsewhere"] = file["obs"]


def virtual_column(file):
    layout = h5py.VirtualLayout((1000,), int)
    layout[:] = h5py.VirtualSource("theirs.h5", "mine", (1000,))
    file["obs"].create_virtual_dataset("mine", layout)


def external_column(file):
    file["obs"].create_dataset("mine", (1000,), int, external=[("theirs.h5", 2048, 8000)])


def linked_part(file):
    file.create_group("obs/mine")
    file["obs/mine"].attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0", "ordered": False})
    file["obs/mine/categories"] = h5py.ExternalLink("theirs.h5", "/mine")
    file["obs/mine/codes"] = np.zeros(1000, np.int8)


def moved_obs(file, link):
    file.move("obs", "kept")
    file["obs"] = link


LAYOUTS = {
    "categories in another file": lambda f: f["obs"].__setitem__("__categories", h5py.ExternalLink("theirs.h5", "/")),
    "categories that are the root": lambda f: f["obs"].__setitem__("__categories", h5py.SoftLink("/")),
    "the root once more": lambda f: f["obs"].__setitem__("__categories", f["/"]),
    "categories nowhere": lambda f: f["obs"].__setitem__("__categories", h5py.SoftLink("/nowhere")),
    "labels of categories in another file": lambda f: f.create_group("obs/__categories").__setitem__(
        "mine", h5py.ExternalLink("theirs.h5", "/mine")
    ),
    "categories shared with another group": shared_categories,
    "obs shared with another group": shared_obs,
    "obs in another file": lambda f: moved_obs(f, h5py.ExternalLink("theirs.h5", "/obs")),
    "obs elsewhere in the file": lambda f: moved_obs(f, h5py.SoftLink("/kept")),
    "a column in another file": lambda f: f["obs"].__setitem__("mine", h5py.ExternalLink("theirs.h5", "/mine")),
    "a column in a file that is lost": lambda f: f["obs"].__setitem__("mine", h5py.ExternalLink("no.h5", "/mine")),
    "a column nowhere": lambda f: f["obs"].__setitem__("mine", h5py.SoftLink("/nowhere")),
    "a column that is the root": lambda f: f["obs"].__setitem__("mine", h5py.SoftLink("/")),
    "a virtual column": virtual_column,
    "a column stored in another file": external_column,
    "a part of a column in another file": linked_part,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_link_where_labels_would_be_written_is_refused_and_no_file_changes(layout, files, widget):
    ours, theirs = files
    with h5py.File(ours, "r+") as file:
        LAYOUTS[layout](file)
    before = ours.read_bytes(), theirs.read_bytes()
    with pytest.raises(CxgWidgetError) as refused:
        widget.annotations.save(into=ours, on_conflict="ours")
    assert len(str(refused.value).splitlines()) == 1
    assert (ours.read_bytes(), theirs.read_bytes()) == before
    assert sorted(one.name for one in ours.parent.iterdir()) == ["ours.h5ad", "theirs.h5"]


def test_the_sentence_says_where_the_link_leads_and_what_works(files, widget, tmp_path):
    ours, _ = files
    with h5py.File(ours, "r+") as file:
        LAYOUTS["categories in another file"](file)
    with pytest.raises(TargetNotWritten, match=r"obs/__categories is a link to '/' of 'theirs\.h5'.*save\("):
        widget.annotations.save(into=ours)
    widget.annotations.save(tmp_path / "labels.csv")


def test_links_elsewhere_in_the_file_stay_links(files, widget):
    ours, theirs = files
    with h5py.File(ours, "r+") as file:
        file["obs/other"] = h5py.SoftLink("/obs/cell_type")
        file["uns/far"] = h5py.ExternalLink("theirs.h5", "/mine")
        file["uns/near"] = h5py.SoftLink("/obs")
    before = theirs.read_bytes()
    widget.annotations.save(into=ours)
    assert theirs.read_bytes() == before
    with h5py.File(ours) as file:
        assert file["obs"].get("other", getlink=True).path == "/obs/cell_type"
        assert file["uns"].get("far", getlink=True).filename == "theirs.h5"
        assert file["uns/near/mine/codes"][:3].tolist() == [-1, 0, 0]


def test_categories_that_another_column_names_too_stay(files, widget):
    ours, _ = files
    with h5py.File(ours, "r+") as file:
        obs = file["obs"]
        obs["__categories/mine"] = np.array([b"a", b"b"])
        for name in ("mine", "other"):
            obs[name] = np.zeros(1000, np.int8)
            obs[name].attrs["categories"] = obs["__categories/mine"].ref
    widget.annotations.save(into=ours, on_conflict="ours")
    with h5py.File(ours) as file:
        reference = file["obs/other"].attrs["categories"]
        assert file[reference][:].tolist() == [b"a", b"b"]


@pytest.mark.parametrize("room", [0, 1_000, 20_000])
def test_a_disk_that_takes_no_more_ends_in_a_sentence_and_the_file_stays(room, files, widget, tmp_path):
    resource = pytest.importorskip("resource", reason="limits of POSIX")
    ours, _ = files
    codes = np.random.default_rng(0).integers(0, 100, 1000)
    for label in range(100):
        widget.annotations["mine"].assign(f"{label} " * 50, codes == label)
    before, limits = ours.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    copy = shutil.copy2(ours, tmp_path / "copy.h5ad")
    widget.annotations.save(into=copy)
    assert copy.stat().st_size > len(before) + 20_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, limits[1]))
    try:
        with pytest.raises(TargetNotWritten, match="no file may be as large there"):
            widget.annotations.save(into=ours)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ours.read_bytes() == before
    widget.annotations.save(into=ours)
    with h5py.File(ours) as file:
        labels = file["obs/mine/categories"].asstr()[:][file["obs/mine/codes"][:]]
    expected = pd.Series([f"{code} " * 50 for code in codes])
    assert labels.tolist() == expected.tolist()
