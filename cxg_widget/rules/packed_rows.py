"""The rule of some rows, as one bit each."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue

_KEYS = ("rows", "n_obs", "identity")


class PackedRows(Mapping[str, Any]):
    """The rule {rows, n_obs, identity}; its text, base64 of the bits, is made on demand.

    bits : as packed by `pack_mask`, uint8 (ceil(n_obs / 8),); immutable
    n_obs, identity : of the dataset of the rows
    """

    def __init__(self, bits: NDArray[np.uint8], n_obs: int, identity: str) -> None:
        self.bits, self.n_obs, self.identity = bits, n_obs, identity
        self.bits.flags.writeable = False

    @classmethod
    def of(cls, rule: Mapping[str, Any]) -> Self:
        """Return a rule of rows that `check_rule` accepted; raises `InvalidValue` if its text is not base64."""
        try:
            packed = base64.b64decode(rule["rows"], validate=True)
        except ValueError:  # including binascii.Error
            raise InvalidValue("packed rows must be base64.") from None
        bits, n_last = np.frombuffer(packed, dtype=np.uint8), rule["n_obs"] % 8
        if n_last and bits[-1] >> n_last:  # bits of cells that do not exist
            bits = bits.copy()
            bits[-1] &= (1 << n_last) - 1
        return cls(bits, rule["n_obs"], rule["identity"])

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.bits.nbytes

    def __getitem__(self, key: str) -> Any:
        if key == "rows":
            return base64.b64encode(self.bits.data).decode("ascii")
        if key in _KEYS:
            return getattr(self, key)
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key in _KEYS

    def __iter__(self) -> Iterator[str]:
        return iter(_KEYS)

    def __len__(self) -> int:
        return len(_KEYS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedRows):
            return isinstance(other, Mapping) and dict(self) == other
        mine, theirs = (self.n_obs, self.identity), (other.n_obs, other.identity)
        return mine == theirs and (self.bits is other.bits or np.array_equal(self.bits, other.bits))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<rows of {self.n_obs:,}>"


def as_json(one: object) -> dict[str, Any]:
    """Encode packed rows for `json.dumps(default=)`; raises `TypeError` for anything else."""
    if isinstance(one, PackedRows):
        return dict(one)
    raise TypeError(f"{type(one).__name__} is no JSON")
