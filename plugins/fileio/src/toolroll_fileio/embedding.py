"""The vectors of a batch of jobs: made at once, or for each job with its caller's own key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

import toolroll
from toolroll.search import Embedder, EmbeddingError, EngineMissing, SearchError
from toolroll.search.vectors import encode_vectors
from toolroll.storage.credentials import CredentialUnavailable

if TYPE_CHECKING:
    from toolroll_fileio.handover import Handover
    from toolroll_fileio.jobs import Job

__all__ = ["Embedding", "Failure", "worth_retrying"]

Failure = SearchError | CredentialUnavailable | toolroll.ResourceBusy


@frozen(eq=False)
class Embedding:
    """Makes vectors.

    Attributes:
        embedder: Says which model and dimension; makes the vectors where no key is needed.
        handover: Gives the keys of jobs; None where none is needed.
        with_key: Returns the embedder that calls the service with a key.
    """

    embedder: Embedder
    handover: Handover | None
    with_key: Callable[[str], Embedder]

    def make(
        self, batch: Sequence[Job], texts: Mapping[str, Mapping[str, str]]
    ) -> tuple[dict[str, bytes], Failure | None]:
        """Return stored vectors by digest, and what failed last, if anything did.

        Args:
            batch: The jobs of one space.
            texts: By path, the texts that have no vector yet, by their digest.
        """
        if self.handover is None:
            every = {digest: text for found in texts.values() for digest, text in found.items()}
            try:
                return _embedded(self.embedder, every), None
            except SearchError as error:
                return {}, error
        vectors: dict[str, bytes] = {}
        failed: Failure | None = None
        for path, found in texts.items():
            missing = {digest: text for digest, text in found.items() if digest not in vectors}
            try:
                vectors |= self._with_key(self.handover, batch, path, missing)
            except (SearchError, CredentialUnavailable, toolroll.ResourceBusy) as error:
                failed = error
        return vectors, failed

    def _with_key(
        self, handover: Handover, batch: Sequence[Job], path: str, texts: Mapping[str, str]
    ) -> dict[str, bytes]:
        if not texts:
            return {}
        jobs = [job for job in batch if job.path == path and job.credential_ref]
        if not jobs:
            raise CredentialUnavailable("no key was handed over with the job")
        newest = max(jobs, key=lambda job: job.id)
        with handover.use(newest.space, path, newest.credential_ref or "") as key:
            return _embedded(self.with_key(key), texts)

    def forget(self, references: Sequence[str]) -> None:
        """Delete the envelopes of jobs that are done."""
        if self.handover is not None:
            for reference in references:
                self.handover.forget(reference)


def worth_retrying(error: Failure | None) -> bool:
    """Say whether vectors may come later; a library that isn't installed won't be."""
    if isinstance(error, EmbeddingError):
        return True
    return error is not None and not isinstance(error, EngineMissing)


def _embedded(embedder: Embedder, texts: Mapping[str, str]) -> dict[str, bytes]:
    if not texts:
        return {}
    found = embedder.embed(list(texts.values()))
    return dict(zip(texts, encode_vectors(found), strict=True))
