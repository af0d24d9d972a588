"""An S3 server on loopback, in a process of its own, that counts what is asked of it and fails when it is told to.

TileDB holds Python's global lock during some of its requests, so that a server in the same process could not answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

KEY, SECRET, REGION, BUCKET = "test-key", "test-secret", "eu-central-1", "cells"
ANSWERS = {
    "403": ("403 Forbidden", "AccessDenied", "Access Denied"),
    "500": ("500 Internal Server Error", "InternalError", "We encountered an internal error. Please try again."),
    "503": ("503 Slow Down", "SlowDown", "Please reduce your request rate."),
}


class Request(NamedTuple):
    """What was asked: GET, HEAD or LIST; the key below the bucket, or the prefix; bytes of the answer.

    begins_turn : nothing else was being answered when it came; so many turns are waited for one after the other
    """

    verb: str
    key: str
    n_bytes: int
    begins_turn: bool


class ObjectStore:
    """The server as its tests see it: an address, a bucket, a record of requests, and faults."""

    def __init__(self, module: str = "tests.object_store", *arguments: str) -> None:
        root = Path(__file__).resolve().parents[1]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        line = self._process.stdout.readline() if self._process.stdout else b""
        self.endpoint = f"127.0.0.1:{int(line)}"

    @property
    def config(self) -> dict[str, str]:
        """TileDB's configuration for this server."""
        return {
            "vfs.s3.endpoint_override": self.endpoint,
            "vfs.s3.scheme": "http",
            "vfs.s3.use_virtual_addressing": "false",
            "vfs.s3.aws_access_key_id": KEY,
            "vfs.s3.aws_secret_access_key": SECRET,
            "vfs.s3.region": REGION,
        }

    @property
    def storage_options(self) -> dict[str, Any]:
        """The same in the names of fsspec."""
        return {"key": KEY, "secret": SECRET, "endpoint_url": f"http://{self.endpoint}", "region": REGION}

    def put(self, folder: Path, name: str) -> str:
        """Copy a folder into the bucket in place of what has its name, empty files as well, and return its URI."""
        self._ask("PUT", f"~folder/{quote(name)}", str(folder).encode())
        return f"s3://{BUCKET}/{name}"

    def put_bytes(self, key: str, body: bytes) -> None:
        self._ask("PUT", f"~put/{quote(key)}", body)

    def requests(self) -> list[Request]:
        """Return what was asked since the last call."""
        return [Request(*one) for one in json.loads(self._ask("GET", "~requests"))]

    @contextmanager
    def failing(self, kind: str, *, at: str = "", times: int = 10**9, seconds: float = 0.0) -> Iterator[None]:
        """Fail the first `times` requests whose key holds `at`: "403", "500", "503", "cut", "slow" by `seconds`.

        "quiet" answers once no request has come for `seconds`, so that all that are asked for at once are one turn.
        "stall" is no answer until the end of the block; see `wait_until_stalled`.
        """
        self._ask("PUT", "~fault", json.dumps({"kind": kind, "at": at, "times": times, "seconds": seconds}).encode())
        try:
            yield
        finally:
            self._ask("PUT", "~fault", b"null")

    def wait_until_stalled(self) -> None:
        """Wait until a request waits for the end of a "stall"."""
        self._ask("GET", "~stalled")

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate()

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        with closing(HTTPConnection(self.endpoint, timeout=30)) as connection:
            connection.request(method, f"/{path}", body)
            answer = connection.getresponse()
            assert answer.status == 200, f"{method} {path}: {answer.status} {answer.reason}"
            return answer.read()


class Server:
    """The WSGI application: moto's, behind the record and the faults."""

    def __init__(self) -> None:
        from moto.server import create_backend_app

        self._moto = create_backend_app("s3")  # to find the service of each request takes as long as to answer it
        self._requests: list[Request] = []
        self._fault: dict[str, Any] | None = None
        self._n_under_way, self._came = 0, 0.0
        self._lock = threading.Lock()
        self._stalled, self._lifted = threading.Event(), threading.Event()
        self._known = KnownAnswers(self._moto)

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes] | Iterator[bytes]:
        path = environ["PATH_INFO"].lstrip("/")
        if path.startswith("~"):
            return self._control(path, environ, start)
        with self._lock:
            begins_turn = self._n_under_way == 0
            self._n_under_way += 1
            self._came = time.monotonic()
        try:
            return self._answer(path, environ, start, begins_turn=begins_turn)
        finally:
            with self._lock:
                self._n_under_way -= 1

    def _answer(
        self, path: str, environ: dict[str, Any], start: Any, *, begins_turn: bool
    ) -> list[bytes] | Iterator[bytes]:
        fault = self._due(path)
        known = f"Credential={KEY}/" in environ.get("HTTP_AUTHORIZATION", "")
        if not known or (fault and fault["kind"] in ANSWERS):
            self._record(environ, 0, begins_turn=begins_turn)
            return _refusal(ANSWERS[fault["kind"] if known and fault else "403"], start)
        if fault and fault["kind"] == "slow":
            time.sleep(fault["seconds"])
        while fault and fault["kind"] == "quiet" and (left := self._came + fault["seconds"] - time.monotonic()) > 0:
            time.sleep(left)
        if fault and fault["kind"] == "stall":
            self._stalled.set()
            self._lifted.wait(60)
        body = self._known.answer(environ, start)
        self._record(environ, len(body), begins_turn=begins_turn)
        return _cut(body) if fault and fault["kind"] == "cut" else [body]

    def _control(self, path: str, environ: dict[str, Any], start: Any) -> list[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        answer = b""
        if path == "~requests":
            with self._lock:
                answer, self._requests = json.dumps(self._requests).encode(), []
        elif path == "~fault":
            self._fault = json.loads(body)
            (self._lifted.clear if self._fault else self._lifted.set)()
            self._stalled.clear()
        elif path == "~stalled":
            self._stalled.wait(30)
        else:
            from moto.s3.models import s3_backends

            backend = s3_backends["123456789012"]["aws"]
            if BUCKET not in backend.buckets:
                backend.create_bucket(BUCKET, REGION)
            verb, _, key = _decoded(path).partition("/")
            if verb == "~put":
                backend.put_object(BUCKET, key, body)
            else:  # what is there goes first, or fragments of both would be one array
                for old in [one for one in backend.buckets[BUCKET].keys if one.startswith(f"{key}/")]:
                    backend.delete_object(BUCKET, old)
                folder = Path(body.decode())
                for one in sorted(folder.rglob("*")):
                    if one.is_file():
                        backend.put_object(BUCKET, f"{key}/{one.relative_to(folder).as_posix()}", one.read_bytes())
            self._known.forget()
        start("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]

    def _due(self, path: str) -> dict[str, Any] | None:
        with self._lock:
            fault = self._fault
            if fault is None or fault["at"] not in path or fault["times"] <= 0:
                return None
            fault["times"] -= 1
            return fault

    def _record(self, environ: dict[str, Any], n_bytes: int, *, begins_turn: bool) -> None:
        query = dict(part.partition("=")[::2] for part in environ.get("QUERY_STRING", "").split("&") if part)
        verb = environ["REQUEST_METHOD"]
        key = _decoded(environ["PATH_INFO"]).lstrip("/").partition("/")[2]
        if verb == "GET" and ("prefix" in query or "list-type" in query):
            verb, key = "LIST", unquote(query.get("prefix", ""))
        with self._lock:
            self._requests.append(Request(verb, key, n_bytes, begins_turn))


class KnownAnswers:
    """Answers that moto gave to reads since the last write, which it takes ten times as long to give again."""

    def __init__(self, moto: Any) -> None:
        self._moto = moto
        self._answers: dict[tuple[str, ...], tuple[str, Any, bytes]] = {}

    def answer(self, environ: dict[str, Any], start: Any) -> bytes:
        """Answer as moto does."""
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD") or any(one.startswith("HTTP_IF_") for one in environ):
            body = b"".join(self._moto(environ, start))
            self.forget()
            return body
        answers, asked = self._answers, ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "HTTP_RANGE")
        key = tuple(environ.get(one, "") for one in asked)
        if key not in answers:
            begun: list[Any] = []
            body = b"".join(self._moto(environ, lambda *status_and_headers: begun.extend(status_and_headers)))
            answers[key] = (begun[0], begun[1], body)
        status, headers, body = answers[key]
        start(status, list(headers))
        return body

    def forget(self) -> None:
        """Forget all of them."""
        self._answers = {}  # what is being answered puts its answer into the former ones


def _decoded(path: str) -> str:
    """Undo WSGI's reading of UTF-8 as Latin-1."""
    return path.encode("latin-1").decode("utf-8")


def _refusal(answer: tuple[str, str, str], start: Any) -> list[bytes]:
    status, code, message = answer
    body = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{message}</Message></Error>'.encode()
    start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
    return [body]


def _cut(body: bytes) -> Iterator[bytes]:
    """Send half of what was announced; werkzeug closes the connection on an exception."""
    yield body[: len(body) // 2]
    raise ConnectionAbortedError("cut on purpose")


def _serve() -> None:
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        disable_nagle_algorithm = True  # what is sent in two parts would wait 40 ms for an answer to the first
        wbufsize = 1 << 16  # headers and body are sent together

        def log(self, *_: Any) -> None:
            pass

    server = make_server("127.0.0.1", 0, Server(), threaded=True, request_handler=Quiet)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()  # ends with whoever started us, however that ends


if __name__ == "__main__":
    _serve()
