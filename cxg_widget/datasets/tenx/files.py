"""The files of a run of Cell Ranger or Space Ranger: where the matrix lies, and what lies beside it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.metered_file import MeteredFile
from cxg_widget.errors import CxgWidgetError, DamagedStore

_FOLDERS = ("filtered_feature_bc_matrix", "sample_filtered_feature_bc_matrix", "raw_feature_bc_matrix")
"""What the matrix is called, the best first. Before version 3 it was `filtered_gene_bc_matrices/GENOME`."""
MATRIX, BARCODES, FEATURES = ("matrix.mtx",), ("barcodes.tsv",), ("features.tsv", "genes.tsv")
_POSITIONS = ("tissue_positions.parquet", "tissue_positions.csv", "tissue_positions_list.csv")
_BUFFER = 1 << 20
_IMAGES = {"hires": "tissue_hires_image.png", "lowres": "tissue_lowres_image.png"}


@dataclass(frozen=True)
class RunFiles:
    """The files of one run; each may be missing but the matrix.

    Attributes
    ----------
    matrix : an .h5 file, or a folder with matrix.mtx
    projections : files of places by barcode, by the name of the embedding
    clusters : files of labels by barcode, by the name of the column
    cell_types : a file of labels by barcode, several columns
    positions : of spots on the tissue
    images : of the tissue, by resolution
    scalefactors : of these images
    """

    matrix: Path
    projections: dict[str, Path] = field(default_factory=dict)
    clusters: dict[str, Path] = field(default_factory=dict)
    cell_types: Path | None = None
    positions: Path | None = None
    images: dict[str, Path] = field(default_factory=dict)
    scalefactors: Path | None = None

    def state(self) -> str:
        """Return a string that is another one after a write."""
        beside = [*self.projections.values(), *self.clusters.values(), *self.images.values()]
        beside += [one for one in (self.cell_types, self.positions, self.scalefactors) if one is not None]
        inside = sorted(self.matrix.iterdir()) if self.matrix.is_dir() else [self.matrix]
        found = ((path, path.stat()) for path in [*inside, *beside])
        return "|".join(f"{path.absolute()}#{stat.st_size}#{stat.st_mtime_ns}" for path, stat in found)


def find_files(path: Path) -> RunFiles:
    """Return the files of a run at a path: of a matrix alone, or of a folder that `matrix_in` finds one in."""
    matrix = None if not path.is_dir() or is_mtx_folder(path) else matrix_in(path)
    if matrix is None:
        return RunFiles(path)
    outs, tissue = matrix.parent, matrix.parent / "spatial"
    if matrix.parent.name in ("filtered_gene_bc_matrices", "raw_gene_bc_matrices"):
        outs, tissue = matrix.parent.parent, matrix.parent.parent / "spatial"
    return RunFiles(
        matrix,
        {name: one for method in ("umap", "tsne", "pca") for name, one in _projections(outs / "analysis" / method)},
        {
            one.parent.name.removeprefix("gene_expression_"): one
            for one in sorted((outs / "analysis" / "clustering").glob("*/clusters.csv"))
        },
        next(iter(sorted(outs.glob("cell_types/cell_types.csv"))), None),
        next((tissue / name for name in _POSITIONS if (tissue / name).is_file()), None),
        {resolution: tissue / name for resolution, name in _IMAGES.items() if (tissue / name).is_file()},
        tissue / "scalefactors_json.json" if (tissue / "scalefactors_json.json").is_file() else None,
    )


def _projections(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and file of the projections of a method; of several, each has the name of its features too."""
    found = sorted(folder.glob("*/projection.csv"))
    for file in found:
        features = file.parent.name.partition("_components")[0].rstrip("0123456789").rstrip("_")
        is_main = len(found) == 1 or features in ("", "gene_expression")
        yield folder.name if is_main else f"{folder.name}_{features}", file


def matrix_in(folder: Path) -> Path | None:
    """Return the matrix of a run in a folder, or in `outs/` in it; None where there is none."""
    for where in (folder, folder / "outs"):
        for name in _FOLDERS:
            if (where / f"{name}.h5").is_file():
                return where / f"{name}.h5"
            if is_mtx_folder(where / name):
                return where / name
        genomes = [one for one in sorted(where.glob("filtered_gene_bc_matrices/*")) if is_mtx_folder(one)]
        if genomes:
            return genomes[0]
    return None


def is_mtx_folder(path: Path) -> bool:
    """Say whether a folder holds matrix.mtx and the names beside it, each of them compressed or not."""
    return bool(mtx_prefixes(path))


def mtx_prefixes(folder: Path) -> list[str]:
    """Return what stands before the names of files, "" in runs; archives such as GEO put that of a sample there."""
    found = sorted({path.name.partition("matrix.mtx")[0] for path in folder.glob("*matrix.mtx*")})
    needed = (MATRIX, BARCODES, FEATURES)
    return [one for one in found if all(any(_those_there(folder, one, names)) for names in needed)]


def find_one(folder: Path, prefix: str, names: tuple[str, ...]) -> Path:
    """Return the first file of some names that is there, compressed or not."""
    return next(_those_there(folder, prefix, names))


def _those_there(folder: Path, prefix: str, names: tuple[str, ...]) -> Iterator[Path]:
    places = (folder / f"{prefix}{name}{end}" for name in names for end in (".gz", ""))
    return (path for path in places if path.is_file())


@contextmanager
def opened(path: Path, uri: str, meter: Meter) -> Iterator[IO[bytes]]:
    """Open a file that may be compressed; what goes wrong while it is read is a `DamagedStore`."""
    try:
        with BufferedReader(MeteredFile(path, meter), _BUFFER) as file:
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file)
    except CxgWidgetError:
        raise
    except (OSError, EOFError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DamagedStore(f"{uri}: {path.name} cannot be read: it is cut off or damaged ({reason}).") from error
