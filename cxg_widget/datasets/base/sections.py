"""Images of tissue sections: which there are, how they lie under an embedding, and parts of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore, InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.contract import Contract
    from cxg_widget.spatial.view import Extent

VISIUM_SPOT_UM = 55.0
"""Width of a Visium spot."""
TILE_PX = 2048
"""Images are read in tiles so wide and high, at multiples of this, where the chunks of most writers end too."""
MOST_STEP = 2048
"""Px that become one at most, both ways: a tile is at least a step wide."""
MOST_PX = 2**34
"""Largest image, 131,072 px a side. A store that declares more is damaged, or hostile."""
_PLAUSIBLE = (1e-9, 1e9)
"""Scale factors, micrometres and widths of spots: beyond these, places and lengths on the screen overflow."""
_BEST_FIRST = ("hires", "lowres", "fullres")
_CHANNELS = (3, 4)
_Place = TypeVar("_Place", float, NDArray[np.float64])
_SIDES = 2


@dataclass(frozen=True)
class SectionImage:
    """An image of a section.

    Attributes
    ----------
    shape : px high and wide
    scale : px of the image for one unit of the coordinates
    spot : how wide a spot of its library is, in units of the coordinates; None = that is not known
    um : how many micrometres a unit is there; None = that is not known
    origin : where the middle of its first px lies, x and y; 0, 0 as matplotlib and scanpy have it
    levels : how many px of the image both ways are one of a coarser copy that the store holds too; ascending, 1 first
    outline : where the corners of the photograph lie in the coordinates, in order, if it is turned there; what lies
        beyond is no part of it; () = it fills the image

    Examples
    --------
    >>> from cxg_widget.datasets.base.sections import SectionImage
    >>> SectionImage((100, 200), scale=0.5).extent
    (-1.0, 399.0, -1.0, 199.0)
    """

    shape: tuple[int, int]
    scale: float
    spot: float | None = None
    um: float | None = None
    origin: tuple[float, float] = (0.0, 0.0)
    levels: tuple[int, ...] = (1,)
    outline: tuple[tuple[float, float], ...] = ()

    @property
    def extent(self) -> Extent:
        """x0, x1, y0, y1 of its edges, in units of the coordinates; its first line lies at y0.

        Examples
        --------
        >>> from cxg_widget.datasets.base.sections import SectionImage
        >>> SectionImage((100, 200), scale=1.0, origin=(10.0, 10.0)).extent
        (9.5, 209.5, 9.5, 109.5)
        """
        return self.extent_of((0, self.shape[0]), (0, self.shape[1]))

    def extent_of(self, lines: tuple[int, int], columns: tuple[int, int]) -> Extent:
        """Return the edges of a part, from a line or column to the one before which it ends."""
        x0, x1, y0, y1 = ((edge - 0.5) / self.scale for edge in (*columns, *lines))
        return x0 + self.origin[0], x1 + self.origin[0], y0 + self.origin[1], y1 + self.origin[1]

    def px_at(self, place: _Place, axis: int) -> _Place:
        """Return how many px lie before a place along x (0) or y (1), in units of the coordinates."""
        return (place - self.origin[axis]) * self.scale + 0.5

    def covers(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which places lie in the outline, in units of the coordinates."""
        corner, along, _, down = (np.array(one) for one in self.outline)
        sides = np.linalg.inv(np.column_stack([along - corner, down - corner]))
        shares = np.tensordot(sides, np.stack(np.broadcast_arrays(x - corner[0], y - corner[1])), 1)
        return np.asarray(((shares >= 0) & (shares <= 1)).all(axis=0))


@dataclass(frozen=True)
class Sections:
    """The tissue sections of a store.

    Attributes
    ----------
    images : by name, "library/resolution"; the one to show first comes first
    faults : of images that cannot be shown, why
    spot : how wide a spot of the first library that says so is, in units of the coordinates; None = none does. Where
        each cell has a width of its own, their median
    um : how many micrometres a unit is in the first library that says so; None = none does

    Examples
    --------
    >>> dataset.sections().um is None
    True
    """

    images: Mapping[str, SectionImage] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    spot: float | None = None
    um: float | None = None

    def spot_on(self, name: str | None) -> float | None:
        """Return the width of a spot by the library of the image shown, or without an image by the first library."""
        image = self.images.get(name or "")
        return self.spot if image is None else image.spot


@dataclass(frozen=True)
class Library:
    """One entry of `uns["spatial"]`, as it was found.

    Attributes
    ----------
    images : shape and kind of dtype of each array, by resolution
    factors : its scale factors; what is no number is left out
    faults : of images that declare more than the store can hold, why they cannot be shown, by resolution
    """

    name: str
    images: Mapping[str, tuple[tuple[int, ...], str]]
    factors: Mapping[str, float]
    faults: Mapping[str, str] = field(default_factory=dict)


def sections_of(libraries: list[Library]) -> Sections:
    """Return the sections of libraries, the best image of the first library first."""
    images: dict[str, SectionImage] = {}
    faults: dict[str, str] = {}
    for library in libraries:
        order = {name: at for at, name in enumerate(_BEST_FIRST)}
        for resolution in sorted(library.images, key=lambda one: (order.get(one, len(order)), one)):
            name = f"{library.name}/{resolution}"
            found = _image(library, resolution)
            if isinstance(found, str):
                faults[name] = f"the image {name!r} of the section cannot be shown: {found}."
            else:
                images[name] = found
    spots = [spot for library in libraries if (spot := _spot_of(library.factors)) is not None]
    sizes = [size for library in libraries if (size := _um_of(library.factors)) is not None]
    return Sections(images, faults, spots[0] if spots else None, sizes[0] if sizes else None)


def _image(library: Library, resolution: str) -> SectionImage | str:
    """Return an image, or in a few words why it cannot be shown."""
    shape, kind = library.images[resolution]
    factor = f"tissue_{resolution}_scalef"
    is_grey = len(shape) == _SIDES
    if not (is_grey or (len(shape) == _SIDES + 1 and shape[2] in _CHANNELS)) or 0 in shape:
        return f"its shape is {shape}; it must be (height, width, 3)"
    if resolution in library.faults:
        return library.faults[resolution]
    if shape[0] * shape[1] > MOST_PX:
        return f"it declares {shape[0]:,} x {shape[1]:,} px; at most {MOST_PX:,} can be shown"
    if kind not in "uf":
        return "its values must be uint8, or numbers from 0 to 1"
    scale = library.factors.get(factor, 1.0 if resolution == "fullres" else 0.0)
    if not _is_plausible(scale):
        known = ", ".join(sorted(library.factors)) or "none"
        return f"its scale factor {factor!r} is missing or is not a positive number of plausible size (found: {known})"
    return SectionImage((shape[0], shape[1]), float(scale), _spot_of(library.factors), _um_of(library.factors))


def _spot_of(factors: Mapping[str, float]) -> float | None:
    spot = factors.get("spot_diameter_fullres", 0.0)
    return spot if _is_plausible(spot) else None


def _is_plausible(length: float) -> bool:
    return _PLAUSIBLE[0] <= length <= _PLAUSIBLE[1]


def _um_of(factors: Mapping[str, float]) -> float | None:
    """Return the micrometres of a unit: as stated, or by the width of a spot of Visium."""
    stated = factors.get("microns_per_pixel", 0.0)
    if _is_plausible(stated):
        return float(stated)
    spot = factors.get("spot_diameter_fullres", 0.0)
    # Readers of other machines write a spot of 1 or so, or none, for want of one.
    return VISIUM_SPOT_UM / spot if 1 < spot <= _PLAUSIBLE[1] and "transformation_matrix" not in factors else None


class SectionImages:
    """The images of the sections of a store."""

    def __init__(self, store: Contract) -> None:
        self._store = store

    def sections(self) -> Sections:
        """Return the sections that the cells lie on, without reading an image.

        Examples
        --------
        >>> dataset.sections().images
        {}
        """
        with self._store._reading():
            found: Sections = self._store._read_once("sections", self._store._read_sections)
            return found

    def spot_widths(self) -> NDArray[np.float32] | None:
        """Return how wide each cell is on its section, such as the circles of Xenium's cells; None = all alike.

        Returns
        -------
        float32 (n_obs,), in units of the coordinates; NaN = as wide as `sections().spot`, 0 = drawn smallest

        Examples
        --------
        >>> dataset.spot_widths() is None
        True
        """
        with self._store._reading():
            return self._store._read_spot_widths()

    def section_image(
        self, name: str, lines: tuple[int, int], columns: tuple[int, int], step: int = 1,
        check: Callable[[], object] = lambda: None,
    ) -> NDArray[np.uint8]:  # fmt: skip
        """Read a part of an image, in tiles, so that large ones take no more memory than small ones.

        Parameters
        ----------
        lines, columns : the first, and the one before which it ends; it is cut to the image
        step : px of the image that become one, both ways: their mean, uint8; at most 2,048
        check : called before each tile; what it raises ends the reading

        Returns
        -------
        uint8 (ceil(lines / step), ceil(columns / step), 3)

        Raises
        ------
        InvalidValue
            If the step is not from 1 to 2,048.
        UnknownName, InvalidStore
            If there is no such image, or it cannot be shown.
        DamagedStore
            If it cannot be read.

        Examples
        --------
        >>> [dataset.section_image(name, (0, 512), (0, 512), step=2) for name in dataset.sections().images]
        []
        """
        if not 1 <= step <= MOST_STEP:
            raise InvalidValue(f"step must be from 1 to {MOST_STEP:,} px; found {shown(step)}")
        image = self.find_image(name)
        (top, bottom), (left, right) = (
            (max(low, 0), min(high, n)) for (low, high), n in zip((lines, columns), image.shape, strict=True)
        )
        factor = max(one for one in image.levels if step % one == 0)
        rows = []
        with self._store._reading():
            for above, below in _cuts(top, bottom, step, factor):
                row = []
                for start, stop in _cuts(left, right, step, factor):
                    check()
                    part = self._read(name, factor, (above, below), (start, stop))
                    row.append(_means(_as_rgb(part), step // factor))
                rows.append(np.concatenate(row, axis=1) if row else np.empty((0, 0, 3), dtype=np.uint8))
        return np.concatenate(rows) if rows else np.empty((0, 0, 3), dtype=np.uint8)

    def _read(self, name: str, factor: int, lines: tuple[int, int], columns: tuple[int, int]) -> NDArray[Any]:
        if factor == 1:
            return self._store._read_section_image(name, slice(*lines), slice(*columns))
        ends = [(start // factor, -(-stop // factor)) for start, stop in (lines, columns)]
        # A coarser copy leaves out the px at its edges that are not a whole one of its own; its last ones go on there.
        last = [max(n // factor - 1, 0) for n in self.find_image(name).shape]
        there = [slice(min(start, most), stop) for (start, stop), most in zip(ends, last, strict=True)]
        found = self._store._read_section_level(name, factor, *there)
        lacking = [(0, stop - start - n) for (start, stop), n in zip(ends, found.shape, strict=False)]
        return np.pad(found, [*lacking, *[(0, 0)] * (found.ndim - 2)], mode="edge") if any(map(sum, lacking)) else found

    def find_image(self, name: str) -> SectionImage:
        """Return an image by its name; raises as `section_image`.

        Examples
        --------
        >>> [dataset.find_image(name).shape for name in dataset.sections().images]
        []
        """
        sections = self.sections()
        if name in sections.faults:
            raise InvalidStore(f"{self._store.uri}: {sections.faults[name]}")
        if name not in sections.images:
            raise UnknownName(not_found("image of a section", name, sections.images))
        return sections.images[name]


def _cuts(first: int, end: int, step: int, factor: int) -> Iterator[tuple[int, int]]:
    """Yield from where to where tiles lie, whole steps each but for the last; of a coarser copy they are as many px."""
    long = max(TILE_PX * factor // step, 1) * step
    while first < end:
        left = long - first % long
        stop = min(first + (left if left % step == 0 else long), end)
        yield first, stop
        first = stop


def _as_rgb(part: NDArray[Any]) -> NDArray[np.uint8]:
    """Return px as matplotlib shows them: whole numbers of a byte as they are, others from 0 to 1."""
    if part.ndim == _SIDES:
        part = np.repeat(part[:, :, None], 3, axis=2)
    if part.dtype.kind == "f":
        found = np.rint(np.clip(np.nan_to_num(part[..., :3].astype(np.float32), nan=1.0), 0, 1) * 255)
    elif part.dtype.itemsize > 1:
        found = part[..., :3] / (np.iinfo(part.dtype).max / 255)
    else:
        found = part[..., :3]
    return np.asarray(found, dtype=np.uint8)


def _means(part: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Return the means of squares of px; at the edges those of what is left of a square."""
    if step == 1:
        return part
    starts = [np.arange(0, n, step) for n in part.shape[:2]]
    high, wide = (np.minimum(first + step, n) - first for first, n in zip(starts, part.shape[:2], strict=True))
    # Wider than the bytes of the image, which would wrap.
    sums = np.add.reduceat(part, starts[0], axis=0, dtype=np.uint32)
    sums = np.add.reduceat(sums, starts[1], axis=1, dtype=np.uint64)
    return np.asarray(np.rint(sums / np.multiply.outer(high, wide)[..., None]), dtype=np.uint8)
