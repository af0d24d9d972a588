"""Waits for results of the cluster: the newest request of a kind wins, and a lost cluster raises an error."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

from cxg_widget.errors import ClosedDataset, ClusterLost, CxgWidgetError, Overtaken, StorageError

_LOOK_S = 0.5
_GONE = ("cancelled", "lost")


class Waiting:
    """Results of one client.

    Parameters
    ----------
    client : a `distributed.Client`
    patience_s : how long there may be no worker before the cluster counts as lost

    Attributes
    ----------
    is_over : whether to stop waiting, since the workers are closing the store
    """

    def __init__(self, client: Any, patience_s: float) -> None:
        self._client = client
        self._patience_s = patience_s
        self._newest: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.is_over = False

    def newest(self, slot: str, submit: Callable[[], Any]) -> Any:
        """Submit work that replaces the running one of the same slot, and return its result.

        Raises `Overtaken` if newer work of the slot replaced it.
        """
        with self._lock:
            older, self._newest[slot] = self._newest.get(slot), None
            # Cancel first, or workers start work that nobody waits for.
            if older is not None:
                self._cancel(older)
            future = self._newest[slot] = self.submitted(submit)
        try:
            return self.result(future)
        # A future that was cancelled for newer work looks like one that the cluster lost.
        except ClusterLost:
            if self._newest.get(slot) is not future and self._client.status == "running":
                raise Overtaken("a newer request took the place of this one.") from None
            raise
        finally:
            with self._lock:
                if self._newest.get(slot) is future:
                    self._newest[slot] = None

    def submitted(self, submit: Callable[[], Any]) -> Any:
        """Return what `submit` returns; raises `ClusterLost` if the client is closed."""
        if self._client.status != "running":
            raise ClusterLost(f"the Dask client is {self._client.status}; make a new one and open the data again.")
        try:
            return submit()
        except (CxgWidgetError, MemoryError):
            raise
        except Exception as error:
            raise _lost(error) from error

    def result(self, future: Any, look_after: Callable[[], None] = lambda: None) -> Any:
        """Wait for one future.

        Parameters
        ----------
        look_after : called twice a second meanwhile; if it or Ctrl-C raises, the work is cancelled

        Raises
        ------
        ClusterLost
            If the client is closed, or no worker is left.
        Overtaken
            If the worker had closed the store before, as other cells were shown.
        CxgWidgetError
            Errors of the worker.
        """
        # `future.result()` alone would wait for workers that never come back.
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        alive_at = time.monotonic()
        while not self._waited(done, future, look_after):
            if self._client.status != "running":
                raise ClusterLost("the Dask client was closed; make a new one and open the data again.")
            if self._n_workers() > 0:
                alive_at = time.monotonic()
            elif time.monotonic() - alive_at > self._patience_s:
                raise ClusterLost(f"the Dask cluster has had no worker for {self._patience_s:.0f} s.")
        try:
            return future.result(timeout=30)
        except ClosedDataset:
            if self.is_over:
                raise Overtaken("these cells are no longer on show.") from None
            raise
        except (CxgWidgetError, MemoryError):
            raise
        except CancelledError:
            raise ClusterLost("the work on the Dask cluster was cancelled.") from None
        except Exception as error:
            raise _lost(error) from error

    def _waited(self, done: threading.Event, future: Any, look_after: Callable[[], None]) -> bool:
        try:
            look_after()
            return done.wait(_LOOK_S)
        except BaseException:
            self._cancel(future)
            raise

    def _n_workers(self) -> int:
        try:
            return len(self._client.ncores())
        except Exception:  # whatever the error, there is no answer
            return 0

    def _cancel(self, future: Any) -> None:
        try:
            self._client.cancel(future, force=False)
        except Exception:  # it may be gone with its client
            return


def must_be_anew(future: Any) -> bool:
    """Return whether a result is lost, or failed temporarily: by the cluster or remote storage, not the data."""
    if future.status != "error":
        return future.status in _GONE
    try:
        error = future.exception(timeout=_LOOK_S)
    except Exception:  # the client may be closing
        return True
    return isinstance(error, StorageError) or not isinstance(error, CxgWidgetError)


def _lost(error: Exception) -> ClusterLost:
    if type(error).__name__ == "KilledWorker":
        return ClusterLost("workers of the Dask cluster died over this again and again; they may need more memory.")
    return ClusterLost(f"the Dask cluster failed: {type(error).__name__}: {error}"[:400])
