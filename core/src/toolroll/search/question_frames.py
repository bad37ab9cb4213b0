"""What a question says around what it asks for: "which function is responsible for …".

Such words name no code, but stand in much of it: `code`, `class`, `implemented`. Put before 362
questions in words, "where is the code implemented to" cost .037 nDCG@10 (bench/file_ops/README.md).
"""

from __future__ import annotations

import re
from typing import Final

from toolroll.search.tokens import query_tokens

__all__ = ["without_frame"]

_NOUN: Final = r"""(?:(?:source[ ])?code|logic|implementation|function|method|class|module|file
    |component|script|place|part|piece)(?:s|es)?"""
_NOUNS: Final = rf"{_NOUN}(?:(?:,[ ]|[ ]or[ ]|[ ]and[ ]|/){_NOUN})*"
_MEANT: Final = r"(?:(?:source[ ])?code|logic|implementation|function|method|class|module)(?:s|es)?"
"""What is asked for where nobody asks: "find the file that …" tells what code does."""
_LINK: Final = r"""(?:(?:(?:is|are)[ ])?(?:(?:implemented|responsible|used)[ ])?
      (?:that|which|where|for|to|in[ ]charge[ ]of)(?:[ ]this:)?
    |(?<=implementation[ ])of|(?<=logic[ ])of|(?<=code[ ])of
    |(?:(?:is|are)[ ])?(?:implementing|handling|doing|containing|dealing[ ]with))"""
_DOES: Final = r"(?:implements?|handles?|does|do|contains?|holds?|deals?[ ]with)"
_BEFORE: Final = re.compile(
    rf"""(?:(?:please|can[ ]you|could[ ]you)[ ])?
    (?:(?:in[ ])?(?:which|what)[ ]{_NOUNS}[ ]
        (?:of[ ]the[ ]code[ ](?:{_DOES}|{_LINK})?
          |(?:(?:is|are)[ ]the[ ]ones?[ ])?(?:{_DOES}|{_LINK}))
      |in[ ](?:which|what)[ ]{_NOUNS}[ ](?:is|are|does|do)
      |where(?:'s|[ ]is|[ ]are|[ ](?:can|do)[ ]i[ ](?:find|see))[ ](?:the|an?|any|some)[ ]
        {_NOUNS}[ ]{_LINK}
      |(?:find|show|give|locate|explain)(?:[ ]me)?[ ]the[ ]{_MEANT}[ ]{_LINK})[ ]?(?<=[ ])""",
    re.IGNORECASE | re.VERBOSE,
)
_AFTER: Final = re.compile(
    r"""(?<=[ ])(?:(?:(?:is|are|gets?)[ ])?(?:implemented|located)|works?)
    (?:[ ](?:here|in[ ](?:the|this)[ ](?:code(?:[ ]?base)?|project|repo(?:sitory)?|source)))?
    [ ]?[?.]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKS: Final = re.compile(r"(?:in )?(?:where|how|which|what)\b", re.IGNORECASE)


def without_frame(query: str) -> str:
    """Return what a question is about; the query as it is where nothing would be left.

    "Which class is responsible for retrying requests?" asks for "retrying requests?".
    """
    asked = " ".join(query.split())
    rest = _BEFORE.sub("", asked, count=1) if _BEFORE.match(asked) else asked
    if _ASKS.match(asked):
        rest = _AFTER.sub("", rest)
    rest = rest.strip()
    return rest if rest != asked and query_tokens(rest) else query
