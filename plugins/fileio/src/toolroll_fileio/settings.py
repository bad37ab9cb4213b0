"""Table `[fileio]` of `toolroll.toml`: every key of manual section 15, with a safe default.

The document writes `settings.mcp.files.search.limit_default`; here it is `[fileio.search]
limit_default`. Where the document leaves a default blank, it is that of reference 1.1.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator

import toolroll

__all__ = [
    "EmbeddingSettings",
    "FallbackSettings",
    "FileioSettings",
    "IndexSettings",
    "RerankSettings",
]

Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1_000_000)]

MOST_KEK_ID = 65_535
SHORTEST_KEK = 17


def _not_below(value: int, info: ValidationInfo, lower: str) -> int:
    least = info.data.get(lower)
    if least is not None and value < least:
        raise ValueError(f"must not be less than {lower} ({least})")
    return value


def _is_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an http or https URL")
    return value


class RerankSettings(toolroll.Settings):
    """Table `[fileio.search.rerank]`: a Cohere-compatible service that orders the candidates."""

    key_header: ClassVar[str] = "X-Cohere-Api-Key"
    """The HTTP header in which a caller sends its own key for the service."""
    enabled: bool = False
    """Send queries and candidate chunks to `endpoint`; off, so that no text leaves unasked."""
    model: str = "rerank-v3.5"
    endpoint: str = "https://oneapi.laisky.com/v1/rerank"
    timeout_ms: Count = 6_000
    local_key_file: str = ""
    """A file that holds the local user's key for the service; other tenants never use it."""

    _endpoint = field_validator("endpoint")(_is_url)


class EmbeddingSettings(toolroll.Settings):
    """Table `[fileio.search.embedding]`: what makes the vectors; `wordllama` works offline."""

    key_header: ClassVar[str] = "X-OpenAI-Api-Key"
    """The HTTP header in which a caller sends its own key for the service."""
    engine: Literal["wordllama", "openai"] = "wordllama"
    endpoint: str = "http://localhost:11434/v1/embeddings"
    """For `openai`: the full address of a service that speaks OpenAI's API."""
    model: str = "text-embedding-3-small"
    dimension: Annotated[int, Field(ge=1, le=8_192)] = 1_536
    timeout_ms: Count = 30_000
    local_key_file: str = ""
    """A file that holds the local user's key for the service; other tenants never use it. It is
    handed to the worker sealed, so that it needs `security.encryption_keks`."""

    _endpoint = field_validator("endpoint")(_is_url)


class FallbackSettings(toolroll.Settings):
    """Table `[fileio.search.fallback]`: weights of the fused score, used as their shares."""

    semantic_weight: Share = 0.65
    lexical_weight: Share = 0.35

    @field_validator("lexical_weight")
    @classmethod
    def _not_both_zero(cls, value: float, info: ValidationInfo) -> float:
        if value == 0 and info.data.get("semantic_weight") == 0:
            raise ValueError("must be above 0 when semantic_weight is 0")
        return value

    @property
    def semantic_share(self) -> float:
        """The weight of the semantic signal, the two weights brought to a sum of 1."""
        return self.semantic_weight / (self.semantic_weight + self.lexical_weight)


class SearchSettings(toolroll.Settings):
    """Table `[fileio.search]`."""

    enabled: bool = True
    limit_default: Count = 5
    limit_max: Annotated[int, Field(ge=1, validate_default=True)] = 20
    vector_candidates: Annotated[int, Field(ge=1, le=1_000)] = 30
    bm25_candidates: Annotated[int, Field(ge=1, le=1_000)] = 30
    catch_up_ms: Annotated[int, Field(ge=0, le=10_000)] = 250
    """How long a search may index files written a moment ago before it answers; in a process
    without a worker, such as `toolroll tools call`, half of the call's time."""
    semantic_floor: Annotated[float, Field(ge=-1, le=1)] = 0.2
    """Chunks less similar to the query than this are found by their words alone."""
    lexical_engine: Literal["fts5", "whoosh"] = "fts5"
    """What finds chunks by their words; both use the same tokens and rank alike. On PostgreSQL the
    database does."""
    signals: bool = True
    """Without a reranker, let also count where a chunk is and what it defines; off, the fused score
    alone decides."""
    embedding: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()
    fallback: FallbackSettings = FallbackSettings()

    @field_validator("limit_max")
    @classmethod
    def _limits(cls, value: int, info: ValidationInfo) -> int:
        return _not_below(value, info, "limit_default")


class IndexSettings(toolroll.Settings):
    """Table `[fileio.index]`: the worker that makes files searchable."""

    workers: Annotated[int, Field(ge=1, le=32)] = 2
    batch_size: Annotated[int, Field(ge=1, le=1_000)] = 20
    retry_max: Annotated[int, Field(ge=0, le=100)] = 5
    retry_backoff_ms: Annotated[int, Field(ge=1)] = 1_000
    slo_p95_seconds: Annotated[float, Field(gt=0)] = 30.0
    chunk_bytes: Annotated[int, Field(ge=64, le=100_000)] = 1_500
    lease_seconds: Annotated[float, Field(gt=0)] = 60.0
    """A claimed job returns to the queue when its worker hasn't finished it for so long."""
    job_retention_days: Count = 7
    """Finished and failed jobs are forgotten after so many days."""


class SecuritySettings(toolroll.Settings):
    """Table `[fileio.security]`: credentials handed to the worker, for embedders that need one."""

    encryption_keks: dict[int, SecretStr] = Field(default_factory=dict[int, SecretStr])
    """Key-encryption secrets by id; the highest id encrypts, each id decrypts."""
    credential_cache_prefix: Annotated[str, Field(min_length=1)] = "mcp:files:cred"
    credential_cache_ttl_seconds: Count = 300

    @field_validator("encryption_keks")
    @classmethod
    def _keks(cls, value: dict[int, SecretStr]) -> dict[int, SecretStr]:
        for number, secret in value.items():
            if not 0 <= number <= MOST_KEK_ID:
                raise ValueError(f"id {number} is not in 0..{MOST_KEK_ID}")
            if len(secret.get_secret_value().strip()) < SHORTEST_KEK:
                raise ValueError(f"the secret of id {number} needs {SHORTEST_KEK} characters")
        return value


class FileioSettings(toolroll.Settings):
    """Table `[fileio]`."""

    allow_root_wipe: bool = False
    """Let `file_delete` with path "" and recursive empty a whole project."""
    max_payload_bytes: Count = 2_000_000
    max_file_bytes: Annotated[int, Field(ge=1, le=500_000_000)] = 10_000_000
    max_project_bytes: Count = 100_000_000
    list_limit_default: Count = 256
    list_limit_max: Annotated[int, Field(ge=1, le=100_000, validate_default=True)] = 1_024
    lock_timeout_ms: Count = 3_000
    delete_retention_days: Count = 30
    grep_timeout_ms: Count = 5_000
    """How long one `file_grep` may read before it answers with what it has."""
    search: SearchSettings = SearchSettings()
    index: IndexSettings = IndexSettings()
    security: Annotated[SecuritySettings, Field(validate_default=True)] = SecuritySettings()

    @field_validator("list_limit_max")
    @classmethod
    def _limits(cls, value: int, info: ValidationInfo) -> int:
        return _not_below(value, info, "list_limit_default")

    @field_validator("security")
    @classmethod
    def _sealed(cls, value: SecuritySettings, info: ValidationInfo) -> SecuritySettings:
        search = info.data.get("search")
        if search is not None and search.embedding.local_key_file and not value.encryption_keks:
            raise ValueError("needs encryption_keks when search.embedding has a local_key_file")
        return value
