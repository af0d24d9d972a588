"""The contract of a store: its attributes and methods, from which `Dataset` derives everything else."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.by_view import ByView
from cxg_widget.datasets.base.embedding_names import axis_names
from cxg_widget.datasets.base.lifetime import Lifetime, Traffic
from cxg_widget.datasets.base.matrix_contract import MatrixContract
from cxg_widget.datasets.base.sections import Sections
from cxg_widget.datasets.base.values import Codes, Column, Values
from cxg_widget.text.half_characters import note_of, repaired
from cxg_widget.text.nouns import CELL, GENE, Noun
from cxg_widget.text.redaction import redacted

Table = Literal["obs", "var"]

DEFAULT_CACHE_BYTES = 256 * 2**20
RAW = "raw"
"""The layer with the values before X was scaled, as AnnData names it."""

PLACEHOLDER = re.compile(r"name_\d+")
"""Names that writers of CXG give to an unnamed index: name_0, name_1, ..."""


Form = Literal["pandas", "polars", "arrow"]
"""Types of results: DataFrames of pandas or polars, or Arrow tables."""


class Contract(MatrixContract):
    """Attributes that a store sets in `__init__`, from schemas and metadata alone, and methods that it implements.

    Several threads may call a `_read` method at once. The store is then held open; names, positions, rows and axes are
    valid. It raises `InvalidStore` if the store contradicts itself and `DamagedStore` if promised data cannot be read,
    each with one sentence that has the path. Only `_read_obs`, and `_read_embedding` or its block, are required; a
    store with vars also implements methods of `MatrixContract`. A store may call `_note`, `_tell_progress`, `_cached`,
    `_read_once` and `_reading`, which are methods of its `Lifetime`.

    Attributes
    ----------
    format : format word, as for `open_dataset(format=)`
    uri : path or URI of the store, as given
    title : title of the store, else the last part of its path
    n_obs, n_var : the shape
    obs_columns, var_columns : the columns in the store's order, without the index columns
    obs_index, var_index : name of the index column, None if the store has none
    alias_columns, id_columns : var columns of readable names and of identifiers, which also find a var
    missing_text : text that means a missing value in columns of text and categories; None = none
    layers : names of alternatives to the main matrix
    modalities : names of modalities side by side in the main matrix; each has its own layers, "NAME:X" first
    major_axis : axis along which the store reads neighboring lines of the matrix fast
    embeddings : {name: number of axes, at least 2}
    default_embedding : embedding to show first, None if there is none
    default_color : default color as "obs:NAME" or "var:NAME"; None = no color
    given_as : default type of results, as in `table.forms`
    obs_noun, var_noun, set_noun : nouns for observations, vars and sets of vars; set_noun None = no sets
    is_remote : whether reads wait for remote storage, so that several are made in parallel
    by_view : what the store states about an embedding before it is read; by default nothing
    """

    format: ClassVar[str]
    alias_columns: ClassVar[tuple[str, ...]] = (
        *("feature_name", "gene_symbols", "gene_symbol", "gene_name", "gene_names"),
        *("gene_short_name", "symbol"),
    )
    id_columns: ClassVar[tuple[str, ...]] = (
        *("name_0", "feature_id", "gene_ids", "gene_id", "var_id", "ensembl_id", "ensembl_gene_id", "uniprot_id"),
    )
    missing_text: ClassVar[str | None] = None

    uri: str
    n_obs: int
    n_var: int = 0
    obs_columns: Mapping[str, Column]
    var_columns: Mapping[str, Column] = MappingProxyType({})
    obs_index: str | None = None
    var_index: str | None = None
    layers: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    major_axis: Literal["obs", "var"] = "var"
    embeddings: Mapping[str, int]
    default_embedding: str | None = None
    default_color: str | None = None
    obs_noun: Noun = CELL
    given_as: Form = "pandas"
    var_noun: Noun = GENE
    set_noun: Noun | None = None
    is_remote: bool = False
    by_view: ByView = ByView()

    _no_embedding: ClassVar[str] = "no usable embedding"
    """Reason why there is no embedding; `_unusable` has a sentence for each embedding that cannot be shown."""
    _in_blocks: ClassVar[bool] = True
    """Whether a whole column is read in blocks of rows, so that only the result takes its size."""
    _holds_text: ClassVar[bool] = False
    """Whether packed strings are read whole so fast that they are cached for reads of single rows."""

    def __init__(self, uri: str, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self.uri = uri
        self._unusable: dict[str, str] = {}
        life = self._lifetime = Lifetime(uri, cache_bytes, self._release)
        self._note, self._tell_progress = life.note, life.tell_progress
        self.title = uri.rstrip("/").rpartition("/")[2]
        self._cached, self._read_once, self._reading = life.cached, life.once, life.reading

    @property
    def title(self) -> str:
        """Title of the dataset: from its store, or the name of its file.

        Examples
        --------
        >>> dataset.title
        'SYNTHETIC blood cells (1,000 cells, 300 genes)'
        """
        return self._title

    @title.setter
    def title(self, title: str) -> None:
        # Titles come from untrusted files, and from URLs that may contain a token.
        self._title = repaired(redacted(title))
        if self._title != redacted(title):
            self._note(note_of("the title"))

    def index_name(self, table: Table) -> str | None:
        """Return the name of the index of a table, "obs" or "var", None = no name; by default as stored.

        Examples
        --------
        >>> dataset.index_name("obs") == dataset.obs().index.name
        True
        """
        return self.obs_index if table == "obs" else self.var_index

    # Obs.

    @abstractmethod
    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Read one obs column, including the index column, in the order of `rows` (None = all).

        Categorical columns are returned as `Codes` with all categories of the column, whatever the rows; booleans as
        bool, numbers in their own dtype, strings as objects of str or packed, all (k,).
        """

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        """Read the rows start <= row < stop of a column, as `_read_obs` does, which is the default."""
        return self._read_obs(name, np.arange(start, stop))

    def _read_obs_alone(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Read a few rows of a column, possibly with only their own categories; by default `_read_obs`."""
        return self._read_obs(name, rows)

    def _read_codes(self, name: str) -> Codes | None:  # noqa: ARG002
        """Return a whole obs column of strings as codes of its sorted values; by default None: made of its strings."""
        return None

    def _read_frame(self, rows: NDArray[np.int64], columns: Any) -> Any:  # noqa: ARG002
        """Return rows in the type of the store's source, all columns or some by name; by default None: as `obs`."""
        return None

    def _packs(self, name: str) -> bool:  # noqa: ARG002
        """Return whether an obs column is read whole as `PackedStrings`, to be cached; by default not."""
        return False

    def _category_colors(self, column: str) -> Mapping[str, str]:  # noqa: ARG002
        """Return the colors of an obs column, {label: "#rrggbb"}; by default none."""
        return {}

    # Embeddings.

    def _find_pair(self, name: str | Sequence[str]) -> str | tuple[str, ...] | None:  # noqa: ARG002
        """Return the embedding of two columns, or the two columns of its name; by default None."""
        return None

    def _read_embedding(self, name: str, axes: tuple[int, int]) -> NDArray[Any]:
        """Read two axes of an embedding, any numeric (n_obs, 2). A store implements this or the block."""
        raise NotImplementedError

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        """Read rows of two axes, any numeric (stop - start, 2); by default part of all rows."""
        return self._read_embedding(name, axes)[start:stop]

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:  # noqa: ARG002
        """Return the labels of two axes with different units; by default None: both have the same unit."""
        return None

    def _axis_names(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        """Return the names of two axes with the same unit, None = no names; by default as scanpy names them."""
        return axis_names(name, axes)

    # Tissue images.

    def _read_sections(self) -> Sections:
        """Return the list of tissue images, without reading any; by default none."""
        return Sections()

    def _read_spot_widths(self) -> NDArray[np.float32] | None:
        """Return the result of `Dataset.spot_widths`; by default None: all spots have the diameter `Sections.spot`."""
        return None

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        """Read a part of an image, any numbers (k, n) or (k, n, 3 or 4); a store with images implements this."""
        raise NotImplementedError

    def _read_section_level(self, name: str, factor: int, lines: slice, columns: slice) -> NDArray[Any]:
        """Read a part of a downsampled copy of an image, in its own px; for stores whose images have `levels`."""
        raise NotImplementedError

    # The store.

    def _read_identity(self) -> str:
        """Return a key that changes with each write to the store; by default a new one at each opening."""
        return f"{self.uri}#{uuid4().hex}"

    def _read_obs_identity(self) -> str | None:
        """Return a key of the cells in their order that survives changes of other columns; by default None."""
        return None

    def _read_content_identity(self) -> str | None:
        """Return a digest of an object in memory, equal for equal objects; None if `identity` suffices."""
        return None

    def _read_details(self) -> dict[str, Any]:
        """Return further details, such as version and layout, as JSON; by default nothing."""
        return {}

    def _read_sizes(self) -> dict[str, int]:
        """Return bytes on disk of each array, by its path in the store; by default empty."""
        return {}

    @property
    def reads_ahead(self) -> bool:
        """Whether a request to remote storage may prefetch data for later reads, so that `traffic` counts more reads.

        Examples
        --------
        >>> dataset.reads_ahead
        False
        """
        return False

    def _read_traffic(self) -> Traffic | None:
        """Return the traffic of the store since it was opened; by default None: not counted."""
        return None

    def _release(self) -> None:
        """Close open files; called once, when no read is running."""
