"""Finds the Dask client."""

from __future__ import annotations

from typing import Any

from cxg_widget.errors import ClusterLost, InvalidOption, MissingDependency


def find_client(dask: Any) -> Any:
    """Return the `distributed.Client` for the option `dask`; None for none.

    dask : a client; True = the current one; None or False = none

    Raises `MissingDependency` if Dask is not installed, `InvalidOption` if there is no current client, or it is not a
    synchronous client, `ClusterLost` if it was closed.
    """
    if dask is None or dask is False:
        return None
    try:
        import distributed
    except ImportError as error:
        raise MissingDependency("dask= needs Dask; install it with: pip install 'cxg-widget[dask]'") from error
    client = _current(distributed) if dask is True else dask
    if not isinstance(client, distributed.Client):
        raise InvalidOption(f"dask is {type(client).__name__}; it must be a dask.distributed.Client, or True.")
    if client.asynchronous:
        raise InvalidOption("the Dask client is asynchronous; pass one made without asynchronous=True.")
    if client.status != "running":
        raise ClusterLost(f"the Dask client is {client.status}; make a new one.")
    return client


def _current(distributed: Any) -> Any:
    try:
        return distributed.default_client()
    except ValueError as error:
        raise InvalidOption("dask=True, but there is no current Dask client; make one, or pass it.") from error
