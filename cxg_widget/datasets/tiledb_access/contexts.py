"""Makes the TileDB context: the user's settings, and defaults that suit remote storage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import tiledb

from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.tiledb_access.storage_options import as_text, translate
from cxg_widget.errors import InvalidOption

_READING = {"py.init_buffer_bytes": str(40 * 2**20), "sm.mem.malloc_trim": "false"}
"""Settings that shorten work under the GIL, during which the kernel answers no gesture.

tiledb-py starts with a buffer of 10 MiB per attribute, and doubles and fills it as it reads. A buffer of 40 MiB is
enough for one read, and takes no memory before something is written to it. TileDB also returns all free memory to the
system after each query, and requests it again for the next. Without this, six of seven page faults disappear, and the
memory in use after a comparison is the same.
"""
# TileDB's default is the number of processors, which is unrelated to network latency; see decision 12.
_REMOTE = {
    "vfs.s3.max_parallel_ops": "16",
    "sm.io_concurrency_level": "16",
    "sm.compute_concurrency_level": "16",
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
    config : settings as a dict or a `tiledb.Config`
    storage_options : settings under fsspec's names, see `translate`; `config` or a dict `ctx` takes precedence
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


@cache
def context_for_writing() -> tiledb.Ctx:
    """Return the context for stores on disk that are written, made once; TileDB's own returns memory at each close."""
    return make_context("")


def warm_up() -> None:
    """Start TileDB's threads and libraries, which is half the time of opening the first store."""
    tiledb.Ctx()


def timeout_s(ctx: tiledb.Ctx) -> float:
    """Return the time limit of a short request in seconds, from the time-outs and tries of a context.

    TileDB itself retries a hundred times, for minutes, as long as a server answers "slow down".
    """
    config = ctx.config()
    once = float(config["vfs.s3.connect_timeout_ms"]) + float(config["vfs.s3.request_timeout_ms"])
    return max(1, int(config["vfs.s3.connect_max_tries"])) * once / 1000 + _SLACK_S


def slow_downs(ctx: tiledb.Ctx) -> int:
    """Return the number of "slow down" answers in a context, from TileDB's statistics."""
    found = re.search(r'slow_down_retries": (\d+)', ctx.get_stats(print_out=False))
    return int(found.group(1)) if found else 0


def _configuration(settings: Mapping[str, str], more: Mapping[str, Any] | tiledb.Config | None) -> tiledb.Config:
    if more is not None and not isinstance(more, Mapping | tiledb.Config):
        raise InvalidOption(f"config is {type(more).__name__}; it must be a dict or a tiledb.Config.")
    if isinstance(more, tiledb.Config):
        # Only settings that differ from TileDB's defaults were set by the user.
        default = tiledb.Config().dict()
        more = {name: value for name, value in more.dict().items() if value != default.get(name)}
    merged = {**settings, **{name: as_text(value) for name, value in (more or {}).items()}}
    try:
        return tiledb.Config(merged)
    except tiledb.TileDBError as error:
        raise InvalidOption(f"TileDB does not accept config: {error}") from error
