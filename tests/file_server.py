"""A plain HTTP server of files on loopback: it lists nothing, counts what is asked of it, and fails when told to.

With `lists` it answers as Google's storage does by its XML interface: folders of its root are the buckets.

It runs in a process of its own: h5py holds a lock while it reads, which other threads may need.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote
from xml.sax.saxutils import escape

from tests.object_store import ObjectStore, Request

STATUSES = {"403": 403, "418": 418, "429": 429, "500": 500, "503": 503}

_NO_BUCKET = b"<Error><Code>NoSuchBucket</Code></Error>"


class FileServer(ObjectStore):
    """The server as its tests see it; its faults are those of `ObjectStore`, "418", "429", and these.

    "none" sends no byte of a range and says that this is all; "redirect URL" sends on to that path of another server.

    "quiet" answers once no request has come for some seconds, so that all that are asked for at once are one turn.

    root : the folder whose files it serves
    ranges : whether it answers requests of ranges; without, it sends whole files, as some servers do
    lists : whether it is a storage of buckets, which lists names
    """

    def __init__(self, root: Path, *, ranges: bool = True, lists: bool = False) -> None:
        options = [*([] if ranges else ["--whole"]), *(["--lists"] if lists else [])]
        super().__init__("tests.file_server", str(root), *options)
        self.root = root

    def url(self, name: str, user: str = "") -> str:
        """Return the address of a file or a folder."""
        return f"http://{user}{'@' if user else ''}{self.endpoint}/{quote(name)}"

    def headers(self) -> list[dict[str, str]]:
        """Return the headers of the last requests, before `requests` forgets them."""
        return list(json.loads(self._ask("GET", "~headers")))

    def answer_missing(self, status: int) -> None:
        """Answer so of what is not there: 403 is S3's answer where names may not be listed."""
        self._ask("PUT", "~missing", str(status).encode())


class _Record:
    """What was asked, and the fault of now."""

    def __init__(self, root: Path, *, ranges: bool, lists: bool) -> None:
        self.root, self.ranges, self.lists, self.missing = root, ranges, lists, 404
        self._headers: list[dict[str, str]] = []
        self._requests: list[Request] = []
        self._fault: dict[str, Any] = {}
        self._n_under_way, self._came = 0, 0.0
        self._lock = threading.Lock()
        self._stalled, self._lifted = threading.Event(), threading.Event()

    def control(self, path: str, body: bytes) -> bytes:
        """Do what a test asks for."""
        if path == "~requests":
            with self._lock:
                found, self._requests, self._headers = self._requests, [], []
            return json.dumps(found).encode()
        if path == "~headers":
            return json.dumps(self._headers).encode()
        if path == "~fault":
            self._fault = json.loads(body) or {}
            (self._lifted.clear if self._fault else self._lifted.set)()
            self._stalled.clear()
        elif path == "~stalled":
            self._stalled.wait(30)
        elif path == "~missing":
            self.missing = int(body)
        return b""

    def due(self, path: str) -> dict[str, Any]:
        """Return the fault of a request, empty where it has none."""
        with self._lock:
            if not self._fault or self._fault["at"] not in path or self._fault["times"] <= 0:
                return {}
            self._fault["times"] -= 1
            return self._fault

    def wait(self, fault: dict[str, Any]) -> None:
        """Wait as a fault says."""
        if fault.get("kind") == "slow":
            time.sleep(fault["seconds"])
        while fault.get("kind") == "quiet" and (left := self._came + fault["seconds"] - time.monotonic()) > 0:
            time.sleep(left)
        if fault.get("kind") == "stall":
            self._stalled.set()
            self._lifted.wait(60)

    def begin(self) -> bool:
        """Say whether nothing else is being answered."""
        with self._lock:
            self._n_under_way += 1
            self._came = time.monotonic()
            return self._n_under_way == 1

    def end(self, request: Request, headers: dict[str, str]) -> None:
        """Record what was answered; before the answer is sent, so that who has it finds it recorded."""
        with self._lock:
            self._n_under_way -= 1
            self._requests.append(request)
            self._headers.append(headers)


def _handler(record: _Record) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._respond("GET")

        def do_HEAD(self) -> None:
            self._respond("HEAD")

        def do_PUT(self) -> None:
            self._respond("PUT")

        def do_PROPFIND(self) -> None:  # how lists are asked for where a server has them
            self._respond("LIST")

        def _respond(self, verb: str) -> None:
            path = unquote(self.path.partition("?")[0]).lstrip("/")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if path.startswith("~"):
                self._send(200, record.control(path, body), {}, "")
                return
            begins_turn = record.begin()
            fault = record.due(self.path)
            record.wait(fault)
            asked = parse_qs(self.path.partition("?")[2], keep_blank_values=True)
            if record.lists and "list-type" in asked and verb == "GET":
                verb, path = "LIST", f"{path}/{asked.get('prefix', [''])[0]}"
                status, body, more = self._list(path, fault.get("kind", ""), has_folders="delimiter" in asked)
            else:
                status, body, more = self._answer(verb, path, fault.get("kind", ""))
            record.end(Request(verb, path, len(body) if verb == "GET" else 0, begins_turn), dict(self.headers))
            self._send(status, body, more, "HEAD" if verb == "HEAD" else fault.get("kind", ""))

        def _send(self, status: int, body: bytes, headers: dict[str, str], how: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if how == "cut":
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            elif how != "HEAD":
                self.wfile.write(body)

        def _answer(self, verb: str, path: str, fault: str) -> tuple[int, bytes, dict[str, str]]:
            file = record.root / path
            if fault in STATUSES or verb == "LIST" or not file.is_file():
                missing = 405 if verb == "LIST" else record.missing
                no_bucket = record.lists and not (record.root / path.partition("/")[0]).is_dir()
                page = self.path.encode() if fault in STATUSES else _NO_BUCKET if no_bucket else b""
                return STATUSES.get(fault, missing), page, {}
            if fault.startswith("redirect "):
                return 302, b"", {"Location": f"{fault.partition(' ')[2]}/{quote(path)}"}
            found = file.stat()
            written, tag = self.date_time_string(int(found.st_mtime)), f'"{found.st_mtime_ns:x}"'
            if self.headers.get("If-Match", tag) != tag:
                return 412, b"", {}
            asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
            headers, size = {"Last-Modified": written, "ETag": tag}, found.st_size
            if asked is None or not record.ranges:
                return 200, file.read_bytes(), headers
            first = int(asked[1]) if asked[1] else max(size - int(asked[2]), 0)
            last = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
            if first >= size:
                return 416, b"", {"Content-Range": f"bytes */{size}"}
            with file.open("rb") as opened:
                opened.seek(first)
                body = opened.read(0 if fault == "none" else last - first + 1)
            return 206, body, {**headers, "Content-Range": f"bytes {first}-{last}/{size}"}

        def _list(self, path: str, fault: str, *, has_folders: bool) -> tuple[int, bytes, dict[str, str]]:
            """Answer with names below a prefix, in the XML of Google and of S3."""
            bucket, _, prefix = path.partition("/")
            if fault in STATUSES or not (record.root / bucket).is_dir():
                return STATUSES.get(fault, 404), b"" if fault in STATUSES else _NO_BUCKET, {}
            found = sorted(one for one in (record.root / bucket).rglob("*") if one.is_file())
            sizes = {one.relative_to(record.root / bucket).as_posix(): one.stat().st_size for one in found}
            below = {key: size for key, size in sizes.items() if key.startswith(prefix)}
            folders: set[str] = set()
            if has_folders:
                folders = {
                    prefix + key[len(prefix) :].partition("/")[0] + "/" for key in below if "/" in key[len(prefix) :]
                }
                below = {key: size for key, size in below.items() if "/" not in key[len(prefix) :]}
            contents = "".join(
                f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size><LastModified>2026-01-01T00:00:00.000Z"
                "</LastModified></Contents>"
                for key, size in below.items()
            )
            contents += "".join(
                f"<CommonPrefixes><Prefix>{escape(one)}</Prefix></CommonPrefixes>" for one in sorted(folders)
            )
            return 200, f"<ListBucketResult>{contents}</ListBucketResult>".encode(), {}

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """Say nothing of connections that clients broke off."""


def _serve(root: str, *options: str) -> None:
    """Serve a folder, say on which port, and end with whoever started this."""
    server = _Server(
        ("127.0.0.1", 0), _handler(_Record(Path(root), ranges="--whole" not in options, lists="--lists" in options))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
