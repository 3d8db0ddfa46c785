"""What an operator can set: where the server listens, whom it answers, and every limit, each with its default.

A setting is a flag of `dhyan serve`, a key of its --config file and an environment variable: `max_texts` is
--max-texts and DHYAN_MAX_TEXTS. Some have a second flag, by which LibreTranslate calls the same.
"""

import re
from ipaddress import ip_address, ip_network
from pathlib import Path

from pydantic import ConfigDict, Field, field_validator

from dhyan.core.settings import Settings, also

LOCALHOST = "127.0.0.1"

# The first setting of each group → the group's heading in `dhyan serve --help`.
GROUPS = {
    "model": "What and where",
    "allow_host": "Whom it answers",
    "access_log": "Running it",
    "max_characters": "Limits of one request",
    "threads": "Translating, embedding, classifying, writing",
    "max_file_bytes": "Files",
    "explain_workers": "Opening up and the lab",
    "max_connections": "Connections",
}


class ServerSettings(Settings):
    """Limits hold for all routes and protocols together, unless they say otherwise."""

    model_config = ConfigDict(frozen=True, validate_assignment=False)

    # -- what, and where -------------------------------------------------------------------------------------
    model: tuple[str, ...] = Field((), description="a pack's name or folder; may be repeated; else all known")
    training: tuple[Path, ...] = Field(
        (), description="folder of a training to watch, such as my-pack.training; may be repeated"
    )
    host: str = Field(LOCALHOST, min_length=1, description="address to listen on; 0.0.0.0 for all of this machine")
    port: int = Field(8080, ge=0, le=65535, description="0 for any free port")
    root_path: str = Field(
        "",
        pattern=r"^(/[A-Za-z0-9._~-]+)*/?$",
        json_schema_extra=also("url_prefix"),
        description="a prefix such as /mt, below which a proxy serves this",
    )
    trust_proxy: tuple[str, ...] = Field(
        (),
        description="address or network of a proxy whose X-Forwarded headers count; may be repeated; * for all",
    )

    # -- whom it answers -------------------------------------------------------------------------------------
    allow_host: tuple[str, ...] = Field(
        (), description="name by which others call this server, such as mt.example.org; may be repeated; * for any"
    )
    keys: Path | None = Field(None, description="file of keys, made by `dhyan keys add`: whoever asks must send one")
    cors: tuple[str, ...] = Field(
        (), description="origin whose pages may call the API, such as https://example.org; may be repeated; * for all"
    )
    allow_explain: bool | None = Field(None, description="let others open packs up; else only this machine may")
    allow_labs: bool | None = Field(None, description="let others run experiments; else only this machine may")
    allow_trainings: bool | None = Field(None, description="let others watch trainings; else only this machine may")
    access_log: str | None = Field(
        None, min_length=1, description="file for a line of JSON per request; - for stdout"
    )
    grace_seconds: float = Field(
        30, ge=0, json_schema_extra=also("grace"), description="time for running requests after SIGTERM"
    )
    reload_seconds: float = Field(2, ge=0, description="between looks for changed packs; 0: on SIGHUP alone")

    # -- one request -----------------------------------------------------------------------------------------
    max_characters: int = Field(
        20_000, ge=1, json_schema_extra=also("char_limit"), description="characters of one text"
    )
    max_sentence_characters: int = Field(2_000, ge=1, description="characters of a sentence that is opened up")
    max_texts: int = Field(256, ge=1, json_schema_extra=also("batch_limit"), description="texts of one request")
    max_alternatives: int = Field(
        8, ge=0, le=32, json_schema_extra=also("alternatives_limit"), description="other ways to say it, per text"
    )
    max_terms: int = Field(1_000, ge=0, description="terms of a glossary that comes with a request")
    max_new_tokens: int = Field(500, ge=1, description="tokens that are written after a prompt")
    max_body_bytes: int = Field(1_000_000, ge=1_000, description="bytes of a request's body")
    request_seconds: float = Field(
        60,
        gt=0,
        json_schema_extra=also("timeout"),
        description="time for one request, waiting included; then it is given up",
    )

    # -- translating, embedding, classifying, writing --------------------------------------------------------
    threads: int = Field(0, ge=0, description="batches computed at the same time, a core each; 0 for one per core")
    queue_tokens: int = Field(50_000, ge=1, description="tokens that are worked on or wait; beyond it, 503")
    max_pipelines: int = Field(64, ge=1, description="requests that are worked on at the same time")
    batch_tokens: int = Field(512, ge=1, description="source tokens of a batch that is gathered from many requests")
    batch_wait_ms: float = Field(5, ge=0, description="longest wait for others to join a batch, in milliseconds")

    # -- files ----------------------------------------------------------------------------------------------
    max_file_bytes: int = Field(10_000_000, ge=1_000, description="bytes of a file that is translated")
    max_file_characters: int = Field(1_000_000, ge=1, description="characters of text in such a file")
    file_workers: int = Field(2, ge=1, description="files that are translated at the same time")
    file_queue: int = Field(8, ge=0, description="files that may wait; beyond it, 503")
    file_seconds: float = Field(1_800, gt=0, description="time for one of them, waiting included")
    max_kept_files: int = Field(
        100, ge=0, description="translated files that wait to be fetched; the oldest go; 0: no files are taken"
    )
    kept_file_seconds: float = Field(1_800, gt=0, description="time for a translated file to be fetched")

    # -- opening up, and the labs: in workers of their own -----------------------------------------------------
    explain_workers: int = Field(2, ge=1, description="requests that are opened up at the same time")
    explain_queue: int = Field(64, ge=0, description="such requests that may wait; beyond it, 503")
    explain_seconds: float = Field(60, gt=0, description="time for one of them, waiting included")
    lab_queue: int = Field(16, ge=0, description="requests of the labs that may wait for the one that runs")
    lab_seconds: float = Field(20, gt=0, description="time for one of them, waiting included")

    # -- connections -----------------------------------------------------------------------------------------
    max_connections: int = Field(1_000, ge=1, description="open connections; beyond it, the longest idle one goes")
    max_bytes_in_flight: int = Field(
        200_000_000, ge=1_000, description="bytes of all bodies that are held at a time; beyond it, 503"
    )
    header_seconds: float = Field(10, gt=0, description="time for a request's headers, and for an idle connection")
    body_seconds: float = Field(30, gt=0, description="time for a request's body, and for a client to read on")

    @field_validator("root_path")
    @classmethod
    def _without_last_slash(cls, prefix: str) -> str:
        return prefix.rstrip("/")

    @field_validator("cors")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for one in origins:
            if one != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+/?", one):
                raise ValueError(f"'{one}' is no origin; write one such as https://example.org, or *")
        return tuple(one.rstrip("/") for one in origins)

    @field_validator("trust_proxy")
    @classmethod
    def _are_addresses(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for one in proxies:
            try:
                ip_network("0.0.0.0/0" if one == "*" else one)
            except ValueError:
                raise ValueError(f"'{one}' is no address; write one such as 127.0.0.1 or 10.0.0.0/8, or *") from None
        return ("*",) if "*" in proxies else proxies

    @field_validator("allow_host")
    @classmethod
    def _are_names(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for one in hosts:
            if one != "*" and not re.fullmatch(r"(\*\.)?[\w.-]+|\[[0-9a-fA-F:.]+\]", one):
                raise ValueError(f"'{one}' is no name; write one such as mt.example.org, without https:// and port")
        return tuple(one.lower() for one in hosts)

    @property
    def takes_files(self) -> bool:
        return self.max_kept_files > 0

    @property
    def is_private(self) -> bool:
        """Nobody but this machine can ask. What stands in front of a proxy is not, whatever address it listens on."""
        return is_loopback(self.host) and not (self.allow_host or self.root_path or self.trust_proxy)


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
