"""The fixtures. What they need is loaded when a test asks for one."""

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from . import Clock, Instance, MiftahScope, Phone, Webhooks


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "miftah_settings", "settings of the Miftah of the tests, one a line: STRICT=yes", type="linelist"
    )


@pytest.fixture(scope="session")
def miftah_instance(request: pytest.FixtureRequest) -> "Iterator[Instance]":
    """A Miftah with its simulator. Each worker of pytest-xdist has one, whose clock is its own."""
    from . import Instance

    lines: list[str] = request.config.getini("miftah_settings")
    pairs = (line.partition("=") for line in lines)
    instance = Instance({name.strip(): value.strip() for name, _, value in pairs})
    yield instance
    instance.stop()


@pytest.fixture
def miftah(miftah_instance: "Instance") -> "Iterator[MiftahScope]":
    """A scope of it for this test: give `miftah.base_url` to the application."""
    from . import MiftahScope

    scope = MiftahScope(miftah_instance.url, f"test-{secrets.token_hex(8)}")
    yield scope
    scope.stop()


@pytest.fixture
def phone(miftah: "MiftahScope") -> "Phone":
    """What people do on their phones."""
    return miftah.phone


@pytest.fixture
def clock(miftah: "MiftahScope") -> "Clock":
    """The time of the instance. At the end of the test it is that of the machine again."""
    return miftah.clock


@pytest.fixture
def webhooks(miftah: "MiftahScope") -> "Webhooks":
    """What back ends are told of this test, from here on."""
    miftah.webhooks.begin()
    return miftah.webhooks
