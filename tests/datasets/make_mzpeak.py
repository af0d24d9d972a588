"""Write small mzPeaks of every layout and encoding with pyarrow, together with the truth they hold."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tests.datasets.make_cxg import Truth

ENCODINGS = {
    "none": "MS:1000576",
    "delta": "MS:1003089",
    "linear": "MS:1002312",
    "slof": "MS:1002312",
    "pic": "MS:1002312",
}
LAYOUTS = ("point", *ENCODINGS)
CENTERS = [810.4155, 445.12, 333.25, 600.5, 200.0625]
MZ_SCALE, SLOF_SCALE = 10_000.0, 3_000.0
TITLE = "a run"

Entries = list[tuple[float, float] | None]
"""The points of a spectrum in order; None = a null, which stands for a zero beside a peak."""


@dataclass
class Run:
    """What is written.

    Attributes
    ----------
    spectra : the points of each spectrum
    meta : one row per spectrum, as the truth of obs
    first : the index of the first spectrum
    """

    spectra: list[Entries]
    meta: pd.DataFrame
    first: int = 0

    def peaks(self) -> pd.DataFrame:
        """Return all points that are no nulls, in order."""
        rows = [(row, *point) for row, entries in enumerate(self.spectra) for point in entries if point is not None]
        frame = pd.DataFrame(rows, columns=["row", "mz", "intensity"])
        return frame.astype({"row": np.int64, "mz": np.float64, "intensity": np.float32})


def make_run(n: int = 40, seed: int = 0, first: int = 0) -> Run:
    rng = np.random.default_rng(seed)
    spectra = [_entries(rng, row) for row in range(n)]
    which = np.arange(n) % len(CENTERS)
    level = np.where(np.arange(n) % 4 == 0, 1, 2)
    charge = [None if level[i] == 1 or i % 5 == 1 else int(rng.integers(1, 4)) for i in range(n)]
    base = np.array([CENTERS[i] for i in which]) + rng.normal(0, 1e-3, n)
    base[: len(CENTERS)] = CENTERS[:n]
    intensity = rng.uniform(10, 100, n).astype(np.float32)
    intensity[: len(CENTERS)] = 1e6 - 1e5 * np.arange(min(n, len(CENTERS)))
    ions = level == 2
    meta = pd.DataFrame(
        {
            "ms_level": pd.Categorical(level, categories=[1, 2]),
            "retention_time": np.sort(rng.uniform(0, 10, n)),
            "polarity": pd.Categorical(["positive" if i % 3 else "negative" for i in range(n)]),
            "spectrum_representation": pd.Categorical(["centroid spectrum" if i else "profile spectrum" for i in ions]),
            "number_of_data_points": np.array([len(one) for one in spectra], dtype=np.int64),
            "base_peak_mz": base,
            "base_peak_intensity": intensity,
            "total_ion_current": rng.gamma(2, 1e5, n).astype(np.float32),
            "filter_string": [f"FTMS + p ü {i}" for i in range(n)],
            "ion_injection_time": rng.uniform(0, 50, n).astype(np.float32),
            "isolation_window_target_mz": np.where(ions, rng.uniform(400, 900, n), np.nan).astype(np.float32),
            "precursor_mz": np.where(ions, rng.uniform(400, 900, n), np.nan),
            "charge": pd.Categorical(charge, categories=[1, 2, 3]),
        },
        index=pd.Index([f"controllerType=0 scan={i + 1}" for i in range(n)], name="id"),
    )
    return Run(spectra, meta, first)


def _entries(rng: np.random.Generator, row: int) -> Entries:
    """Return segments of one to six points with two nulls between them; some spectra have no or one point."""
    if row % 11 == 3:
        return []
    centers = sorted({*rng.choice(CENTERS, 2, replace=False).tolist(), *rng.uniform(150, 1000, 12).tolist()})
    if row % 11 == 5:
        return [(_on_grid(centers[0]), 7.0)]
    found: Entries = [None] if row % 3 else []
    for center in centers:
        if found and found != [None]:
            found += [None, None]
        n = int(rng.integers(1, 7))
        found += [(_on_grid(center + 0.003 * k), float(rng.integers(0, 5000))) for k in range(n)]
    return [*found, None] if row % 2 else found


def _on_grid(mz: float) -> float:
    """Return an m/z that Numpress keeps exactly."""
    return round(mz * MZ_SCALE) / MZ_SCALE


# --- the truth -------------------------------------------------------------------------------------------------------


def spectra_truth(run: Run, layout: str) -> Truth:
    peaks = peaks_of(run, layout)
    windows = [(center * (1 - 20e-6), center * (1 + 20e-6)) for center in CENTERS]
    X = np.zeros((len(run.meta), len(CENTERS)))
    for column, (low, high) in enumerate(windows):
        inside = peaks[(peaks["mz"] >= low) & (peaks["mz"] <= high)]
        sums = inside["intensity"].astype(np.float64).groupby(inside["row"]).sum()
        X[sums.index, column] = sums
    time = run.meta["retention_time"].to_numpy()
    names = ("base_peak_mz", "precursor_mz", "total_ion_current")
    return Truth(
        X.astype(np.float32),
        run.meta,
        [f"mz:{center:.10g}" for center in CENTERS],
        [f"m/z {center:.10g} ± 20 ppm" for center in CENTERS],
        {name: np.column_stack([time, run.meta[name].to_numpy(np.float64)]) for name in names},
        title=TITLE,
    )


def peaks_truth(run: Run, layout: str) -> Truth:
    peaks = peaks_of(run, layout)
    at, mz, intensity = peaks["row"].to_numpy(), peaks["mz"].to_numpy(), peaks["intensity"].to_numpy(np.float32)
    time = run.meta["retention_time"].to_numpy()[at]
    obs = pd.DataFrame(
        {
            "ms_level": run.meta["ms_level"].array[at],
            "intensity": intensity,
            "log1p_intensity": np.log1p(intensity),
            "mz": mz,
            "retention_time": time,
            "spectrum_index": at + run.first,
        }
    )
    X = np.column_stack([intensity, mz]).astype(np.float32)
    aliases = ["intensity of a peak", "m/z of a peak"]
    return Truth(X, obs, ["intensity", "mz"], aliases, {"peaks": np.column_stack([time, mz])}, title=TITLE)


def peaks_of(run: Run, layout: str) -> pd.DataFrame:
    """Return the points as they come back: SLOF rounds the logarithm of the intensity."""
    peaks = run.peaks()
    if layout == "slof":
        shorts = np.floor(np.log(peaks["intensity"].to_numpy(np.float64) + 1) * SLOF_SCALE + 0.5)
        peaks["intensity"] = np.exp(shorts / SLOF_SCALE) - 1
    elif layout == "pic":
        peaks["intensity"] = peaks["intensity"].astype(np.float64)
    return peaks


# --- the points ------------------------------------------------------------------------------------------------------


def point_table(run: Run, rows: Sequence[int] | None = None) -> pa.Table:
    chosen = range(len(run.spectra)) if rows is None else rows
    flat = [(row + run.first, one) for row in chosen for one in run.spectra[row]]
    columns = {
        "spectrum_index": pa.array([index for index, _ in flat], pa.uint64()),
        "mz": pa.array([one and one[0] for _, one in flat], pa.float64()),
        "intensity": pa.array([one and one[1] for _, one in flat], pa.float32()),
    }
    return with_array_index("point", columns, {"mz": ("MS:1000514", "point"), "intensity": ("MS:1000515", "point")})


def chunk_table(run: Run, encoding: str, **options: Any) -> pa.Table:
    """Write chunks: of one point, beginning with a lone null, with a null pair behind the first point, of padding.

    options : edit, a function that changes the list of chunks (dicts) before they are written; as_struct, whether
        encodings are written as {cv_id, accession}
    """
    seed = np.random.default_rng(1)
    chunks: list[dict[str, Any]] = []
    for row, entries in enumerate(run.spectra):
        pieces = _pieces(entries, seed) if encoding in ("none", "delta") else _without_nulls(entries, seed)
        chunks += [{"spectrum_index": row + run.first, **_encoded(piece, encoding)} for piece in pieces]
    for edit in options.get("edit", ()):
        edit(chunks)
    types: dict[str, pa.DataType] = {
        "spectrum_index": pa.uint64(), "mz_chunk_start": pa.float64(), "mz_chunk_end": pa.float64(),
        "mz_chunk_values": pa.large_list(pa.float64()), "chunk_encoding": pa.string(),
        "mz_numpress_linear_bytes": pa.large_list(pa.uint8()), "intensity": pa.large_list(pa.float32()),
        "intensity_packed_bytes": pa.list_(pa.uint8()),
    }  # fmt: skip
    if options.get("as_struct"):
        types["chunk_encoding"] = pa.struct({"cv_id": pa.uint8(), "accession": pa.uint32()})
        for chunk in chunks:
            chunk["chunk_encoding"] = {"cv_id": 1, "accession": int(chunk["chunk_encoding"][3:])}
    formats = {
        "mz_chunk_start": ("MS:1000514", "chunk_start"), "mz_chunk_end": ("MS:1000514", "chunk_end"),
        "mz_chunk_values": ("MS:1000514", "chunk_values"), "chunk_encoding": ("MS:1000514", "chunk_encoding"),
        "mz_numpress_linear_bytes": ("MS:1000514", "chunk_transform", "MS:1002312"),
        "intensity": ("MS:1000515", "chunk_secondary"),
        "intensity_packed_bytes": ("MS:1000515", "chunk_transform", f"MS:{1002313 if encoding == 'pic' else 1002314}"),
    }  # fmt: skip
    used = [name for name in types if any(name in chunk for chunk in chunks)]
    columns = {name: pa.array([chunk.get(name) for chunk in chunks], types[name]) for name in used}
    return with_array_index("chunk", columns, {name: formats[name] for name in used if name in formats})


def _pieces(entries: Entries, rng: np.random.Generator) -> list[Entries]:
    """Cut before points, or between the two nulls of a pair; now and then behind the first point."""
    found: list[Entries] = [[]]
    for at, entry in enumerate(entries):
        is_cut = entry is not None or (at and entries[at - 1] is None)
        if is_cut and found[-1] and rng.random() < 0.4:
            found.append([])
        found[-1].append(entry)
    return [piece for piece in found if piece]


def _without_nulls(entries: Entries, rng: np.random.Generator) -> list[Entries]:
    return _pieces([entry for entry in entries if entry is not None], rng)


def _encoded(piece: Entries, encoding: str) -> dict[str, Any]:
    import pynumpress

    mz = [entry and entry[0] for entry in piece]
    intensity = [entry and entry[1] for entry in piece]
    known = [one for one in mz if one is not None]
    chunk: dict[str, Any] = {
        "mz_chunk_start": known[0] if known else 0.0,
        "mz_chunk_end": known[-1] if len(known) > 1 else 0.0,
        "mz_chunk_values": [],
        "chunk_encoding": ENCODINGS[encoding],
    }
    if encoding in ("none", "delta"):
        chunk["mz_chunk_values"] = mz[mz[0] is not None :] if encoding == "none" else deltas(mz)
    else:
        chunk["mz_numpress_linear_bytes"] = pynumpress.encode_linear(np.array(known), MZ_SCALE).tolist()
    if encoding in ("slof", "pic"):
        values = np.array(intensity, dtype=np.float64)
        pack = pynumpress.encode_pic(values) if encoding == "pic" else pynumpress.encode_slof(values, SLOF_SCALE)
        chunk["intensity_packed_bytes"] = pack.tolist()
        chunk["intensity"] = None
    else:
        chunk["intensity"] = intensity
    return chunk


def deltas(mz: Sequence[float | None]) -> list[float | None]:
    """Return steps; what follows a null is the value itself, and the first value is left out, being the start."""
    found: list[float | None] = [] if mz[0] is not None else [None]
    for before, now in pairwise(mz):
        found.append(now if now is None or before is None else now - before)
    return found


def with_array_index(prefix: str, columns: dict[str, pa.Array], formats: dict[str, tuple[str, ...]]) -> pa.Table:
    names = {"MS:1000514": "m/z array", "MS:1000515": "intensity array"}
    entries = [
        {
            "context": "spectrum", "path": f"{prefix}.{column}", "array_type": array, "array_name": names[array],
            "buffer_format": kind, "transform": more[0] if more else None, "buffer_priority": "primary",
        }
        for column, (array, kind, *more) in formats.items()
    ]  # fmt: skip
    table = pa.table({prefix: pa.StructArray.from_arrays(list(columns.values()), list(columns))})
    return table.replace_schema_metadata(
        {"spectrum_array_index": json.dumps({"prefix": prefix, "entries": entries}), "spectrum_data_point_count": "0"}
    )


# --- the metadata ----------------------------------------------------------------------------------------------------

_CURIES = {"profile spectrum": "MS:1000128", "centroid spectrum": "MS:1000127"}


def _facets(run: Run, *, split: bool) -> dict[str, dict[str, pa.Array]]:
    """Return the columns of each table, by the names of the packed or of the split layout."""
    meta, n = run.meta, len(run.meta)
    index = pa.array(np.arange(n) + run.first, pa.uint64())
    ions = np.flatnonzero(meta["precursor_mz"].notna())
    ids = pa.array(ions + run.first, pa.uint64())
    charge = pa.array([None if pd.isna(one) else int(one) for one in meta["charge"].iloc[ions]], pa.int32())
    of = lambda name: pa.array(meta[name].to_numpy())  # noqa: E731
    facets: dict[str, dict[str, pa.Array]] = {
        "spectrum": {
            "index": index,
            "id": pa.array(meta.index.tolist(), pa.large_string()),
            "MS_1000511_ms_level": pa.array(meta["ms_level"].astype(int).tolist(), pa.uint8()),
            "time": of("retention_time"),
            "MS_1000465_scan_polarity": pa.array(
                [1 if one == "positive" else -1 for one in meta["polarity"]], pa.int8()
            ),
            "MS_1000525_spectrum_representation": pa.array([_CURIES[one] for one in meta["spectrum_representation"]]),
            "MS_1003060_number_of_data_points": of("number_of_data_points").cast(pa.uint64()),
            "MS_1000504_base_peak_mz_unit_MS_1000040": of("base_peak_mz"),
            "MS_1000505_base_peak_intensity_unit_MS_1000131": of("base_peak_intensity"),
            "MS_1000285_total_ion_current_unit_MS_1000131": of("total_ion_current"),
            "data_processing_ref": pa.nulls(n, pa.string()),
            "parameters": pa.array([[]] * n, pa.list_(pa.float64())),
        },
        "scan": {
            "source_index": index,
            "MS_1000512_filter_string": pa.array(meta["filter_string"].tolist(), pa.large_string()),
            "MS_1000927_ion_injection_time_unit_UO_0000028": of("ion_injection_time"),
        },
        "precursor": {
            "source_index": ids,
            "isolation_window": pa.StructArray.from_arrays(
                [of("isolation_window_target_mz").take(pa.array(ions))], ["MS_1000827_isolation_window_target_mz"]
            ),
        },
        "selected_ion": {
            "source_index": ids,
            "MS_1000744_selected_ion_mz_unit_MS_1000040": of("precursor_mz").take(pa.array(ions)),
            "MS_1000041_charge_state": charge,
        },
    }
    return (
        facets
        if not split
        else {name: {_short(key): one for key, one in columns.items()} for name, columns in facets.items()}
    )


def _short(name: str) -> str:
    """Return the name of the split layout, such as base_peak_mz for MS_1000504_base_peak_mz_unit_MS_1000040."""
    return name.partition("_unit_")[0].split("_", 2)[2] if name.startswith("MS_") else name


def packed_metadata(run: Run) -> pa.Table:
    """Return all tables side by side; rows that a table lacks are structs of nulls."""
    n = len(run.meta)
    columns = {}
    for name, facet in _facets(run, split=False).items():
        padded = [pa.concat_arrays([one, _nulls(n - len(one), one.type)]) for one in facet.values()]
        columns[name] = pa.StructArray.from_arrays(padded, list(facet))
    return pa.table(columns).replace_schema_metadata({"run": json.dumps({"id": TITLE})})


def _nulls(n: int, type_: pa.DataType) -> pa.Array:
    if pa.types.is_struct(type_):
        return pa.StructArray.from_arrays([_nulls(n, field.type) for field in type_], fields=list(type_))
    return pa.nulls(n, type_)


def split_metadata(run: Run) -> dict[str, pa.Table]:
    tables = {name: pa.table(columns) for name, columns in _facets(run, split=True).items()}
    tables["spectrum"] = tables["spectrum"].replace_schema_metadata({"run": json.dumps({"id": TITLE})})
    return tables


# --- the store -------------------------------------------------------------------------------------------------------


def make_mzpeak(path: Path, run: Run, layout: str = "point", **options: Any) -> Path:
    """Write one store.

    Options: folder and split, whether it is a folder and its metadata stand in several members; rows_per_group; data
    and peaks, tables to write instead of or beside the usual; lists, names of members that are listed and not there;
    members, bytes to write instead of others; and what `chunk_table` takes.
    """
    data = options.get("data")
    if data is None:
        chunk_options = {key: options[key] for key in ("edit", "as_struct") if key in options}
        data = point_table(run) if layout == "point" else chunk_table(run, layout, **chunk_options)
    members: dict[str, tuple[str, pa.Table]] = {"spectra_data.parquet": ("data arrays", data)}
    if options.get("peaks") is not None:
        members["spectra_peaks.parquet"] = ("peaks", options["peaks"])
    if options.get("split"):
        kinds = {"spectrum": "metadata", "scan": "scans", "precursor": "precursors", "selected_ion": "selected_ions"}
        members |= {f"{name}.parquet": (kinds[name], table) for name, table in split_metadata(run).items()}
    else:
        members["spectra_metadata.parquet"] = ("metadata", packed_metadata(run))
    written = {name: _bytes(table, options.get("rows_per_group", 10**6)) for name, (_, table) in members.items()}
    listed = [{"name": name, "entity_type": "spectrum", "data_kind": kind} for name, (kind, _) in members.items()]
    listed += [{"name": name, "entity_type": "spectrum", "data_kind": "other"} for name in options.get("lists", ())]
    written["mzpeak_index.json"] = json.dumps({"files": listed, "metadata": {"version": "0.9.0"}}).encode()
    written |= options.get("members", {})
    return write_members(path, written, folder=options.get("folder", False))


def write_members(
    path: Path, members: dict[str, bytes], *, folder: bool = False, method: int = zipfile.ZIP_STORED
) -> Path:
    if folder:
        path.mkdir()
        for name, content in members.items():
            (path / name).write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    return path


def _bytes(table: pa.Table, rows_per_group: int) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", row_group_size=rows_per_group)
    return sink.getvalue().to_pybytes()
