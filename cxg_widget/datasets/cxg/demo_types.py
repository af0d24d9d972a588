"""The cell types of the synthetic demo data: their shares, colors, and the shapes they take in the embedding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CellType:
    """One synthetic cell type.

    name : as written to the store
    share : relative number of cells
    color : "#rrggbb"
    counts : median number of transcripts of a cell
    path : control points (x, y, half width) of the Bézier curve that the type follows in the embedding
    """

    name: str
    share: float
    color: str
    counts: float
    path: tuple[tuple[float, float, float], ...]


CELL_TYPES: tuple[CellType, ...] = (
    CellType(
        "CD14+ monocyte", 17, "#d9612e", 5200, ((5.6, 4.2, 0.7), (6.6, 8.2, 1.9), (10.6, 7.6, 1.8), (11.2, 3.6, 0.5))
    ),
    CellType("CD4+ naive T cell", 17, "#3b7ddd", 3300, ((-8.0, 3.6, 0.6), (-6.6, 7.6, 1.8), (-2.8, 6.6, 1.2))),
    CellType("CD4+ memory T cell", 14, "#6aaef0", 3600, ((-3.4, 6.9, 1.1), (0.6, 5.6, 1.5), (-2.4, 1.9, 0.6))),
    CellType(
        "NK cell", 9.5, "#b33f62", 3000, ((-2.6, -1.0, 0.4), (0.6, -3.4, 1.4), (-2.6, -6.6, 1.3), (-4.8, -4.6, 0.4))
    ),
    CellType("CD8+ effector T cell", 9, "#7a5195", 3500, ((-6.2, 0.2, 0.7), (-4.2, -2.4, 1.3), (-2.0, -0.2, 1.0))),
    CellType("naive B cell", 8, "#2e8b57", 3200, ((2.9, -6.6, 0.5), (5.4, -3.6, 1.7), (7.6, -6.0, 0.7))),
    CellType("CD8+ naive T cell", 7, "#9f86d6", 3200, ((-8.1, 3.9, 0.5), (-8.4, 1.4, 1.3), (-5.9, 0.2, 0.7))),
    CellType("memory B cell", 4, "#8fc98b", 3500, ((7.4, -5.9, 0.6), (9.4, -6.9, 1.0), (7.6, -8.9, 0.4))),
    CellType("FCGR3A+ monocyte", 4, "#f2a65a", 4700, ((11.2, 3.7, 0.3), (13.0, 1.2, 1.2), (10.0, -0.2, 0.5))),
    CellType("regulatory T cell", 2.4, "#17a2b8", 3700, ((-0.8, 5.4, 0.4), (0.9, 7.1, 0.6), (2.0, 5.7, 0.2))),
    CellType("dendritic cell", 1.6, "#e3b505", 6500, ((5.9, 4.3, 0.25), (4.4, 2.6, 0.8), (6.4, 0.8, 0.5))),
    CellType(
        "proliferating lymphocyte", 1.0, "#5b6770", 8500, ((-4.6, -1.6, 0.3), (-8.2, -2.0, 0.5), (-7.2, -5.0, 0.3))
    ),
    CellType("platelet", 0.9, "#c2b280", 900, ((12.9, 8.9, 0.3), (14.6, 8.5, 0.5), (14.4, 6.9, 0.12))),
    CellType("plasma cell", 0.7, "#0b6e4f", 9500, ((11.0, -8.9, 0.3), (12.2, -8.6, 0.5), (12.4, -7.4, 0.15))),
    CellType(
        "plasmacytoid dendritic cell", 0.6, "#ef8fb5", 5600, ((2.4, -1.4, 0.35), (3.6, -1.0, 0.45), (4.0, -2.2, 0.2))
    ),
    CellType("hematopoietic stem cell", 0.4, "#8c564b", 6000, ((1.2, 1.8, 0.55), (2.2, 2.9, 0.3), (4.6, 2.7, 0.1))),
)

NAMES: tuple[str, ...] = tuple(cell_type.name for cell_type in CELL_TYPES)
