"""Makes the TileDB context: the user's settings, and defaults that suit remote storage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import tiledb

from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.tiledb_access.storage_options import as_text, translate
from cxg_widget.errors import InvalidOption

_READING = {"py.init_buffer_bytes": str(40 * 2**20), "sm.mem.malloc_trim": "false"}
"""Two things that are done under the GIL, while no gesture is answered: tiledb-py begins with 10 MiB an attribute and
doubles that as it reads, filling the new half; 40 hold what is read at a time, and take no memory until something is
written there. And TileDB gives all free memory back to the system after each query, to ask for it again in the next:
six of seven page faults are gone without, and what is held once a comparison has ended is the same."""
# TileDB takes the number of processors, which says nothing about how long answers travel; see decision 12.
_REMOTE = {
    "vfs.s3.max_parallel_ops": "16",
    "sm.io_concurrency_level": "16",
    "vfs.s3.connect_timeout_ms": "5000",
    "vfs.s3.request_timeout_ms": "10000",
    "vfs.s3.connect_max_tries": "3",
}
_SLACK_S = 5.0


def make_context(
    uri: str,
    ctx: tiledb.Ctx | Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | tiledb.Config | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> tiledb.Ctx:
    """Return the context to read `uri` with.

    ctx : a context, or a dict of TileDB's settings
    config : the same as a dict or a `tiledb.Config`
    storage_options : names of fsspec, see `translate`; what `config` or a dict says goes before
    """
    if ctx is not None and config is not None:
        raise InvalidOption("ctx and config exclude each other; pass one of them.")
    if isinstance(ctx, tiledb.Ctx):
        if storage_options is not None:
            raise InvalidOption("ctx and storage_options exclude each other; pass one of them.")
        return ctx
    if ctx is not None and not isinstance(ctx, Mapping):
        raise InvalidOption(f"ctx is {type(ctx).__name__}; it must be a tiledb.Ctx or a dict of settings.")
    settings = _READING | (_REMOTE if is_remote(uri) else {})
    if storage_options is not None:
        settings |= translate(storage_options, uri)
    return tiledb.Ctx(_configuration(settings, ctx if config is None else config))


def warm_up() -> None:
    """Start TileDB's threads and libraries, which takes half the time of opening the first store."""
    tiledb.Ctx()


def timeout_s(ctx: tiledb.Ctx) -> float:
    """Return the longest time of a short request in seconds, by the time-outs and tries of a context.

    TileDB itself tries a hundred times, for minutes, as long as a server answers "slow down".
    """
    config = ctx.config()
    once = float(config["vfs.s3.connect_timeout_ms"]) + float(config["vfs.s3.request_timeout_ms"])
    return max(1, int(config["vfs.s3.connect_max_tries"])) * once / 1000 + _SLACK_S


def slow_downs(ctx: tiledb.Ctx) -> int:
    """Return the number of "slow down" answers in a context, by TileDB's own statistics."""
    found = re.search(r'slow_down_retries": (\d+)', ctx.get_stats(print_out=False))
    return int(found.group(1)) if found else 0


def _configuration(settings: Mapping[str, str], more: Mapping[str, Any] | tiledb.Config | None) -> tiledb.Config:
    if more is not None and not isinstance(more, Mapping | tiledb.Config):
        raise InvalidOption(f"config is {type(more).__name__}; it must be a dict or a tiledb.Config.")
    if isinstance(more, tiledb.Config):
        # Only what differs from TileDB's own defaults was set by someone.
        default = tiledb.Config().dict()
        more = {name: value for name, value in more.dict().items() if value != default.get(name)}
    merged = {**settings, **{name: as_text(value) for name, value in (more or {}).items()}}
    try:
        return tiledb.Config(merged)
    except tiledb.TileDBError as error:
        raise InvalidOption(f"TileDB does not accept config: {error}") from error
