"""Images of sections as stores hold them: h5ad, zarr, AnnData in memory, and the scale factors of a CXG."""

import tracemalloc
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base.sections import MOST_STEP, Library, SectionImage, sections_of
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.draw.overlays.scale_bar import lay_out_scale_bar
from cxg_widget.draw.parts import Parts

FACTORS = {"tissue_hires_scalef": 0.1, "tissue_lowres_scalef": 0.02, "spot_diameter_fullres": 89.5,
           "fiducial_diameter_fullres": 144.5}  # fmt: skip
N_OBS = 5


def images():
    rng = np.random.default_rng(0)
    hires = rng.integers(0, 256, (60, 40, 3), dtype=np.uint8)
    return {"hires": hires, "lowres": (hires[::5, ::5] / 255).astype(np.float32)}


def write(root, make_array, spatial):
    """Write the least that is AnnData, as anndata does since 0.8."""
    index = [f"cell {i}" for i in range(N_OBS)]
    root.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    for part, names in (("obs", index), ("var", ["g"])):
        group = root.create_group(part)
        group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
        group.attrs["column-order"] = np.empty(0, dtype="f8") if make_array is None else []
        text(group, "_index", names)
    for name in ("obsm", "uns"):
        root.create_group(name)
    put(root["obsm"], "spatial", np.arange(2.0 * N_OBS).reshape(N_OBS, 2))
    fill(root["uns"].create_group("spatial"), spatial)


def text(group, name, values):
    import h5py

    if isinstance(group, h5py.Group):
        group.create_dataset(name, data=values, dtype=h5py.string_dtype())
    else:
        group.create_array(name, data=np.array(values))
    group[name].attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})


def put(group, name, values):
    import h5py

    make = group.create_dataset if isinstance(group, h5py.Group) else group.create_array
    make(name, data=np.asarray(values))
    group[name].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})


def fill(group, tree):
    for name, value in tree.items():
        if isinstance(value, dict):
            fill(group.create_group(name), value)
        else:
            put(group, name, value)


@pytest.fixture(params=["h5ad", "zarr", "memory"])
def opened(request, tmp_path):
    """Return a function that opens an AnnData with `uns["spatial"]`."""

    def open_with(spatial):
        if request.param == "memory":
            index = pd.Index([f"cell {i}" for i in range(N_OBS)])
            source = SimpleNamespace(
                obs=pd.DataFrame(index=index), var=pd.DataFrame(index=["g"]), X=None, layers={}, raw=None,
                obsm={"spatial": np.arange(2.0 * N_OBS).reshape(N_OBS, 2)}, uns={"spatial": spatial},
                n_obs=N_OBS, n_vars=1, shape=(N_OBS, 1),
            )  # fmt: skip
            from cxg_widget.datasets.anndata.memory import AnnDataInMemory

            return AnnDataInMemory(source)
        if request.param == "h5ad":
            h5py = pytest.importorskip("h5py")
            with h5py.File(tmp_path / "v.h5ad", "w") as file:
                write(file, None, spatial)
            return open_dataset(tmp_path / "v.h5ad")
        zarr = pytest.importorskip("zarr")
        write(zarr.open_group(tmp_path / "v.zarr", mode="w", zarr_format=2), zarr, spatial)
        return open_dataset(tmp_path / "v.zarr")

    return open_with


def test_a_store_has_the_images_that_were_written_the_best_first_with_spots_and_unit(opened):
    with opened({"is_single": np.bool_(True), "V1": {"images": images(), "scalefactors": FACTORS}}) as dataset:
        found = dataset.sections()
        assert list(found.images) == ["V1/hires", "V1/lowres"]
        assert [one.scale for one in found.images.values()] == [0.1, 0.02]
        assert (found.spot, found.um, dict(found.faults)) == (89.5, 55 / 89.5, {})
        for name, wanted in images().items():
            shape = found.images[f"V1/{name}"].shape
            pixels = dataset.section_image(f"V1/{name}", (0, shape[0]), (3, shape[1]))
            as_bytes = wanted if wanted.dtype == np.uint8 else np.rint(wanted * 255).astype(np.uint8)
            np.testing.assert_array_equal(pixels, as_bytes[:, 3:])


@pytest.mark.parametrize(
    ("spatial", "said"),
    [
        ({"V1": {"images": images(), "scalefactors": {"spot": 9.0}}}, "'tissue_hires_scalef' is missing"),
        ({"V1": {"images": {"hires": np.zeros((3, 4, 9))}, "scalefactors": FACTORS}}, "its shape is (3, 4, 9)"),
        ({"V1": {"images": {"hires": np.zeros((3, 4, 3), bool)}, "scalefactors": FACTORS}}, "its values must be uint8"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_image_is_a_note_and_all_else_can_be_read(opened, spatial, said):
    with opened(spatial) as dataset:
        assert any(said in note for note in dataset.notes)
        assert dataset.embedding("spatial").shape == (N_OBS, 2)
        assert dataset.sections().images == {}


@pytest.mark.parametrize("spatial", [{}, {"V1": 3.0}, {"V1": {"images": {}}}, {"V1": {"scalefactors": FACTORS}}])
def test_a_store_may_have_scale_factors_and_no_image_or_nothing(opened, spatial):
    with opened(spatial) as dataset:
        found = dataset.sections()
        is_told = "scalefactors" in (spatial.get("V1") if isinstance(spatial.get("V1"), dict) else {})
        assert (dict(found.images), found.spot) == ({}, 89.5 if is_told else None)
        assert dataset.notes == () or not any("section" in note for note in dataset.notes)


def declared(path, shape):
    """Write an AnnData whose image declares px that nobody wrote: a file of a few KB."""
    import h5py
    import zarr

    spatial = {"V1": {"scalefactors": FACTORS}, "V2": {"images": images(), "scalefactors": FACTORS}}
    if path.suffix == ".h5ad":
        with h5py.File(path, "w") as file:
            write(file, None, spatial)
            options = {"shape": shape, "dtype": "u1", "chunks": (512, 512, 3), "compression": "gzip"}
            file.create_dataset("uns/spatial/V1/images/hires", **options)
    else:
        root = zarr.open_group(path, mode="w", zarr_format=2)
        write(root, zarr, spatial)
        images_of = root["uns/spatial/V1"].create_group("images")
        images_of.create_array("hires", shape=shape, dtype="u1", chunks=(512, 512, 3))
    return path


@pytest.mark.parametrize(("name", "side"), [("v.h5ad", 2**26), ("v.zarr", 2**14)])
def test_an_image_that_declares_more_px_than_its_bytes_can_hold_is_a_note_and_the_next_is_shown(tmp_path, name, side):
    from cxg_widget import CxgWidget

    tracemalloc.start()
    with closing(CxgWidget(declared(tmp_path / name, (side, side, 3)), tissue=True, embedding="spatial")) as w:
        assert w.tissue == "V2/hires"
        assert any(f"declares {side * side * 3:,} values" in note for note in w.dataset.notes)
        w.save(tmp_path / "a.html")
        w.save(tmp_path / "a.png", dpi=40)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**29, f"{peak / 2**20:.0f} MiB"


def test_an_image_of_a_side_that_nobody_shows_is_refused_whatever_its_bytes(opened):
    found = sections_of([Library("V1", {"hires": ((2**26, 2**26, 3), "u")}, FACTORS)])
    assert "declares 67,108,864 x 67,108,864 px" in found.faults["V1/hires"]
    assert found.images == {}


@pytest.mark.parametrize("side", [0.3, 3.0, 1e3, 1e12])
def test_a_view_takes_no_more_memory_than_tiles_of_an_image_however_far_out_it_is(tmp_path, monkeypatch, side):
    from cxg_widget.session.streams.tissue import part_for

    image = SectionImage((2**17, 2**17), 1.0)
    part = part_for(image, (-side * 2**17, side * 2**17, -side * 2**17, side * 2**17), (300, 200))
    assert part.step <= MOST_STEP
    size = [(stop - start) // part.step for start, stop in (part.lines, part.columns)]
    assert max(size) <= 2048


BEYOND = [0.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e308, 1e-308, 5e-324]


@pytest.mark.parametrize("stated", BEYOND)
def test_lengths_that_no_screen_can_show_are_not_known(opened, stated):
    factors = {**FACTORS, "microns_per_pixel": stated, "spot_diameter_fullres": stated}
    with opened({"V1": {"images": images(), "scalefactors": factors}}) as dataset:
        found = dataset.sections()
        assert (found.um, found.spot) == (None, None)
        assert [(one.um, one.spot) for one in found.images.values()] == [(None, None)] * 2


@pytest.mark.parametrize("scale", BEYOND)
def test_an_image_of_a_scale_that_no_screen_can_show_is_a_note(opened, scale):
    factors = {**FACTORS, "tissue_hires_scalef": scale}
    with opened({"V1": {"images": images(), "scalefactors": factors}}) as dataset:
        assert list(dataset.sections().images) == ["V1/lowres"]
        assert any("'tissue_hires_scalef'" in note for note in dataset.notes)


@pytest.mark.parametrize("um_per_px", [0.0, float("nan"), float("inf"), 1e308])
def test_a_view_that_no_number_can_measure_has_no_scale_bar(um_per_px):
    assert lay_out_scale_bar(um_per_px, (400.0, 300.0), PAPERS["white"]) == Parts()


@pytest.mark.parametrize("is_nested", [True, False])
def test_a_cxg_tells_how_wide_its_spots_are(tmp_path, is_nested):
    import json

    import tiledb

    path = str(tmp_path / "v.cxg")
    write_demo(path, n_obs=50, seed=0)
    about = {"image_properties": {"width": 9}, "scalefactors": {"spot_diameter_fullres": 89.5, "name": "x"}}
    with tiledb.from_numpy(f"{path}/uns", np.zeros(1)):
        pass
    with tiledb.open(f"{path}/uns", "w") as array:
        array.meta["spatial"] = json.dumps({"V1": about} if is_nested else about)
    with open_dataset(path) as dataset:
        found = dataset.sections()
        assert (found.spot, found.um, dict(found.images)) == (89.5, 55 / 89.5, {})


def test_a_file_that_anndata_wrote_has_its_images(tmp_path):
    anndata = pytest.importorskip("anndata", reason="anndata writes what is read here: pip install anndata")
    adata = anndata.AnnData(np.ones((N_OBS, 1), np.float32), obsm={"spatial": np.ones((N_OBS, 2))})
    adata.uns["spatial"] = {"V1": {"images": images(), "scalefactors": FACTORS, "metadata": {"chemistry": "v1"}}}
    adata.write_h5ad(tmp_path / "v.h5ad")
    adata.write_zarr(tmp_path / "v.zarr")
    for source in (tmp_path / "v.h5ad", tmp_path / "v.zarr", adata):
        with open_dataset(source) as dataset:
            assert list(dataset.sections().images) == ["V1/hires", "V1/lowres"]
            assert (dataset.sections().spot, dataset.notes) == (89.5, ())
            np.testing.assert_array_equal(dataset.section_image("V1/hires", (0, 60), (0, 40)), images()["hires"])
