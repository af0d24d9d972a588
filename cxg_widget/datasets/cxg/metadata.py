"""Metadata of a CXG: title, default embedding, colors, gene sets, uns.

The files are untrusted, so this module never unpickles: it reads only JSON and plain values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cxg_widget.color.css_colors import to_hex
from cxg_widget.datasets.base.column_values import as_scalar
from cxg_widget.datasets.base.sections import Library
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import DamagedStore
from cxg_widget.text.half_characters import load_json, note_of

KNOWN_VERSIONS = ("0.0", "0.1", "0.2.0", "0.3.0")
_ARRAY = "cxg_group_metadata"
Note = Callable[[str], None]


class GroupMetadata:
    """The array `cxg_group_metadata`, which the first version of the format, without a number, does not have.

    version : version of the format, "0.0" if the store declares none
    title : None if the store has none
    default_embedding : as written, often "X_umap"; None if the store declares none
    about : as written, usually a link to more about the dataset; None if the store has none
    schema_version : version of the Corpora schema of the source; None if the store declares none
    """

    def __init__(self, arrays: Arrays, children: Mapping[str, str], note: Note) -> None:
        self._arrays = arrays
        self._present = children.get(_ARRAY) == "array"
        self._note = note
        version = self._value("cxg_version")
        self.version = version if isinstance(version, str) else "0.0"
        if self.version not in KNOWN_VERSIONS:
            note(
                f"cxg_version {self.version!r} is unknown (known: {', '.join(KNOWN_VERSIONS)}); "
                "the layout is inferred from the arrays in the store."
            )
        corpora, properties = self._object("corpora"), self._object("cxg_properties")
        # Writers without a title put the name of the converted file into cxg_properties.
        self.title = _text(corpora.get("title")) or _text(properties.get("title"))
        self.about = _text(properties.get("about"))
        nested = corpora.get("version")
        older = nested.get("corpora_schema_version") if isinstance(nested, dict) else None
        self.schema_version = _text(corpora.get("schema_version")) or _text(older)
        self.default_embedding = _text(corpora.get("default_embedding"))

    def colors(self) -> dict[str, dict[str, str]]:
        """Return {column: {label: "#rrggbb"}}, names as in the store; invalid colors are left out with a note."""
        found: dict[str, dict[str, str]] = {}
        for column, table in self._object("cxg_category_colors").items():
            if not isinstance(table, dict):
                self._note(f"cxg_category_colors[{column!r}] is ignored: it must map labels to colors.")
                continue
            colors = {label: to_hex(color) for label, color in table.items()}
            bad = [label for label, color in colors.items() if color is None]
            if bad:
                self._note(f"cxg_category_colors[{column!r}] has no valid color for {bad[0]!r} ({len(bad)} in all).")
            found[column] = {label: color for label, color in colors.items() if color is not None}
        return found

    def _object(self, key: str) -> dict[str, Any]:
        value = decode(self._value(key), key, self._note)
        if isinstance(value, dict):
            return value
        if value is not None:
            self._note(f"{key} is ignored: it is not a JSON object.")
        return {}

    def _value(self, key: str) -> Any:
        if not self._present:
            return None
        try:
            return self._arrays.metadata_value(_ARRAY, key)
        except DamagedStore as error:
            self._note(str(error))
            return None


def decode(value: Any, key: str, note: Note) -> Any:
    """Return a metadata value: JSON text decoded, bytes as None with a note, all else unchanged."""
    if isinstance(value, bytes | bytearray | memoryview):
        note(f"{key} is ignored: it is binary, perhaps pickled, and is never decoded.")
        return None
    if not isinstance(value, str):
        return as_scalar(value)
    try:
        found, is_repaired = load_json(value)
    except (ValueError, RecursionError):
        return value
    if is_repaired:
        note(note_of(key))
    return found


def read_gene_sets(arrays: Arrays, note: Note) -> dict[str, tuple[str, ...]]:
    """Return the gene sets in the metadata of obs.

    Four forms exist: {name: set}; {"genesets": sets, "tid": n}; [sets, tid]; and a plain list of sets.
    """
    value = decode(arrays.metadata_value("obs", "genesets"), "genesets", note)
    found: dict[str, tuple[str, ...]] = {}
    for name, genes in _sets(value):
        symbols = (gene.get("gene_symbol") if isinstance(gene, dict) else gene for gene in genes)
        found[name] = tuple(dict.fromkeys(symbol for symbol in symbols if isinstance(symbol, str)))
    empty = value is None or (isinstance(value, dict | list) and not value)
    if not found and not empty:
        note("genesets in the metadata of obs are ignored: their format is unknown.")
    return found


def _sets(value: Any) -> Iterator[tuple[str, list[Any]]]:
    if (
        isinstance(value, dict)
        and "genesets" in value
        and "geneset_name" not in value
        and not _is_set(value["genesets"])
    ):
        yield from _sets(value["genesets"])
    elif isinstance(value, dict):
        for name, one in value.items():
            genes = one.get("genes") if isinstance(one, dict) else one
            if isinstance(genes, list):
                yield str(one.get("geneset_name", name) if isinstance(one, dict) else name), genes
    elif isinstance(value, list) and value and isinstance(value[0], list | dict) and not _is_set(value[0]):
        yield from _sets(value[0])
    elif isinstance(value, list):
        for one in value:
            if _is_set(one) and isinstance(one.get("geneset_name"), str):
                yield one["geneset_name"], one["genes"]


def _is_set(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("genes"), list) and "geneset_name" in value


def read_uns(arrays: Arrays, children: Mapping[str, str], note: Note) -> dict[str, Any]:
    """Return `uns`, an array with the values as metadata, or a group of such arrays; empty if there is none."""
    kind = children.get("uns")
    if kind == "unknown":
        kind = "array" if "__schema" in arrays.names(["uns"])[0] else "group"
    if kind == "group":
        members = [name for name, type_ in arrays.children("uns")[0].items() if type_ in ("array", "unknown")]
        return {name: _uns_array(arrays, f"uns/{name}", note) for name in members}
    return _uns_array(arrays, "uns", note) if kind == "array" else {}


def _uns_array(arrays: Arrays, path: str, note: Note) -> dict[str, Any]:
    keys = list(arrays.metadata(path).keys())
    if not keys:
        raise DamagedStore(f"{arrays.uri}: {path} holds no values; its metadata files are missing.")
    found = {key: decode(arrays.metadata_value(path, key), f"{path}[{key!r}]", note) for key in keys}
    return {key: value for key, value in found.items() if value is not None}


def libraries_with_factors(spatial: Any) -> list[Library]:
    """Return the scale factors in `uns["spatial"]` per library; without libraries, those of one named ""."""
    found = spatial if isinstance(spatial, dict) else {}
    named = {"": found} if isinstance(found.get("scalefactors"), dict) else found
    return [
        Library(name, {}, {key: float(one) for key, one in factors.items() if type(one) in (int, float)})
        for name, library in named.items()
        if isinstance(library, dict) and isinstance(factors := library.get("scalefactors"), dict)
    ]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
