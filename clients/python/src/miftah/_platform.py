"""The clock and the randomness. No other module touches them, and no time of a day is read."""

import asyncio
import random
import secrets
import time

_KEY_BYTES = 24


def now() -> float:
    """Seconds that only grow."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    time.sleep(seconds)


async def sleep_async(seconds: float) -> None:
    await asyncio.sleep(seconds)


def spread(seconds: float) -> float:
    """Between a half of it and the whole, so that many clients do not come back together."""
    return seconds * random.uniform(0.5, 1)


def random_key() -> str:
    return secrets.token_urlsafe(_KEY_BYTES)
