"""What lies in a view, as an image: points in Morton order become planes, planes become pixels, pixels a PNG file."""

from cxg_widget.aggregate.canvas import CountImages, Statistic, aggregate
from cxg_widget.aggregate.columns import (
    CategoryColumn,
    NumberColumn,
    SparseColumn,
    ViewColumn,
    arrange,
    arrange_codes,
    arrange_mask,
    arrange_vector,
)
from cxg_widget.aggregate.images import encode_rgba, encode_values
from cxg_widget.aggregate.opacity import Scaling, opacity
from cxg_widget.aggregate.planes import Planes
from cxg_widget.aggregate.shading import NumberImage, number_image, shade
from cxg_widget.aggregate.warming import warm_up

__all__ = [
    "CategoryColumn",
    "CountImages",
    "NumberColumn",
    "NumberImage",
    "Planes",
    "Scaling",
    "SparseColumn",
    "Statistic",
    "ViewColumn",
    "aggregate",
    "arrange",
    "arrange_codes",
    "arrange_mask",
    "arrange_vector",
    "encode_rgba",
    "encode_values",
    "number_image",
    "opacity",
    "shade",
    "warm_up",
]
