"""The clock and the randomness of the clients, and no time of a day. Tests replace this module."""

import asyncio
import random
import secrets
import time

_KEY_BYTES = 24


def now() -> float:
    """Seconds, which never go back."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    time.sleep(seconds)


async def sleep_async(seconds: float) -> None:
    await asyncio.sleep(seconds)


def spread(seconds: float) -> float:
    """Between half of `seconds` and all, so that many clients do not come back together."""
    return seconds * random.uniform(0.5, 1)


def random_key() -> str:
    """For the `Idempotency-Key` of an exchange."""
    return secrets.token_urlsafe(_KEY_BYTES)
