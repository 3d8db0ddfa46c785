"""Keys: made once, kept as hashes, found in constant time, read again when their file changes; limits per minute."""

import stat

import pytest

from dhyan.cli.app import main
from dhyan.core.errors import DhyanError
from dhyan.server.operations import api_keys
from dhyan.server.operations.api_keys import KeyFile, KeyLimits, add_key, read_keys, remove_key
from dhyan.server.operations.rate_limit import RateLimit


@pytest.fixture
def path(tmp_path):
    return tmp_path / "keys.toml"


def test_a_key_is_kept_as_its_hash_alone(path):
    key = add_key(path, "mastodon", KeyLimits(requests_per_minute=60))
    assert key not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = KeyFile(path).find(key)
    assert (found.name, found.entry.requests_per_minute) == ("mastodon", 60)
    assert KeyFile(path).find(key + "x") is None
    assert KeyFile(path).find("") is None
    assert KeyFile(path).find("\ud800") is None


def test_keys_are_added_and_removed_and_the_rest_stays(path):
    keys = {name: add_key(path, name, KeyLimits()) for name in ("one", "two", "three")}
    text = path.read_text()
    path.write_text(text.replace("[two]", "# for the blog\n[two]") + "# ask before you add more\n")
    remove_key(path, "three")
    remove_key(path, "one")
    assert list(read_keys(path)) == ["two"]
    assert "# for the blog\n[two]" in path.read_text()
    assert path.read_text().endswith("# ask before you add more\n")
    assert KeyFile(path).find(keys["one"]) is None
    assert KeyFile(path).find(keys["two"]).name == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(DhyanError, match="did you mean 'two'"):
        remove_key(path, "tow")
    with pytest.raises(DhyanError, match="keys remove two --file"):
        add_key(path, "two", KeyLimits())
    with pytest.raises(DhyanError, match="is no name"):
        add_key(path, "[x]", KeyLimits())


def test_a_changed_file_is_read_again_and_a_broken_one_is_not(path, monkeypatch):
    monkeypatch.setattr(api_keys, "LOOK_EVERY", 0.0)
    said = []
    first = add_key(path, "first", KeyLimits(requests_per_minute=2))
    keys = KeyFile(path, said.append)
    keys.find(first).requests.spend(2)
    second = add_key(path, "second", KeyLimits())
    assert keys.find(second).name == "second"
    assert keys.find(first).requests.spend() > 0  # what was spent is not forgotten
    good = path.read_text()
    path.write_text("[[nonsense")
    assert keys.find(second).name == "second"
    assert "is not valid TOML" in said[-1]
    assert said[-1].endswith("The keys stay as they were.")
    path.write_text(good)
    path.chmod(0o644)
    assert keys.find(second).name == "second"
    assert "chmod 600" in said[-1]
    path.unlink()
    assert keys.find(second).name == "second"
    path.write_text(good.partition("[second]")[0])
    path.chmod(0o600)
    assert keys.find(second) is None
    assert len(said) == 3  # one sentence per change, not per request


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[a]\nsha256 = "12"', "64 hexadecimal digits"),
        ("[a]\nrequests_per_minute = 1", "'sha256' is missing"),
        (f'[a]\nsha256 = "{"0" * 64}"\nrequest_per_minute = 1', "did you mean 'requests_per_minute'"),
        ('a = "secret"', r"a key is a table \[name\]"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(path, text, said):
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(DhyanError, match=said) as error:
        KeyFile(path)
    assert "secret" not in str(error.value)


def test_at_most_so_much_in_any_minute():
    now = 100.0
    limit = RateLimit(10, clock=lambda: now)
    assert [limit.spend(4), limit.spend(4)] == [0, 0]
    assert limit.spend(4) == 60
    now += 30
    assert limit.spend(2) == 0
    assert limit.spend(1) == 30
    now += 29.5
    assert limit.spend(1) == 1
    now += 0.6
    assert limit.spend(8) == 0
    assert limit.spend(1) == 30  # the two of half a minute ago
    assert RateLimit(0).spend(10**9) == 0


def test_a_limit_stays_small():
    now = 0.0
    limit = RateLimit(10**9, clock=lambda: now)
    for _ in range(10_000):
        limit.spend()
        now += 0.05
    assert len(limit._spent) <= 62


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def dhyan(*arguments):
        with pytest.raises(SystemExit) as left:
            main(["keys", *arguments])
        assert left.value.code == 0
        return capsys.readouterr()

    made = dhyan("add", "mastodon", "--requests-per-minute", "60", "--characters-per-minute", "100000")
    assert made.out.startswith("dhyan-")
    assert made.out.count("\n") == 1  # the key alone, so that a script can take it
    assert "shown this once" in made.err
    assert KeyFile(tmp_path / "keys.toml").find(made.out.strip()).name == "mastodon"
    assert dhyan("list").out == "mastodon\t60 requests and 100,000 characters per minute\n"
    assert "mastodon is removed" in dhyan("remove", "mastodon").err
    assert dhyan("list").out == ""
