"""JSON objects in text columns: written strictly, read forgivingly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["dumps", "loads"]


def dumps(value: Mapping[str, Any]) -> str:
    """Return the one text of a JSON object: keys sorted, ASCII only.

    ASCII makes lone surrogates and NUL characters storable in every database; sorted keys make
    equal objects equal texts.

    Raises:
        ValueError: The object holds NaN or an infinity, or is nested too deeply.
    """
    try:
        return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))
    except ValueError:
        raise ValueError("must hold no NaN or infinite number") from None
    except RecursionError:
        raise ValueError("must not be nested that deeply") from None


def loads(text: object) -> dict[str, Any]:
    """Return a stored JSON object, or an empty one where the stored text is damaged.

    One damaged row must never break a listing of thousands (reference 3.1, 408993e).
    """
    if text == "{}" or not isinstance(text, str | bytes):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
