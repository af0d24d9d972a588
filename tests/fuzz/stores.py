"""The intact stores that are damaged: small ones of every kind, written once for each campaign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.datasets import make_anndata, make_atlas, make_cf, make_cxg, make_mzpeak, make_tenx, read_soma


@dataclass(frozen=True)
class Kind:
    """How a kind of store is written below a folder, and opened."""

    write: Callable[[Path], object]
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


def _cxg(layout: str) -> Kind:
    return Kind(lambda path: make_cxg.make_cxg(path / "a.cxg", make_cxg.make_truth(), layout), "a.cxg")


def _anndata(container: str, layout: str = "csr") -> Kind:
    def write(path: Path) -> object:
        truth = make_anndata.truth_of("0.13")
        return make_anndata.make_anndata(path, truth, container=container, layout=layout, name="a")

    return Kind(write, "a" + make_anndata.SUFFIXES[container])


def _atlas(layout: str) -> Kind:
    return Kind(lambda path: make_atlas.make_atlas(path / "a", make_atlas.make_truth(), layout), "a")


def _cf(writer: str) -> Kind:
    return Kind(lambda path: make_cf.make_cf(path / "a", writer), "a")


def _soma(name: str) -> Kind:
    return Kind(read_soma.unpack, f"{name}.soma")


def _mzpeak(layout: str, **options: Any) -> Kind:
    def write(path: Path) -> object:
        return make_mzpeak.make_mzpeak(path / "a.mzpeak", make_mzpeak.make_run(), layout)

    return Kind(write, "a.mzpeak", options)


def _tenx(layout: str, name: str) -> Kind:
    return Kind(lambda path: make_tenx.make_tenx(path, layout), name)


KINDS: Mapping[str, Kind] = {
    "cxg": _cxg("columns"),
    "cxg-sparse": _cxg("sparse"),
    "cxg-dense": _cxg("dense"),
    "h5ad": _anndata("h5ad"),
    "h5ad-csc": _anndata("h5ad", "csc"),
    "h5ad-dense": _anndata("h5ad", "dense"),
    "zarr2": _anndata("zarr2"),
    "zarr3": _anndata("zarr3"),
    "zarr-zip": _anndata("zip"),
    "atlas": _atlas("csr"),
    "atlas-mixed": _atlas("mixed"),
    "soma": _soma("whole"),
    "soma-gaps": _soma("gaps"),
    "tiledb-cf": _cf("netcdf"),
    "tiledb-cf-xarray": _cf("xarray"),
    "tiledb-cf-sparse": _cf("sparse"),
    "mzpeak": _mzpeak("point"),
    "mzpeak-chunks": _mzpeak("delta"),
    "mzpeak-peaks": _mzpeak("point", observations="peaks"),
    "10x": _tenx("outs mtx plain", "sample/outs"),
    "10x-h5": _tenx("h5", "filtered_feature_bc_matrix.h5"),
}
