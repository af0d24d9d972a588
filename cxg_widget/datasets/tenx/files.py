"""Finds the files of a run of Cell Ranger or Space Ranger: the matrix and the files next to it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.metered_file import MeteredFile
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidOption, InvalidStore
from cxg_widget.text.names import not_found

_OLD = "filtered_gene_bc_matrices"
_FOLDERS = (
    "filtered_feature_bc_matrix",
    "sample_filtered_feature_bc_matrix",
    "sample_feature_bc_matrix",
    "filtered_feature_cell_matrix",
    f"{_OLD}_h5",
    "raw_feature_bc_matrix",
)
"""Names of the matrix, the preferred first. Before version 3, its folder was `filtered_gene_bc_matrices/GENOME`."""
_OF_SEVERAL = ("per_sample_outs", "binned_outputs")
_AGGREGATION = "aggregation.csv"
MATRIX, BARCODES, FEATURES = ("matrix.mtx",), ("barcodes.tsv",), ("features.tsv", "genes.tsv")
_POSITIONS = ("tissue_positions.parquet", "tissue_positions.csv", "tissue_positions_list.csv")
_BUFFER = 1 << 20
_IMAGES = {"hires": "tissue_hires_image.png", "lowres": "tissue_lowres_image.png"}


@dataclass(frozen=True)
class RunFiles:
    """Files of one run; all except the matrix are optional.

    Attributes
    ----------
    matrix : an .h5 file, or a folder with matrix.mtx
    projections : by name of the embedding, a file of coordinates per barcode
    clusters : by name of the column, a file of labels per barcode
    cell_types : a file of labels per barcode, in several columns
    positions : a file of positions of spots on the tissue
    images : tissue images by resolution
    scalefactors : file of the scale factors of these images
    aggregation : file with one line per sample that `aggr` combined
    """

    matrix: Path
    projections: dict[str, Path] = field(default_factory=dict)
    clusters: dict[str, Path] = field(default_factory=dict)
    cell_types: Path | None = None
    positions: Path | None = None
    images: dict[str, Path] = field(default_factory=dict)
    scalefactors: Path | None = None
    aggregation: Path | None = None

    def state(self) -> str:
        """Return a string that changes when a file changes: path, size and modification time of each."""
        beside = [*self.projections.values(), *self.clusters.values(), *self.images.values()]
        beside += [
            one for one in (self.cell_types, self.positions, self.scalefactors, self.aggregation) if one is not None
        ]
        inside = sorted(self.matrix.iterdir()) if self.matrix.is_dir() else [self.matrix]
        found = ((path, path.stat()) for path in [*inside, *beside])
        return "|".join(f"{path.absolute()}#{stat.st_size}#{stat.st_mtime_ns}" for path, stat in found)


def find_files(path: Path, key: str | None, uri: str) -> tuple[RunFiles, str | None]:
    """Return the files of a run at a path, and the key if it selects a matrix within that file or folder.

    For a file or a folder with matrix.mtx, the files are only that matrix. For a folder in which `matrices_in` finds
    matrices, they include the files next to it.
    """
    found = matrices_in(path) if path.is_dir() and not is_mtx_folder(path) else {}
    if not found:
        return RunFiles(path), key
    if "" in found:
        return _files_beside(found[""]), key
    return _files_beside(found[one_of(list(found), key, uri)]), None


def _files_beside(matrix: Path) -> RunFiles:
    outs = matrix.parent.parent if matrix.parent.name == _OLD else matrix.parent
    tissue = outs / "spatial"
    return RunFiles(
        matrix,
        {name: one for method in ("umap", "tsne", "pca") for name, one in _projections(outs / "analysis" / method)},
        {
            one.parent.name.removeprefix("gene_expression_"): one
            for one in sorted((outs / "analysis" / "clustering").glob("*/clusters.csv"))
        },
        _first([outs / "cell_types" / "cell_types.csv"]),
        _first([tissue / name for name in _POSITIONS]),
        {resolution: tissue / name for resolution, name in _IMAGES.items() if (tissue / name).is_file()},
        _first([tissue / "scalefactors_json.json"]),
        _first([outs / _AGGREGATION, outs.parent / _AGGREGATION]),
    )


def _first(paths: list[Path]) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _projections(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and file of each projection of a method.

    If there are several, the names of those that are not of gene expression include the feature type.
    """
    found = sorted(folder.glob("*/projection.csv"))
    for file in found:
        features = file.parent.name.partition("_components")[0].rstrip("0123456789").rstrip("_")
        is_main = len(found) == 1 or features in ("", "gene_expression")
        yield folder.name if is_main else f"{folder.name}_{features}", file


def matrices_in(folder: Path) -> dict[str, Path]:
    """Return the matrices of a run in a folder, or in its `outs/`, by key; a single matrix has the key ""."""
    above = [folder.parent] if folder.name in _OF_SEVERAL else []
    for where in (*above, folder, folder / "outs"):
        one = _matrix_of(where)
        if one is not None:
            return {"": one}
        found = {name: one for name, one in _several_in(where) if one is not None}
        if found:
            return found
    return {}


def _matrix_of(where: Path) -> Path | None:
    """Return the matrix of a run or of one of its samples; `aggr` and `multi` write it to `count/`."""
    for place in (where, where / "count"):
        for name in _FOLDERS:
            if (place / f"{name}.h5").is_file():
                return place / f"{name}.h5"
            if is_mtx_folder(place / name):
                return place / name
    return None


def _several_in(where: Path) -> Iterator[tuple[str, Path | None]]:
    """Yield key and matrix of samples of `multi`, bins and cells of Visium HD, genomes, and files with a prefix."""
    for part in (*(f"{name}/*" for name in _OF_SEVERAL), "segmented_outputs"):
        yield from ((one.name, _matrix_of(one)) for one in sorted(where.glob(part)))
    yield from ((one.name, one) for one in sorted(where.glob(f"{_OLD}/*")) if is_mtx_folder(one))
    for one in sorted(where.glob(f"?*{_FOLDERS[0]}.h5")):
        yield one.name.removesuffix(f"{_FOLDERS[0]}.h5"), one


def one_of(names: Sequence[str], key: str | None, uri: str) -> str:
    """Return the name that `key` selects; None selects a single one.

    Raises
    ------
    InvalidOption
        If there are several and `key` is None, or if there is no such name.
    """
    if key is None and len(names) == 1:
        return names[0]
    if key is None:
        raise InvalidOption(f"{uri} holds several matrices: {', '.join(names)}; name one, such as key={names[0]!r}.")
    if key not in names:
        raise InvalidOption(not_found("matrix", key, names, uri))
    return key


def is_mtx_folder(path: Path) -> bool:
    """Return whether a folder contains matrix.mtx; opening it raises an error if files of names are missing."""
    return bool(mtx_prefixes(path))


def mtx_prefixes(folder: Path) -> list[str]:
    """Return the prefixes of the names of matrix files: "" in runs, a prefix per sample in archives such as GEO."""
    found = {path.name.partition(MATRIX[0])[0] for path in folder.glob(f"*{MATRIX[0]}*")}
    return sorted(one for one in found if any(_those_there(folder, one, MATRIX)))


def find_one(folder: Path, prefix: str, names: tuple[str, ...], uri: str) -> Path:
    """Return the first of some file names that exists, compressed or not.

    Raises
    ------
    InvalidStore
        If none exists.
    """
    found = next(_those_there(folder, prefix, names), None)
    if found is None:
        needed = " or ".join(f"{prefix}{name}" for name in names)
        raise InvalidStore(f"{uri}: there is no {needed}, with .gz or without, which a 10x matrix needs.")
    return found


def _those_there(folder: Path, prefix: str, names: tuple[str, ...]) -> Iterator[Path]:
    places = (folder / f"{prefix}{name}{end}" for name in names for end in (".gz", ""))
    return (path for path in places if path.is_file())


@contextmanager
def opened(path: Path, uri: str, meter: Meter) -> Iterator[IO[bytes]]:
    """Open a file that may be compressed; errors while reading it are raised as `DamagedStore`."""
    try:
        with BufferedReader(MeteredFile(path, meter), _BUFFER) as file:
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file)
    except CxgWidgetError:
        raise
    except (OSError, EOFError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DamagedStore(f"{uri}: {path.name} cannot be read: it is cut off or damaged ({reason}).") from error
