"""A slow link to a server: `python -m benchmarks.slow_link PORT` prints the port of the slow copy.

Each direction takes half of the delay, and all connections share the bandwidth, as on one internet line.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib

JOURNEY_MS, MEGABITS = 50.0, 100.0
_PIECE = 2**14


class SlowLink:
    """A proxy on loopback to a server on loopback.

    Parameters
    ----------
    port : of the server
    journey_ms : delay added to each round trip
    megabits : per second, shared by all responses
    """

    def __init__(self, port: int, journey_ms: float, megabits: float) -> None:
        self._server_port, self._delay = port, journey_ms / 2000
        self._seconds_a_byte = 8 / (megabits * 1e6)
        self._free_at = 0.0

    async def run(self) -> None:
        """Listen, print the port, and serve until the process ends."""
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self._loop = asyncio.get_running_loop()
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await asyncio.sleep(2 * self._delay)  # connecting takes one round trip
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._server_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(
            self._carry(reader, to_server, 0.0), self._carry(from_server, writer, self._seconds_a_byte)
        )

    async def _carry(self, source: asyncio.StreamReader, to: asyncio.StreamWriter, seconds_a_byte: float) -> None:
        """Forward bytes, each half a round trip after the line had room for it."""
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(64)

        async def deliver() -> None:
            while True:
                due, piece = await queue.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                if not piece:
                    break
                to.write(piece)
                await to.drain()
            to.close()

        delivering = asyncio.ensure_future(deliver())
        with contextlib.suppress(OSError):
            while piece := await source.read(_PIECE):
                now = self._loop.time()
                if seconds_a_byte:
                    self._free_at = max(self._free_at, now) + len(piece) * seconds_a_byte
                    now = self._free_at
                    await asyncio.sleep(max(0.0, now - self._loop.time()))
                await queue.put((now + self._delay, piece))
        await queue.put((self._loop.time() + self._delay, b""))
        with contextlib.suppress(OSError):
            await delivering


def main() -> None:
    """Run a link until the process ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--journey-ms", type=float, default=JOURNEY_MS)
    parser.add_argument("--megabits", type=float, default=MEGABITS)
    options = parser.parse_args()
    asyncio.run(SlowLink(options.port, options.journey_ms, options.megabits).run())


if __name__ == "__main__":
    main()
