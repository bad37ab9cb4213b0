"""Reading the XML of test reports, also where a reporter wrote what XML can't hold."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring, parse

from toolroll_investigation.junit_words import clean

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from xml.etree.ElementTree import Element  # for the type only: parsing is defused

__all__ = ["HOLDERS", "JUnitError", "read", "reports"]

HOLDERS: Final = ("testsuites", "testsuite")
MAX_BYTES: Final = 64 * 1024 * 1024

_ENCODING: Final = re.compile(rb"""\s*<\?xml[^>]{0,100}?encoding=["']([\w.-]{1,40})["']""")
_DECLARATION: Final = re.compile(r"<\?xml[^>]*\?>")
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCE: Final = re.compile(r"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,10}));")


class JUnitError(Exception):
    """A file can't be read as JUnit XML; the text names it and says why."""


def reports(path: Path) -> list[Path]:
    """Return the reports that a path names: itself, or of a directory the files in it.

    Surefire and Gradle write one for each class, beside others of other kinds.

    Raises:
        JUnitError: A directory has none.
    """
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("TEST-*.xml")) or sorted(path.glob("*.xml"))
    if not found:
        raise JUnitError(f"{path} holds no .xml file; name the directory that the reports are in")
    return found


def read(file: Path) -> Element:
    """Return the root of a report.

    Raises:
        JUnitError: It is no JUnit XML.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            raise JUnitError(f"{file.name} is larger than {MAX_BYTES} bytes")
        try:
            root = parse(file).getroot()
        except (ParseError, ValueError, LookupError):  # the last two: an encoding that it lacks
            root = fromstring(_mended(file.read_bytes()))
    except OSError as error:
        raise JUnitError(f"{file.name}: {error.strerror or 'can not be read'}") from error
    except DefusedXmlException:
        raise JUnitError(f"{file.name} defines XML entities, which no test report needs") from None
    except (ParseError, ValueError) as error:
        raise JUnitError(
            f"{file.name} is not XML: {error}; let the test run end, and write its results anew"
        ) from None
    elements: Iterable[Element] = () if root is None else root.iter()
    for element in elements:
        element.tag = element.tag.rpartition("}")[2]  # some reporters put it into a namespace
    if root is None or root.tag not in HOLDERS:
        tag = "nothing" if root is None else clean(root.tag)[:100]
        raise JUnitError(
            f"{file.name} is not JUnit XML: its root is {tag}, not testsuites or testsuite; let "
            "the test runner write JUnit XML"
        )
    return root


def _mended(data: bytes) -> str:
    """The text of XML into which a reporter wrote what XML can't hold: that is spelt out.

    Bytes that are not of the encoding are marked as such: what a test prints may be anything.
    """
    declared = _ENCODING.match(data)
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    encoding = "utf-16" if wide else declared[1].decode() if declared else "utf-8"
    try:
        text = data.decode(encoding, "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    text = _FORBIDDEN.sub(lambda found: _spelt(ord(found[0])), text)
    text = _REFERENCE.sub(_allowed, text)
    return _DECLARATION.sub("", text.lstrip("\ufeff \t\r\n"), count=1)


def _allowed(reference: re.Match[str]) -> str:
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    allowed = code <= sys.maxunicode and not _FORBIDDEN.match(chr(code))
    return reference[0] if allowed else _spelt(code)


def _spelt(code: int) -> str:
    return f"#x{code:02X}"  # as pytest does
