"""Counts the bytes that each Dask task reads, and adds them up for each user of a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cxg_widget.cells.cluster.partition import Rows
from cxg_widget.cells.cluster.source import unreported_traffic
from cxg_widget.datasets.base.lifetime import Meter, Traffic


def listen(client: Any, user: str, meter: Meter) -> None:
    """Have a meter count what workers read for a user of a store.

    A worker's events and ends of tasks reach a client in their order, so that what was read for a result is counted
    when the result is there.
    """
    client.subscribe_topic(_topic(user), lambda event: meter.add(*event[1]))


def unlisten(client: Any, user: str) -> None:
    """Count no more."""
    client.unsubscribe_topic(_topic(user))


def report_reads(rows: Rows, *args: Any, function: Callable[..., Any], **same: Any) -> Any:
    """Return the result of a function of rows, and report the traffic; runs on a worker."""
    try:
        return function(rows, *args, **same)
    # Bytes that were read before a failure count too.
    finally:
        _tell(rows)


def _tell(rows: Rows) -> None:
    from distributed import get_worker

    read = unreported_traffic(rows.source.token)
    if read != Traffic():
        get_worker().log_event(_topic(rows.user), list(read))


def _topic(user: str) -> str:
    return f"cxg-widget-read-{user}"
