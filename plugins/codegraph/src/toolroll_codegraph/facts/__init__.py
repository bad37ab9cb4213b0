"""What the syntax of one file says, in one small model for all languages."""

from __future__ import annotations

from toolroll_codegraph.facts.builder import FactBuilder, Frame
from toolroll_codegraph.facts.model import (
    ANY_KEY,
    CallFlag,
    FileFacts,
    ImportKind,
    ObjectKind,
    ParamKind,
    ScopeFlag,
    ScopeKind,
    decode_facts,
    encode_facts,
    numbers,
)

__all__ = [
    "ANY_KEY",
    "CallFlag",
    "FactBuilder",
    "FileFacts",
    "Frame",
    "ImportKind",
    "ObjectKind",
    "ParamKind",
    "ScopeFlag",
    "ScopeKind",
    "decode_facts",
    "encode_facts",
    "numbers",
]
