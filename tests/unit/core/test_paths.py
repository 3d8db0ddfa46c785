from pathlib import Path

import pytest

from dhyan.core.paths import cache_folder, lab_folder, user_packs


def test_folders_of_our_own_go_before_the_systems(monkeypatch):
    monkeypatch.setenv("DHYAN_HOME", "/mine")
    monkeypatch.setenv("DHYAN_CACHE", "/tmp/mine")
    assert (user_packs(), lab_folder(), cache_folder()) == (Path("/mine/packs"), Path("/mine/lab"), Path("/tmp/mine"))


@pytest.mark.skipif("sys.platform != 'linux'")
def test_linux_has_them_where_they_always_were(monkeypatch):
    for name in ("DHYAN_HOME", "DHYAN_CACHE", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/asha")
    assert user_packs() == Path("/home/asha/.local/share/dhyan/packs")
    assert lab_folder() == Path("/home/asha/.local/share/dhyan/lab")
    assert cache_folder() == Path("/home/asha/.cache/dhyan")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert (user_packs(), cache_folder()) == (Path("/data/dhyan/packs"), Path("/cache/dhyan"))
