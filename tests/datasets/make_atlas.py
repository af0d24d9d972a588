"""Write small RaggedAtlases of every generation and layout with pylance and zarr, together with the truth they hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import zarr
from zarr.abc.codec import BytesBytesCodec
from zarr.registry import register_codec

from tests.datasets.make_cxg import Truth

GENES, PROTEINS = "gene_expression", "protein_abundance"
SPACE = b"homeobox.feature_space"
TRANSFORMS = {"none": 0, "delta": 1, "delta_zigzag": 2}
SPARSE = pa.struct([("zarr_group", pa.string()), ("start", pa.int64()), ("end", pa.int64()), ("zarr_row", pa.int64())])
OLD_SPARSE = pa.struct([("feature_space", pa.string()), *[SPARSE.field(i) for i in range(SPARSE.num_fields)]])
DENSE = pa.struct([("zarr_group", pa.string()), ("position", pa.int64())])
CHUNKS = 128
N_MEASURED = 55

LAYOUTS = ("csr", "bitpacked", "csc", "mixed", "dense")
RECORDS = ("new", "obs", "cell")


@dataclass
class Part:
    """One dataset: which rows of X it holds, and which vars in which order."""

    name: str
    rows: np.ndarray
    genes: list[int]


def parts_of(n_obs: int, n_var: int) -> list[Part]:
    """Three datasets of different layouts; the last cells are in none."""
    return [
        Part("a", np.arange(0, 25), list(range(n_var))),
        Part("b", np.arange(25, 45), [8, 7, 6, 5, 1]),
        Part("c", np.arange(45, N_MEASURED), list(range(7))),
    ]


def make_truth(n_obs: int = 60, n_var: int = 9, seed: int = 0) -> Truth:
    """X holds counts, and NaN where a cell's dataset did not measure a gene."""
    rng = np.random.default_rng(seed)
    counts = rng.geometric(0.02, (n_obs, n_var)) * (rng.random((n_obs, n_var)) < 0.4)
    X = np.full((n_obs, n_var), np.nan, dtype=np.float32)
    for part in parts_of(n_obs, n_var):
        X[np.ix_(part.rows, part.genes)] = counts[np.ix_(part.rows, part.genes)]
    score = rng.normal(size=n_obs).astype(np.float32)
    score[[2, 9]] = np.nan
    labels = ["T cell", "B cell", "NK/T, γδ"]
    codes = rng.integers(-1, 3, n_obs)
    codes[:4] = 0, 1, 2, -1
    obs = pd.DataFrame(
        {
            "dataset_uid": ["none"] * n_obs,
            "cell_type": pd.Categorical.from_codes(codes, categories=labels),
            "n_genes": rng.integers(0, 5000, n_obs).astype(np.int32),
            "hash": rng.integers(2**54, 2**60, n_obs).astype(np.int64),
            "score": score,
            'a/b "c" é': rng.normal(size=n_obs),
            "is_primary": np.ones(n_obs, dtype=bool),
            "is_doublet": rng.random(n_obs) < 0.3,
            "donor": [None if number % 7 == 3 else f"d{number % 3} ü" for number in range(n_obs)],
            "tags": ["; ".join(["x", f"t{number % 4}"][: number % 3]) for number in range(n_obs)],
        },
        index=pd.Index([f"cell{number:03}" for number in range(n_obs)], name="uid"),
    ).astype({"dataset_uid": "str", "donor": "str", "tags": "str"})
    for part in parts_of(n_obs, n_var):
        obs.loc[obs.index[part.rows], "dataset_uid"] = part.name
    umap = rng.normal(size=(n_obs, 2)).astype(np.float32)
    umap[4] = np.nan, np.inf
    umap[7] = np.nan
    embeddings = {"pca": rng.normal(size=(n_obs, 10)).astype(np.float32), "umap": umap}
    names = [f"GENE{number}" for number in range(n_var)]
    return Truth(X, obs, [f"ENSG{number:04d}" for number in range(n_var)], names, embeddings, {}, "atlas")


def make_atlas(path: Path, truth: Truth, layout: str = "csr", records: str = "new", **options: Any) -> Path:
    """Write one atlas with two snapshots: 0 of the cells without the last five, 1 of all.

    Options: order (n_obs,), the rows of obs as they are stored, where the truth has them sorted; embeddings, whether
    to write them; spaces, the names of feature spaces besides genes; snapshots, whether to write any; later, whether
    rows are written after the last snapshot; layers, names of layers besides counts, each counts times its length;
    obs_tables, names of obs tables; extra, a table of more obs columns.
    """
    tables, store = path / "lance_db", path / "zarr_store"
    tables.mkdir(parents=True)
    n_obs, n_var = truth.X.shape
    parts = parts_of(n_obs, n_var)
    root = zarr.open_group(store, mode="w", zarr_format=3)
    pointers = np.full(n_obs, None, dtype=object)
    for number, part in enumerate(parts):
        csc = layout == "csc" or (layout == "mixed" and number % 2 == 0)
        codec = "bits" if layout in ("bitpacked", "mixed") else "zstd"
        pointers[part.rows] = write_part(
            root, part, truth.X, dense=layout == "dense", csc=csc, codec=codec, records=records, options=options
        )
    frame = obs_table(truth, pointers, layout, records, options)
    order = options.get("order")
    stored = frame if order is None else frame.take(pa.array(order))
    versions = write_obs(tables, stored, options)
    write_registries(tables, truth, parts, options)
    if options.get("snapshots", True):
        write_records(tables, versions, records, options)
    return path


def write_part(
    root: zarr.Group, part: Part, X: np.ndarray, *, dense: bool, csc: bool, codec: str, records: str, options: dict
) -> list[dict[str, Any]]:
    """Write the arrays of one dataset, and return the pointers of its cells."""
    name = f"{part.name}/genes"
    counts = X[np.ix_(part.rows, part.genes)].astype(np.uint32)
    layers = {"counts": counts} | {layer: counts.astype(np.float32) * len(layer) for layer in options.get("layers", ())}
    if dense:
        for layer, values in layers.items():
            write_array(root, f"{name}/layers/{layer}", values, "zstd")
        return [{"zarr_group": name, "position": row} for row in range(len(part.rows))]
    by_row, by_column = sp.csr_matrix(counts), sp.csc_matrix(counts)
    bits = ("lancell" if records == "cell" else "homeobox") + ".bitpacking"
    write_array(
        root, f"{name}/csr/indices", by_row.indices.astype(np.uint32), bits if codec == "bits" else codec, "delta"
    )
    if csc:
        write_array(root, f"{name}/csc/indices", by_column.indices.astype(np.uint32), "zstd")
        write_array(root, f"{name}/csc/indptr", by_column.indptr.astype(np.int64), "zstd")
    for layer, values in layers.items():
        packed = bits if codec == "bits" and values.dtype == np.uint32 else "zstd"
        write_array(root, f"{name}/csr/layers/{layer}", sp.csr_matrix(values).data, packed)
        if csc:
            write_array(root, f"{name}/csc/layers/{layer}", sp.csc_matrix(values).data, "zstd")
    old = {"feature_space": GENES} if records == "cell" else {}
    spans = zip(by_row.indptr[:-1].tolist(), by_row.indptr[1:].tolist(), strict=True)
    return [
        {"zarr_group": name, "start": start, "end": end, "zarr_row": row, **old}
        for row, (start, end) in enumerate(spans)
    ]


def write_array(
    root: zarr.Group,
    path: str,
    values: np.ndarray,
    codec: str,
    transform: str = "none",
    *,
    length: int = CHUNKS,
    per_shard: int = 2,
) -> None:
    """Write one array in chunks of some length, and shards of some chunks."""
    chunks = (length, *values.shape[1:])
    shards = (per_shard * length, *values.shape[1:])
    packed = Bitpacking(codec, transform, values.itemsize) if codec.endswith("bitpacking") else zarr.codecs.ZstdCodec()
    array = root.create_array(
        path, shape=values.shape, dtype=values.dtype, chunks=chunks, shards=shards, compressors=packed, fill_value=0
    )
    array[...] = values


def obs_table(truth: Truth, pointers: np.ndarray, layout: str, records: str, options: dict) -> pa.Table:
    """Return obs as Arrow, in the types that homeobox's schemas have."""
    columns: dict[str, tuple[pa.Field, Any]] = {
        "uid": (pa.field("uid", pa.string(), nullable=False), truth.obs.index.tolist())
    }
    for name, series in truth.obs.items():
        if isinstance(series.dtype, pd.CategoricalDtype):
            codes = pa.array(series.cat.codes.to_numpy(), mask=(series.cat.codes < 0).to_numpy())
            values: Any = pa.DictionaryArray.from_arrays(codes, pa.array(series.cat.categories.tolist()))
            columns[name] = pa.field(name, values.type), values
        elif name == "tags":
            listed = [text.split("; ") if text else [] for text in series]
            columns[name] = pa.field(name, pa.list_(pa.string())), listed
        elif series.dtype.kind in "bif":
            type_ = pa.from_numpy_dtype(series.dtype)
            columns[name] = pa.field(name, type_, nullable=False), series.to_numpy()
        else:
            columns[name] = pa.field(name, pa.string()), [None if pd.isna(one) else one for one in series]
    if options.get("embeddings", True):
        for name, values in truth.embeddings.items():
            vectors = [None if np.isnan(row).all() else row for row in values]
            columns[f"X_{name}"] = pa.field(f"X_{name}", pa.list_(pa.float32(), values.shape[1])), vectors
    type_ = DENSE if layout == "dense" else OLD_SPARSE if records == "cell" else SPARSE
    name = GENES if records == "cell" else "genes"
    metadata = None if records == "cell" else {SPACE: GENES.encode()}
    columns[name] = pa.field(name, type_, metadata=metadata), pointers.tolist()
    for more in options.get("extra", pa.table({})).schema:
        columns[more.name] = more, options["extra"][more.name]
    schema = pa.schema([field for field, _ in columns.values()])
    arrays = [
        values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, field.type)
        for field, values in columns.values()
    ]
    return pa.table(arrays, schema=schema)


def write_obs(tables: Path, stored: pa.Table, options: dict) -> list[dict[str, int]]:
    """Write the obs tables in two parts, and return the versions after each."""
    names = options.get("obs_tables", ("cells",))
    versions: list[dict[str, int]] = [{}, {}]
    for name in names:
        uri = str(tables / f"{name}.lance")
        versions[0][name] = lance.write_dataset(stored.slice(0, N_MEASURED), uri).version
        versions[1][name] = lance.write_dataset(stored.slice(N_MEASURED), uri, mode="append").version
        if options.get("later"):
            lance.write_dataset(stored.slice(0, 3), uri, mode="append")
    return versions


def write_registries(tables: Path, truth: Truth, parts: list[Part], options: dict) -> None:
    genes = {
        "uid": truth.var_labels + options.get("unmeasured", []),
        "global_index": list(range(len(truth.var_labels))) + [None] * len(options.get("unmeasured", [])),
        "gene_name": truth.aliases + options.get("unmeasured", []),
    }
    lance.write_dataset(pa.table(genes), str(tables / "gene_registry.lance"))
    layouts = [
        {"layout_uid": f"layout {part.name}", "feature_uid": truth.var_labels[gene], "local_index": place}
        | {"global_index": gene}
        for part in parts
        for place, gene in enumerate(part.genes)
    ]
    lance.write_dataset(pa.Table.from_pylist(layouts), str(tables / "_feature_layouts.lance"))
    datasets = [
        {"dataset_uid": part.name, "zarr_group": f"{part.name}/genes", "feature_space": GENES}
        | {"layout_uid": f"layout {part.name}", "created_at": "2026-01-01"}
        for part in parts
    ]
    lance.write_dataset(pa.Table.from_pylist(datasets), str(tables / "datasets.lance"))


def write_records(tables: Path, versions: list[dict[str, int]], records: str, options: dict) -> None:
    """Write the table of snapshots as one of the three generations of homeobox did."""
    rows = []
    for number, pinned in enumerate(versions):
        ((name, version), *_) = pinned.items()
        what = {"obs_table_versions": json.dumps(pinned)}
        if records != "new":
            what = {f"{records}_table_name": name, f"{records}_table_version": version}
        registries = {GENES: "gene_registry"} | options.get("registries", {})
        row = {
            "version": number,
            **what,
            "dataset_table_name": "datasets",
            "dataset_table_version": 1,
            "registry_table_names": json.dumps(registries),
            "registry_table_versions": json.dumps(dict.fromkeys(registries, 1)),
            "feature_layouts_table_version": 1,
            ("total_cells" if records == "cell" else "total_rows"): options.get("total", (N_MEASURED, 60))[number],
            "created_at": f"2026-01-0{number + 1}",
        }
        rows.append(row | ({"zarr_store_uri": "file:///nowhere"} if records == "cell" else {}))
    lance.write_dataset(pa.Table.from_pylist(rows), str(tables / "atlas_versions.lance"), mode="overwrite")


def bitpack(values: np.ndarray, transform: str) -> bytes:
    """Encode uint32 or uint64 as homeobox does: steps of whole values, and of 8 bytes the low words before the high."""
    values = np.asarray(values)
    head = bytes([TRANSFORMS[transform]]) + len(values).to_bytes(4, "little")
    if transform != "none":
        values = np.diff(values, prepend=values.dtype.type(0)).astype(values.dtype)
    if transform == "delta_zigzag":
        signed = values.view(f"i{values.itemsize}")
        values = ((signed << 1) ^ (signed >> (8 * values.itemsize - 1))).view(values.dtype)
    words = values.view("<u4").reshape(len(values), values.itemsize // 4)
    return head + b"".join(_packed(words[:, column]) for column in range(words.shape[1]))


def _packed(words: np.ndarray) -> bytes:
    """Encode words of 32 bits as BP-128 does: blocks of 128, word i in lane i % 4, lanes packed from the lowest bit."""
    blocks = np.zeros((-(-len(words) // 128), 128), dtype=np.uint32)
    blocks.reshape(-1)[: len(words)] = words
    widths = np.frexp(blocks.max(axis=1).astype(np.float64))[1]
    lengths = 1 + 16 * widths.astype(np.int64)
    out = np.zeros(lengths.sum(), dtype=np.uint8)
    starts = np.cumsum(lengths) - lengths
    out[starts] = widths
    for width in np.unique(widths[widths > 0]).tolist():
        chosen = np.flatnonzero(widths == width)
        bits = np.unpackbits(blocks[chosen].view(np.uint8).reshape(-1, 32, 4, 4), axis=3, bitorder="little")
        lanes = bits[..., :width].swapaxes(1, 2).reshape(-1, 4, 32 * width)
        packed = np.packbits(lanes, axis=2, bitorder="little").reshape(-1, 4, width, 4)
        out[starts[chosen, None] + 1 + np.arange(16 * width)] = packed.swapaxes(1, 2).reshape(len(chosen), -1)
    return out.tobytes()


class Bitpacking(BytesBytesCodec):
    """Writes bit-packed chunks; reading them is left to the reader under test."""

    is_fixed_size = False

    def __init__(self, name: str, transform: str, element_size: int) -> None:
        self.name, self.transform, self.element_size = name, transform, element_size

    def to_dict(self) -> dict[str, Any]:
        configuration: dict[str, Any] = {"transform": self.transform}
        if self.name.startswith("homeobox"):
            configuration["element_size"] = self.element_size
        return {"name": self.name, "configuration": configuration}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Bitpacking:
        return cls(data["name"], data["configuration"]["transform"], data["configuration"].get("element_size", 4))

    async def _encode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        raw = chunk_data.as_numpy_array().view(np.uint8)
        encoded = bitpack(raw.view(f"u{self.element_size}"), self.transform)
        return chunk_spec.prototype.buffer.from_bytes(encoded)

    async def _decode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        raise AssertionError("the reader must decode this itself")

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        raise NotImplementedError


for name in ("homeobox.bitpacking", "lancell.bitpacking"):
    register_codec(name, Bitpacking)
