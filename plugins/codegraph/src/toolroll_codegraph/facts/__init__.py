"""What the syntax of one file says, in one small model for all languages."""

from __future__ import annotations

from toolroll_codegraph.facts.builder import CallMark, FactBuilder
from toolroll_codegraph.facts.encoding import (
    compress_facts,
    decode_facts,
    encode_facts,
    packed_size,
)
from toolroll_codegraph.facts.frames import Frame
from toolroll_codegraph.facts.model import (
    NOTHING,
    OWN_NAME,
    REFUSED,
    CallColumn,
    CallFlag,
    FileFacts,
    ImportKind,
    ObjectKind,
    Operation,
    ParamKind,
    ScopeFlag,
    ScopeKind,
    TypeHint,
)
from toolroll_codegraph.facts.names import (
    ANY_KEY,
    ANY_NUMBER,
    ASKED_KEYS,
    OF_SINGLETON,
    PREFIX,
    RESULT,
    RETURNED,
    SENT,
)
from toolroll_codegraph.facts.packing import numbers, pack_numbers

__all__ = [
    "ANY_KEY",
    "ANY_NUMBER",
    "ASKED_KEYS",
    "NOTHING",
    "OF_SINGLETON",
    "OWN_NAME",
    "PREFIX",
    "REFUSED",
    "RESULT",
    "RETURNED",
    "SENT",
    "CallColumn",
    "CallFlag",
    "CallMark",
    "FactBuilder",
    "FileFacts",
    "Frame",
    "ImportKind",
    "ObjectKind",
    "Operation",
    "ParamKind",
    "ScopeFlag",
    "ScopeKind",
    "TypeHint",
    "compress_facts",
    "decode_facts",
    "encode_facts",
    "numbers",
    "pack_numbers",
    "packed_size",
]
