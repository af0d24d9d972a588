"""The contract of a store: what it fills in and what it reads; `Dataset` derives everything else from it."""

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
"""The layer that holds the values before X was scaled, as AnnData names it."""

PLACEHOLDER = re.compile(r"name_\d+")
"""A name that writers of CXG give to an index without a name: name_0, name_1, ..."""


Form = Literal["pandas", "polars", "arrow"]
"""What results are: DataFrames of pandas or polars, or tables of Arrow."""


class Contract(MatrixContract):
    """Attributes that a store sets in `__init__`, where it reads only schemas and metadata, and methods it implements.

    A `_read` method may be called by several threads at once. The store is then held open; names, positions, rows and
    axes exist. It raises `InvalidStore` for what contradicts itself and `DamagedStore` for data that are promised and
    cannot be read, each one sentence with the path. Only `_read_obs`, and `_read_embedding` or its block, must be
    there; a store with vars implements methods of `MatrixContract` too. What a store calls,
    `_note`, `_tell_progress`, `_cached`, `_read_once` and `_reading`, are methods of its `Lifetime`.

    Attributes
    ----------
    format : the word that `open_dataset(format=)` takes
    uri : where the store is, as it was given
    title : the store's own title, else the last part of its path
    n_obs, n_var : the shape
    obs_columns, var_columns : the columns in the store's order, without the index columns
    obs_index, var_index : the name of the index column, None where the store has none
    alias_columns, id_columns : var columns of readable names and of identifiers, by which a var is found too
    missing_text : text that stands for a missing value in columns of text and categories; None = there is none
    layers : names of alternatives to the main matrix
    modalities : of a dataset of several, side by side in the main matrix: each has layers of its own, "NAME:X" first
    major_axis : along which the store reads neighbouring lines of the matrix fast
    embeddings : name to number of axes, at least 2
    default_embedding : the embedding to show first, None where there is none
    default_color : what to color by where nobody says, as "obs:NAME" or "var:NAME"; None = nothing
    given_as : the form of results where nobody names one, as `table.forms` has them
    obs_noun, var_noun, set_noun : what the observations, the vars and sets of vars are called; None = there are no sets
    is_remote : whether a read waits for storage far away, so that several are made side by side
    by_view : what the store tells of an embedding before all of it is read; by default nothing
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
    """Why there is none, where there is none; `_unusable` has a sentence for each embedding that cannot be shown."""
    _in_blocks: ClassVar[bool] = True
    """Whether a whole column is read in blocks of rows, so that only the result has its size."""
    _holds_text: ClassVar[bool] = False
    """Whether strings that come packed are read whole so fast that they are held for single rows."""

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
        # Titles come from strangers' files, and from URLs that may hold a token.
        self._title = repaired(redacted(title))
        if self._title != redacted(title):
            self._note(note_of("the title"))

    def index_name(self, table: Table) -> str | None:
        """Return the name of the index of obs or var as a DataFrame, None = no name; by default as stored.

        Examples
        --------
        >>> dataset.index_name("obs") == dataset.obs().index.name
        True
        """
        return self.obs_index if table == "obs" else self.var_index

    # Obs.

    @abstractmethod
    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Read one obs column, the index column included, in the order of `rows` (None = all).

        Categorical columns come as `Codes` with all of the column's categories whatever the rows; booleans as bool,
        numbers in their own type, strings as objects of str or packed, all (k,).
        """

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        """Read the rows start <= row < stop of a column, as `_read_obs` does; by default by it."""
        return self._read_obs(name, np.arange(start, stop))

    def _read_obs_alone(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        """Read a few rows of a column, whose categories may be their own only; by default by `_read_obs`."""
        return self._read_obs(name, rows)

    def _read_codes(self, name: str) -> Codes | None:  # noqa: ARG002
        """Return a whole obs column of strings as codes into its sorted values; by default None: by its strings."""
        return None

    def _read_frame(self, rows: NDArray[np.int64], columns: Any) -> Any:  # noqa: ARG002
        """Return rows in the type that the store was given in, all columns or some by name; by default None: as obs."""
        return None

    def _packs(self, name: str) -> bool:  # noqa: ARG002
        """Say whether an obs column comes as `PackedStrings` where it is read whole, to be kept; by default not."""
        return False

    def _category_colors(self, column: str) -> Mapping[str, str]:  # noqa: ARG002
        """Return the colors of labels of an obs column, label to "#rrggbb"; by default none."""
        return {}

    # Embeddings.

    def _find_pair(self, name: str | Sequence[str]) -> str | tuple[str, ...] | None:  # noqa: ARG002
        """Return the embedding of two columns, or the two columns of a name that is made of them; by default None."""
        return None

    def _read_embedding(self, name: str, axes: tuple[int, int]) -> NDArray[Any]:
        """Read two axes of an embedding, any numeric (n_obs, 2). A store implements this or the block."""
        raise NotImplementedError

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        """Read rows of two axes, any numeric (stop - start, 2); by default from all."""
        return self._read_embedding(name, axes)[start:stop]

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:  # noqa: ARG002
        """Return the labels of two axes with different units; by default None: both share their unit."""
        return None

    def _axis_names(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        """Return the names of two axes that share their unit, None = no names; by default as scanpy names them."""
        return axis_names(name, axes)

    # Sections.

    def _read_sections(self) -> Sections:
        """Return the images of the sections that the cells lie on, without reading any; by default none."""
        return Sections()

    def _read_spot_widths(self) -> NDArray[np.float32] | None:
        """Return what `Dataset.spot_widths` does; by default None: all spots are as wide as `Sections.spot`."""
        return None

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        """Read a part of an image, any numbers (k, n) or (k, n, 3 or 4); a store with images implements this."""
        raise NotImplementedError

    def _read_section_level(self, name: str, factor: int, lines: slice, columns: slice) -> NDArray[Any]:
        """Read a part of a coarser copy of an image, in its own px; for stores whose images have `levels`."""
        raise NotImplementedError

    # The store.

    def _read_identity(self) -> str:
        """Return a key that changes when the store is written to; by default a new one at each opening."""
        return f"{self.uri}#{uuid4().hex}"

    def _read_obs_identity(self) -> str | None:
        """Return a key of the cells in their order that outlives changes of other columns; by default None."""
        return None

    def _read_content_identity(self) -> str | None:
        """Return a digest of an object in memory, equal for equal objects; None where `identity` is enough."""
        return None

    def _read_details(self) -> dict[str, Any]:
        """Return further details, such as version and layout, fit for JSON; by default nothing."""
        return {}

    def _read_sizes(self) -> dict[str, int]:
        """Return bytes on disk of each array, by its path in the store; by default of none."""
        return {}

    @property
    def reads_ahead(self) -> bool:
        """Whether a request to storage far away may bring what later reads want, so that `traffic` has more reads.

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
        """Close what is open; called once, when nobody reads any more."""
