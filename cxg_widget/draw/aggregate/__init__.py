"""Draws a view as an image: points in Morton order become planes, planes become pixels, pixels a PNG file."""

from cxg_widget.draw.aggregate.by_datashader import PixelNumbers, is_at_hand, reduce_pixels
from cxg_widget.draw.aggregate.canvas import Aggregator, CountImages, aggregate
from cxg_widget.draw.aggregate.image_columns import (
    CategoryColumn,
    NumberColumn,
    SparseColumn,
    ViewColumn,
    arrange,
    arrange_codes,
    arrange_mask,
    arrange_vector,
)
from cxg_widget.draw.aggregate.leaning import leaning_means
from cxg_widget.draw.aggregate.opacity import opacity
from cxg_widget.draw.aggregate.planes import Planes, Statistic, part_of
from cxg_widget.draw.aggregate.reductions import columns_of, reduction_of
from cxg_widget.draw.aggregate.shading import NumberImage, number_image, pixel_image, shade
from cxg_widget.draw.aggregate.warming import warm_up

__all__ = [
    "Aggregator",
    "CategoryColumn",
    "CountImages",
    "NumberColumn",
    "NumberImage",
    "PixelNumbers",
    "Planes",
    "SparseColumn",
    "Statistic",
    "ViewColumn",
    "aggregate",
    "arrange",
    "arrange_codes",
    "arrange_mask",
    "arrange_vector",
    "columns_of",
    "is_at_hand",
    "leaning_means",
    "number_image",
    "opacity",
    "part_of",
    "pixel_image",
    "reduce_pixels",
    "reduction_of",
    "shade",
    "warm_up",
]
