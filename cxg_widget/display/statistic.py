"""Statistics of pixels with several cells: by name, or any datashader reduction."""
# Changes with js/src/panels/settings/settings_popover.js: words of a statistic and of density.
# Changes with cxg_widget/draw/aggregate/reductions.py: statistics by name.

from __future__ import annotations

from typing import Any

from cxg_widget.errors import UnknownName
from cxg_widget.text.names import not_found

OF_CELLS = ("auto", "mean", "max")
"""Statistics within the range of the cells' values, which points can show like images."""
OF_PIXELS = {"min": "lowest", "sum": "sum", "std": "standard deviation", "var": "variance", "count": "count"}
"""Statistics with another range, or that need all cells of a pixel: always drawn by the kernel."""
STATISTICS = (*OF_CELLS, *OF_PIXELS)


def describe_statistic(statistic: Any) -> str:
    """Return a statistic in words, for the legend."""
    return OF_PIXELS.get(statistic, statistic) if isinstance(statistic, str) else repr(statistic)


def check_statistic(value: Any) -> Any:
    """Check the trait `statistic`."""
    if isinstance(value, str) and value in STATISTICS:
        return value
    if not isinstance(value, type) and type(value).__module__ == "datashader.reductions":
        return value
    raise UnknownName(not_found("statistic", value, STATISTICS, "this version") + " A datashader reduction works too.")
