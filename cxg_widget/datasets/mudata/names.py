"""Finds vars of several modalities by name: "rna:CD3E", or "CD3E" if only one modality has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.datasets.mudata.side_by_side import Side


def prefixed(modality: str, name: str) -> str:
    """Return a name with the prefix of its modality, which it may already have."""
    return name if name.startswith(f"{modality}:") else f"{modality}:{name}"


class JointNames(VarNames):
    """The vars of matrices side by side.

    "modality:name" finds a var; the name may be its index label, a readable name or an identifier. The name alone finds
    it if only one modality has it.
    """

    def __init__(self, store: Contract, sides: Sequence[Side], layer: str | None) -> None:
        super().__init__(store)
        self._sides, self._slot = sides, f"names of layer {layer!r}"
        self._names = [side.part.names_in(side.layer) for side in sides]

    @property
    def var_labels(self) -> Sequence[str]:
        """The names with the prefix of their modality, (n_var,)."""
        return self._store._read_once(f"labels, {self._slot}", self._load_var_labels)

    @property
    def var_aliases(self) -> Sequence[str] | None:
        """Readable names (n_var,), without the prefix if no other modality has them."""
        return self._store._read_once(f"aliases, {self._slot}", self._load_var_aliases)

    def explain_name(self, name: str) -> str | None:
        """Explain that several modalities have a name; None if fewer than two do."""
        having = [side.name for side, position in self._having(name) if position is not None]
        if len(having) < 2:
            return None
        choices = " or ".join(repr(prefixed(one, name)) for one in having)
        return f"{name!r} is in the modalities {' and '.join(having)}; name one: {choices}."

    def read_names(self) -> None:
        """Read the names of each modality ahead."""
        for names in self._names:
            names.read_names()

    def _sought(self, name: str) -> int | None:
        for side, names in zip(self._sides, self._names, strict=True):
            # Several modalities may match, since their names may contain colons: "rna" and "rna:v3".
            if name.startswith(f"{side.name}:"):
                found = names._sought(name[len(side.name) + 1 :])
                # mudata makes names unique by the prefix, which the modality's own table then has too.
                found = names._sought(name) if found is None else found
                if found is not None:
                    return side.start + found
        found_in = [(side, position) for side, position in self._having(name) if position is not None]
        return found_in[0][0].start + found_in[0][1] if len(found_in) == 1 else None

    def _having(self, name: str) -> list[tuple[Side, int | None]]:
        return [(side, names._sought(name)) for side, names in zip(self._sides, self._names, strict=True)]

    def _load_var_labels(self) -> Sequence[str]:
        pairs = zip(self._sides, self._names, strict=True)
        return tuple(prefixed(side.name, label) for side, names in pairs for label in names.var_labels)

    def _load_var_aliases(self) -> Sequence[str] | None:
        having: Counter[str] = Counter()
        for names in self._names:
            having.update({*names.var_labels, *(names.var_aliases or ())})
        found = []
        for side, names in zip(self._sides, self._names, strict=True):
            for label, alias in zip(names.var_labels, names.var_aliases or names.var_labels, strict=True):
                name = alias or label
                found.append(name if having[name] == 1 else prefixed(side.name, name))
        return tuple(found)
