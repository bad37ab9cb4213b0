"""Facts of a file as bytes: for the store, and for the way between processes."""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

from toolroll_codegraph.facts.model import FACTS_VERSION, FileFacts

_COMPRESSED: Final = b"\x78"
"""Begins what zlib has compressed, and no array of MessagePack's."""
_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(FileFacts)


def encode_facts(facts: FileFacts) -> bytes:
    """Pack facts."""
    return _encoder.encode(facts)


def compress_facts(blob: bytes) -> bytes:
    """Packed facts as they are stored, in two fifths of the space."""
    return zlib.compress(blob, 1)


def packed_size(blob: bytes) -> int:
    """Bytes of packed facts; of compressed ones about what they were."""
    return len(blob) * 5 // 2 if blob.startswith(_COMPRESSED) else len(blob)


def decode_facts(blob: bytes) -> FileFacts | None:
    """Unpack facts, compressed or not, or None when another release with other facts wrote them."""
    try:
        facts = _decoder.decode(zlib.decompress(blob) if blob.startswith(_COMPRESSED) else blob)
    except (msgspec.DecodeError, zlib.error):
        return None
    return facts if facts.version == FACTS_VERSION else None
