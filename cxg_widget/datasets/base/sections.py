"""Tissue images: list, geometry under an embedding, and parts of images."""

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
"""Diameter of a Visium spot."""
TILE_PX = 2048
"""Images are read in tiles of this size, at multiples of it, where the chunks of most writers end too."""
MOST_STEP = 2048
"""Largest downsampling factor: a tile is at least a step wide."""
MOST_PX = 2**34
"""Largest image, 131,072 px a side. A store that declares more is damaged, or hostile."""
_PLAUSIBLE = (1e-9, 1e9)
"""Limits of scale factors, micrometers and diameters of spots; beyond, coordinates on the screen overflow."""
_BEST_FIRST = ("hires", "lowres", "fullres")
_CHANNELS = (3, 4)
_Place = TypeVar("_Place", float, NDArray[np.float64])
_SIDES = 2


@dataclass(frozen=True)
class SectionImage:
    """A tissue image.

    Attributes
    ----------
    shape : height and width, px
    scale : px of the image per unit of the coordinates
    spot : diameter of a spot of its library, in units of the coordinates; None = unknown
    um : micrometers per unit; None = unknown
    origin : coordinates of the center of its first px, x and y; 0, 0 as in matplotlib and scanpy
    levels : downsampling factors of copies in the store; ascending, 1 first
    outline : coordinates of the corners of the photograph, in order, if it is rotated in the image; () = it fills the
        image

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
        """x0, x1, y0, y1 of its edges, in units of the coordinates; its first line is at y0.

        Examples
        --------
        >>> from cxg_widget.datasets.base.sections import SectionImage
        >>> SectionImage((100, 200), scale=1.0, origin=(10.0, 10.0)).extent
        (9.5, 209.5, 9.5, 109.5)
        """
        return self.extent_of((0, self.shape[0]), (0, self.shape[1]))

    def extent_of(self, lines: tuple[int, int], columns: tuple[int, int]) -> Extent:
        """Return the edges of a part, given start and stop of its lines and columns."""
        x0, x1, y0, y1 = ((edge - 0.5) / self.scale for edge in (*columns, *lines))
        return x0 + self.origin[0], x1 + self.origin[0], y0 + self.origin[1], y1 + self.origin[1]

    def px_at(self, place: _Place, axis: int) -> _Place:
        """Return the number of px before a coordinate along x (0) or y (1)."""
        return (place - self.origin[axis]) * self.scale + 0.5

    def covers(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which coordinates are in the outline."""
        corner, along, _, down = (np.array(one) for one in self.outline)
        sides = np.linalg.inv(np.column_stack([along - corner, down - corner]))
        shares = np.tensordot(sides, np.stack(np.broadcast_arrays(x - corner[0], y - corner[1])), 1)
        return np.asarray(((shares >= 0) & (shares <= 1)).all(axis=0))


@dataclass(frozen=True)
class Sections:
    """The tissue images of a store.

    Attributes
    ----------
    images : {"library/resolution": image}, the default first
    faults : reasons why images cannot be shown, by name
    spot : diameter of a spot of the first library that states it, in units of the coordinates; None = unknown. If cells
        have their own diameters, their median
    um : micrometers per unit in the first library that states it; None = unknown

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
        """Return the diameter of a spot by the library of the shown image, or without an image by the first library."""
        image = self.images.get(name or "")
        return self.spot if image is None else image.spot


@dataclass(frozen=True)
class Library:
    """One entry of `uns["spatial"]`, as found.

    Attributes
    ----------
    images : shape and kind of dtype of each array, by resolution
    factors : its scale factors that are numbers
    faults : reasons why images cannot be shown, if they declare more than the store can hold, by resolution
    """

    name: str
    images: Mapping[str, tuple[tuple[int, ...], str]]
    factors: Mapping[str, float]
    faults: Mapping[str, str] = field(default_factory=dict)


def sections_of(libraries: list[Library]) -> Sections:
    """Return the tissue images of libraries, the best image of the first library first."""
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
    """Return an image, or a short reason why it cannot be shown."""
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
    """Return the micrometers per unit: as stated, or from the diameter of a Visium spot."""
    stated = factors.get("microns_per_pixel", 0.0)
    if _is_plausible(stated):
        return float(stated)
    spot = factors.get("spot_diameter_fullres", 0.0)
    # Readers of other platforms write a spot of about 1, or none.
    return VISIUM_SPOT_UM / spot if 1 < spot <= _PLAUSIBLE[1] and "transformation_matrix" not in factors else None


class SectionImages:
    """The tissue images of a store."""

    def __init__(self, store: Contract) -> None:
        self._store = store

    def sections(self) -> Sections:
        """Return the list of tissue images, without reading one.

        Examples
        --------
        >>> dataset.sections().images
        {}
        """
        with self._store._reading():
            found: Sections = self._store._read_once("sections", self._store._read_sections)
            return found

    def spot_widths(self) -> NDArray[np.float32] | None:
        """Return the diameter of each cell on its tissue image, such as that of Xenium's circles; None = all equal.

        Returns
        -------
        float32 (n_obs,), in units of the coordinates; NaN = as `sections().spot`, 0 = the smallest drawn size

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
        """Read a part of an image in tiles, with bounded memory.

        Parameters
        ----------
        name : one of the images of the section
        lines, columns : start and stop; clipped to the image
        step : downsampling factor in both directions, by the mean, uint8; at most 2,048
        check : called before each tile; an exception from it ends the read

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
        # A downsampled copy lacks a partial last px at its edges; its last px is repeated there.
        last = [max(n // factor - 1, 0) for n in self.find_image(name).shape]
        there = [slice(min(start, most), stop) for (start, stop), most in zip(ends, last, strict=True)]
        found = self._store._read_section_level(name, factor, *there)
        missing = [(0, stop - start - n) for (start, stop), n in zip(ends, found.shape, strict=False)]
        return np.pad(found, [*missing, *[(0, 0)] * (found.ndim - 2)], mode="edge") if any(map(sum, missing)) else found

    def find_image(self, name: str) -> SectionImage:
        """Return an image by name; raises as `section_image`.

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
    """Yield start and stop of tiles, whole steps each except the last; of a downsampled copy they have as many px."""
    long = max(TILE_PX * factor // step, 1) * step
    while first < end:
        left = long - first % long
        stop = min(first + (left if left % step == 0 else long), end)
        yield first, stop
        first = stop


def _as_rgb(part: NDArray[Any]) -> NDArray[np.uint8]:
    """Return px as matplotlib shows them: uint8 unchanged, other numbers as 0 to 1."""
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
    """Return the means of squares of px; at the edges, of partial squares."""
    if step == 1:
        return part
    starts = [np.arange(0, n, step) for n in part.shape[:2]]
    high, wide = (np.minimum(first + step, n) - first for first, n in zip(starts, part.shape[:2], strict=True))
    # Wider than uint8, which would overflow.
    sums = np.add.reduceat(part, starts[0], axis=0, dtype=np.uint32)
    sums = np.add.reduceat(sums, starts[1], axis=1, dtype=np.uint64)
    return np.asarray(np.rint(sums / np.multiply.outer(high, wide)[..., None]), dtype=np.uint8)
