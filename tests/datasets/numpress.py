"""MS-Numpress encoders in plain Python, written from the paper's definitions, to test decoders against.

Source: Teleman et al., Numerical compression schemes for proteomics mass spectrometry data, 2014,
doi:10.1074/mcp.O114.037879
"""

from __future__ import annotations

import math
import struct


def half_bytes(number: int) -> list[int]:
    """Return a 32-bit integer as half bytes: how many leading ones are 0 or (+ 8) 15, then the others, lowest first."""
    digits = [int(digit, 16) for digit in f"{number & 0xFFFFFFFF:08x}"]
    zeros = next((i for i, digit in enumerate(digits) if digit != 0), 8)
    ones = next((i for i, digit in enumerate(digits) if digit != 15), 7)
    left_out = zeros or ones
    head = zeros or (ones + 8 if ones else 0)
    return [head, *reversed(digits[left_out:])]


def packed(numbers: list[int]) -> bytes:
    halves = [half for number in numbers for half in half_bytes(number)]
    if len(halves) % 2:
        halves.append(0)
    return bytes(16 * upper + lower for upper, lower in zip(halves[::2], halves[1::2], strict=True))


def linear(values: list[float], scale: float) -> bytes:
    """Fixed point; the first two as they are, then what differs from the line through the last two."""
    points = [int(value * scale + 0.5) for value in values]
    residuals = [points[i] - (2 * points[i - 1] - points[i - 2]) for i in range(2, len(points))]
    return struct.pack("<d", scale) + b"".join(struct.pack("<I", point) for point in points[:2]) + packed(residuals)


def slof(values: list[float], scale: float) -> bytes:
    """Short logged floats: two bytes of log(x + 1) * scale."""
    shorts = [int(math.log(value + 1) * scale + 0.5) for value in values]
    return struct.pack("<d", scale) + struct.pack(f"<{len(shorts)}H", *shorts)


def pic(values: list[float]) -> bytes:
    """Positive integers."""
    return packed([int(value + 0.5) for value in values])
