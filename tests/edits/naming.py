"""Made-up names and numbers, the same for the same seed and number."""

import re
from collections.abc import Callable

Edit = Callable[[str, int], str]
Match = re.Match[str]

DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


def name(seed: str, n: int, length: int, letters: str = BASE32) -> str:
    value = 14695981039346656037 + n
    out = ""
    for char in seed + "." * length:
        value = (value ^ ord(char)) * 1099511628211 % 2**64
        out += letters[(value >> 32) % len(letters)]
    return out[-length:]


def number(seed: str, n: int) -> str:
    """A number of as many digits as the seed."""
    digits = name(seed, n, len(seed), DIGITS)
    return "1" + digits[1:] if digits.startswith("0") else digits
