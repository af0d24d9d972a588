"""Variables of a dataspace, each with its array, attribute and dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cxg_widget.datasets.tiledb_cf.encoding import Encoding

_ATTR, _DIM = "__tiledb_attr.", "__tiledb_dim."


@dataclass(frozen=True, eq=False)
class Variable:
    """One attribute of an array, or a dimension.

    dims : names of its dimensions, in the array's order
    encoding : how its stored values are decoded
    path, attr : array and attribute that store it; "" and None for positions along a dimension, which are not stored
    is_dim : whether `attr` is a dimension of a sparse array
    attributes : metadata such as units and long_name
    text : whether it stores single letters, so that the letters along its last dimension form one text
    """

    name: str
    dims: tuple[str, ...]
    encoding: Encoding
    path: str = ""
    attr: str | None = None
    is_dim: bool = False
    sparse: bool = False
    attributes: Mapping[str, Any] = field(default_factory=dict)
    text: bool = False

    @property
    def is_numeric(self) -> bool:
        """Whether its values can be colored as numbers."""
        return self.encoding.kind in ("int", "float", "boolean")

    def text_of(self, key: str) -> str:
        """Return a text attribute; "" if there is none."""
        value = self.attributes.get(key)
        return value.strip() if isinstance(value, str) else ""


def plain(name: str) -> str:
    """Return the name of an attribute or a dimension without ".data" or ".index"."""
    for suffix in (".data", ".index"):
        if name.endswith(suffix) and name != suffix:
            return name.removesuffix(suffix)
    return name


def is_of_xarray(attrs: Sequence[str], member: str | None) -> bool:
    """Return whether an array shows that xarray's writer wrote the store: it has one attribute, "lat_" in member "lat".

    That writer names each array after its single variable, and the attribute may have any name. Other writers name
    the attributes after the variables, not the arrays.
    """
    return list(attrs) == [f"{member}_"]


def attributes_of(metadata: Mapping[str, Any], names: list[str], *, dims: bool = False) -> dict[str, dict[str, Any]]:
    """Return the attributes of each variable (or dimension) from the metadata of its array.

    Keys are "__tiledb_attr.NAME.KEY". A name may contain dots, so the longest matching name counts.
    """
    prefix = _DIM if dims else _ATTR
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in metadata.items():
        if key.startswith(prefix):
            rest = key.removeprefix(prefix)
            fitting = [name for name in names if rest.startswith(f"{name}.")]
            if fitting:
                name = max(fitting, key=len)
                found[name][rest[len(name) + 1 :]] = value
    return found
