"""What an operator can set: every limit of the server with its default."""

from pydantic import ConfigDict, Field

from dhyan.core.settings import Settings


class ServerSettings(Settings):
    """Limits hold for all routes and protocols together, unless they say otherwise."""

    model_config = ConfigDict(frozen=True, validate_assignment=False)

    # -- one request -----------------------------------------------------------------------------------------
    max_characters: int = Field(20_000, ge=1, description="characters of one text")
    max_sentence_characters: int = Field(2_000, ge=1, description="characters of a sentence that is opened up")
    max_texts: int = Field(256, ge=1, description="texts of one request")
    max_alternatives: int = Field(8, ge=0, le=32, description="other ways to say it, per text")
    max_new_tokens: int = Field(500, ge=1, description="tokens that are written after a prompt")
    max_body_bytes: int = Field(1_000_000, ge=1_000, description="bytes of a request's body")
    request_seconds: float = Field(
        60, gt=0, description="time for one request, waiting included; then it is given up"
    )

    # -- translating, embedding, classifying, writing --------------------------------------------------------
    threads: int = Field(0, ge=0, description="threads of an engine; 0 for one per core")
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
    max_kept_files: int = Field(100, ge=1, description="translated files that wait to be fetched; the oldest go")
    kept_file_seconds: float = Field(1_800, gt=0, description="time for a translated file to be fetched")

    # -- opening up, and the labs: in workers of their own -----------------------------------------------------
    explain_workers: int = Field(2, ge=1, description="requests that are opened up at the same time")
    explain_queue: int = Field(64, ge=0, description="such requests that may wait; beyond it, 503")
    explain_seconds: float = Field(60, gt=0, description="time for one of them, waiting included")
    lab_queue: int = Field(16, ge=0, description="requests of the labs that may wait for the one that runs")
    lab_seconds: float = Field(20, gt=0, description="time for one of them, waiting included")

    # -- connections -----------------------------------------------------------------------------------------
    max_connections: int = Field(1_000, ge=1, description="open connections; beyond it, the longest idle one goes")
    header_seconds: float = Field(10, gt=0, description="time for a request's headers, and for an idle connection")
    body_seconds: float = Field(30, gt=0, description="time for a request's body, and for a client to read on")
    cors_origins: tuple[str, ...] = Field((), description="origins whose pages may call the API, or * for all")
