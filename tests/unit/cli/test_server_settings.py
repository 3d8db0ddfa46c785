"""Every setting of the server is a flag, a variable and a key of a file, in this order; some have a second name."""

import re

import pytest
import typer

from dhyan.cli.app import app
from dhyan.cli.serve import server_settings
from dhyan.core.errors import DhyanError
from dhyan.server.settings import GROUPS, ServerSettings, is_loopback

SERVE = typer.main.get_command(app).commands["serve"]


def flags(*words):
    return SERVE.make_context("serve", list(words)).params


def settings(*words, environment=None, config=None):
    known = {name: value for name, value in flags(*words).items() if name in ServerSettings.model_fields}
    return server_settings(config, environment or {}, known | {"threads": known["threads"] or None})


def test_a_flag_goes_before_a_variable_and_a_variable_before_the_file(tmp_path):
    file = tmp_path / "server.toml"
    file.write_text('max_texts = 1\nmax_characters = 1\nport = 1\nallow_host = ["a", "b"]\nkeys = "k.toml"\n')
    environment = {
        "DHYAN_MAX_TEXTS": "2",
        "DHYAN_MAX_CHARACTERS": "2",
        "DHYAN_HOME": "/x",
        "DHYAN_CORS": " http://c, http://d",
    }
    found = settings("--max-texts", "3", environment=environment, config=file)
    assert (found.max_texts, found.max_characters, found.port, found.max_alternatives) == (3, 2, 1, 8)
    assert (found.allow_host, found.cors, str(found.keys)) == (("a", "b"), ("http://c", "http://d"), "k.toml")


def test_flags_are_of_the_right_kind():
    found = settings("--allow-host", "a", "--allow-host", "b", "--allow-explain", "--no-allow-labs", "--port", "0")
    assert (found.allow_host, found.allow_explain, found.allow_labs, found.port) == (("a", "b"), True, False, 0)
    assert settings() == ServerSettings()
    assert settings(environment={"DHYAN_ALLOW_EXPLAIN": "true", "DHYAN_KEYS": ""}).allow_explain is True


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["--char-limit", "5"], "max_characters", 5),
        (["--char-limit=5"], "max_characters", 5),
        (["--batch-limit", "5"], "max_texts", 5),
        (["--alternatives-limit", "5"], "max_alternatives", 5),
        (["--timeout", "5"], "request_seconds", 5),
        (["--url-prefix", "/mt"], "root_path", "/mt"),
        (["--grace", "5"], "grace_seconds", 5),
    ],
)
def test_other_names_of_a_flag(words, name, value):
    assert getattr(settings(*words), name) == value


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"environment": {"DHYAN_MAX_TEXTS": "many"}}, "environment: max_texts = 'many'"),
        ({"environment": {"DHYAN_ROOT_PATH": "mt"}}, "environment: root_path = 'mt': it should be a prefix"),
        ({"environment": {"DHYAN_CORS": "example.org"}}, "'example.org' is no origin; write one such as https://"),
        ({"environment": {"DHYAN_ALLOW_HOST": "https://a.org"}}, "'https://a.org' is no name; write one such as"),
        ({"environment": {"DHYAN_ALLOW_HOST": "a.org:8080"}}, "'a.org:8080' is no name; write one such as"),
    ],
)
def test_a_wrong_value_is_named_with_its_source(source, said):
    with pytest.raises(DhyanError, match=re.escape(said)):
        settings(**source)


def test_one_value_of_several_is_a_list_in_a_file(tmp_path):
    file = tmp_path / "server.toml"
    file.write_text('cors = "https://a.example"\n')
    with pytest.raises(DhyanError, match=re.escape("write it as a list, ['https://a.example']")):
        settings(config=file)


def test_values_are_taken_as_they_are_meant():
    environment = {
        "DHYAN_CORS": "https://a.example/,http://localhost:3000,*",
        "DHYAN_ROOT_PATH": "/mt/",
        "DHYAN_ALLOW_HOST": "MT.example.org,*.example.net,[::1],*,10.0.0.1",
    }
    found = settings(environment=environment)
    assert found.cors == ("https://a.example", "http://localhost:3000", "*")
    assert (found.root_path, found.allow_host[0]) == ("/mt", "mt.example.org")


def test_every_group_begins_with_a_setting():
    assert set(GROUPS) <= set(ServerSettings.model_fields)
    assert next(iter(ServerSettings.model_fields)) in GROUPS


def test_every_setting_has_a_flag_that_says_what_it_is():
    known = {option: one.help for one in SERVE.params for option in one.opts}
    for name in ServerSettings.model_fields:
        assert known[f"--{name.replace('_', '-')}"]
    assert known["--max-texts"] == "texts of one request (default 256)"


def test_loopback():
    assert all(map(is_loopback, ("127.0.0.1", "127.3.2.1", "::1", "[::1]", "localhost", "LOCALHOST")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.2", "localhost.evil.com", "", "10.0.0.1")))
