"""The pack that comes with Dhyan, loaded as a user loads it."""

import pytest

import dhyan
from dhyan.pack.pack import BUILT_IN


@pytest.fixture(scope="session")
def shipped():
    """The folder of English→Hindi inside the package."""
    return BUILT_IN / "en-hi"


@pytest.fixture(scope="session")
def alone(shipped, tmp_path_factory):
    """A home without packs, so that the name means the built-in one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DHYAN_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def translate(alone):
    """The shipped runtime with its defaults."""
    return dhyan.load("en-hi")
