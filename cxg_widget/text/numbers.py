"""Formats numbers for people, as js/src/words/format.js does."""
# Changes with js/src/words/format.js: numbers as text.

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

_SPACE = "\u00a0"
_SHORT_FROM = 1_000_000
_BILLIONS_FROM = 999_500_000


def short_count(n: int) -> str:
    r"""Write every digit below a million, above that two or three.

    >>> short_count(12345), short_count(1_234_567), short_count(34_000_000)
    ('12,345', '1.2\xa0M', '34\xa0M')
    """
    if n < _SHORT_FROM:
        return f"{n:,}"
    divisor, unit = (10**9, "B") if n >= _BILLIONS_FROM else (10**6, "M")
    scaled = n / divisor
    return f"{_rounded(Decimal(scaled), 1 if scaled < 9.95 else 0)}{_SPACE}{unit}"


def share(n: int, total: int) -> str:
    r"""Write a part of a whole in percent; 0 and 100 are said only where they are so.

    >>> share(1234, 100_000), share(1, 100_000)
    ('1.2\xa0%', '<\xa00.1\xa0%')
    """
    percent = 100 * n / total if total else 0.0
    if n in (0, total):
        return f"{percent:.0f}{_SPACE}%"
    if percent < 0.1:
        return f"<{_SPACE}0.1{_SPACE}%"
    if percent > 99.9:
        return f">{_SPACE}99.9{_SPACE}%"
    return f"{_rounded(Decimal(percent), 1 if percent < 10 else 0).removesuffix('.0')}{_SPACE}%"


def byte_size(n: int) -> str:
    r"""Write an amount of bytes in thousands.

    >>> byte_size(512), byte_size(25_359), byte_size(1_234_567)
    ('512\xa0B', '25\xa0KB', '1.2\xa0MB')
    """
    units = ("B", "KB", "MB", "GB", "TB")
    i = 0
    while i < len(units) - 1 and n >= 999.5 * 1000**i:
        i += 1
    scaled = Decimal(n) / 1000**i
    return f"{_rounded(scaled, 1 if i and scaled < Decimal('9.95') else 0)}{_SPACE}{units[i]}"


def short_number(value: float) -> str:
    """Write a value with about four significant digits; "" where it is none.

    >>> short_number(0.012341), short_number(12345.6), short_number(1.2e-9)
    ('0.01234', '12,346', '1.2e-9')
    """
    if not math.isfinite(value):
        return ""
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 1e7 or size < 1e-4:
        return _with_exponent(value)
    digits = min(max(0, 3 - math.floor(math.log10(size))), 7)
    # Browsers round the shortest decimal that means the number, not the number.
    text = _rounded(Decimal(repr(float(value))), digits, ",")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _with_exponent(value: float) -> str:
    exact = Decimal(value)
    power = exact.adjusted()
    digits = _rounded(exact.scaleb(-power), 2)
    if digits.lstrip("-").startswith("10."):
        power, digits = power + 1, _rounded(exact.scaleb(-power - 1), 2)
    return f"{digits.rstrip('0').rstrip('.')}e{power}"


def _rounded(number: Decimal, digits: int, grouping: str = "") -> str:
    return f"{number.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):{grouping}f}"
