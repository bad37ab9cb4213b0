"""Make questions of further kinds from packages themselves, with what answers them.

    python bench/file_ops/derived_queries.py QUERIES.yaml FOLDER INTO [--each 8]

QUERIES.yaml and FOLDER are those of `code_search.py`. Copies each package to INTO, without the
comments that are asked for, and writes all questions to INTO/queries.yaml, for `code_search.py`.
Nothing is searched for meanwhile; what is drawn depends on the packages alone. The kinds are:

- comment: a line of a comment or docstring, which the copy lacks
- case: a definition's name in the other style, `parseHeader` for `parse_header`
- part: such a name without one of its words, in the style of the code
- letter: such a name with two letters swapped, one doubled or one left out
- misspelt: the questions of kind "text", their longest word spelt so
- error: a message of the code, as a program prints it: with values filled in
- trace: a line of a stack trace from another machine, where the package is installed elsewhere
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

SOURCES = {
    **dict.fromkeys((".py",), "python"),
    **dict.fromkeys((".js", ".ts", ".tsx", ".mjs", ".cjs"), "javascript"),
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
}
SIDE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|examples?|samples?|dist|vendor|testutil)/|[._]test\b"
)
LARGEST = 300_000
"""Bytes of a file that is written by hand."""
DEFINITION = re.compile(
    r"^[ \t]*(?:export )?(?:pub(?:\(\w+\))? )?(?:async )?"
    r"(?:def|class|func|function|fn|struct|const|enum|trait|interface)\s+(?:\([^)]*\) *)?(\w+)"
    r"|^[ \t]+(?:public|private|protected|static)\b[\w<>\[\], ]*\s(\w+)\("
    r"|^(\w+)\((?:struct|const|void|int|char|\w+ \*)",
    re.MULTILINE,
)
COMMENT = re.compile(
    r"^[ \t]*(?:///?|#|\*|\"\"\"|/\*\*?)[ \t]+?(?P<text>\w[^\n]*)|^[ \t]*\"\"\"(?P<doc>\w[^\n]*)"
)
MESSAGE = re.compile(
    r"(?:raise|throw|[Ee]rror\w*|panic!?|warn\w*|fail\w*|errx?|[Ee]xception)\W*\(\s*[fF]?"
    r"(?:\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`)"
)
GAP = re.compile(r"\$\{[^}]*\}|\{[^{}]*\}|%[-+#0-9.]*(?:\([^)]*\))?[a-zA-Z]")
VALUES = ("'orders-42'", "17", "/srv/data/a7.bin", "0x7f3a", "eu-west-1", "None")
LAUNCH = {
    "python": "ValueError: ", "javascript": "Uncaught Error: ", "go": "2024/05/03 10:11:12 [ERR] ",
    "rust": "thread 'main' panicked at '",
    "java": "Exception in thread \"main\" java.lang.IllegalStateException: ",
    "c": "[err] ",
}  # fmt: skip


def words_of(name: str) -> list[str]:
    """Return the words that an identifier is made of, in lower case."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def joined(words: list[str], like: str) -> str:
    """Return words as an identifier in the style of another."""
    if "_" in like.strip("_"):
        made = "_".join(words)
        return made.upper() if like.isupper() else made
    capital = "".join(word.capitalize() for word in words)
    return capital if like[0].isupper() else words[0] + capital[len(words[0]) :]


def other_case(name: str) -> str:
    """Return an identifier in the other style."""
    words = words_of(name)
    return joined(words, "aB") if "_" in name.strip("_") else "_".join(words)


def misspelt(word: str, chance: random.Random) -> str:
    """Return a word with one slip behind its first letter."""
    at = chance.randrange(1, len(word) - 2)
    return chance.choice(
        [
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
        ]
    )


def frame(package: str, path: str, language: str, name: str, line: int) -> str:
    """Return a line of a stack trace as the language prints it."""
    installed = path.removeprefix("src/")
    if language == "python":
        place = f"/home/ci/venv/lib/python3.11/site-packages/{installed}"
        return f'File "{place}", line {line}, in {name}'
    if language == "javascript":
        return f"at {name} (/app/node_modules/{package}/{path}:{line}:13)"
    if language == "go":
        place = f"/root/go/pkg/mod/example.com/{package}@v1.4.2/{path}"
        return f"example.com/{package}.{name}(0xc0001a2000)\n\t{place}:{line} +0x1d"
    if language == "rust":
        place = f"/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/{package}-0.11.13"
        return f"17: {package}::{name}\n at {place}/{path}:{line}:9"
    if language == "java":
        module = installed.removeprefix("main/java/").removesuffix(".java").replace("/", ".")
        return f"at {module}.{name}({Path(path).name}:{line})"
    return f"#3  0x00007ffff7f5a1b2 in {name} (base=0x555555559260, flags=0) at ../{path}:{line}"


class Package:
    """The sources of one package, in the order of their paths."""

    def __init__(self, name: str, root: Path) -> None:
        self.name = name
        self.texts: dict[str, str] = {}
        for place in sorted(root.rglob("*")):
            path = place.relative_to(root).as_posix()
            if place.suffix in SOURCES and place.is_file() and place.stat().st_size <= LARGEST:
                self.texts[path] = place.read_text("utf-8", errors="replace")
        self.paths = [path for path in self.texts if not SIDE.search(path)]
        places: dict[str, set[str]] = defaultdict(set)
        self.names: list[tuple[str, str, int]] = []
        for path in self.paths:
            for found in DEFINITION.finditer(self.texts[path]):
                name = found[found.lastindex or 0]
                line = self.texts[path].count("\n", 0, found.start()) + 1
                places[name].add(path)
                self.names.append((name, path, line))
        self.names = [row for row in self.names if len(places[row[0]]) == 1]

    def language(self, path: str) -> str:
        """Return what a file is written in."""
        return SOURCES[Path(path).suffix]

    def alone(self, text: str) -> bool:
        """Say whether one file alone, tests aside, holds a text."""
        return sum(text in self.texts[path] for path in self.paths) == 1


def comments(package: Package) -> Iterator[tuple[str, str]]:
    for path in package.paths:
        for line in package.texts[path].splitlines():
            found = COMMENT.match(line)
            text = ((found["text"] or found["doc"]) if found else "").strip(' "*/')
            if (
                6 <= len(text.split()) <= 25
                and re.match(r"[A-Z][\w ,.'()`-]+$", text)
                and package.alone(line)
            ):
                yield text, path


def long_names(package: Package) -> Iterator[tuple[str, str]]:
    for name, path, _ in package.names:
        if len(words_of(name)) >= 3 and len(name) >= 10 and other_case(name) != name:
            yield name, path


def messages(package: Package) -> Iterator[tuple[str, str]]:
    for path in package.paths:
        for found in MESSAGE.finditer(package.texts[path]):
            text = found[found.lastindex or 0]
            if len(GAP.sub(" ", text).split()) >= 4 and package.alone(text):
                yield text, path


def filled(text: str, language: str, chance: random.Random) -> str:
    """Return a message as a program prints it."""
    plain = text.replace("\\n", " ").replace("\\", "").replace("%%", "%")
    return LAUNCH[language] + GAP.sub(lambda _: chance.choice(VALUES), plain)


def drawn(
    rows: Iterator[tuple[Any, ...]], each: int, chance: random.Random
) -> list[tuple[Any, ...]]:
    """Return some rows, of as many files as there are."""
    mixed = sorted(set(rows))
    chance.shuffle(mixed)
    turns: dict[Any, int] = defaultdict(int)
    ordered = []
    for row in mixed:
        ordered.append((turns[row[1]], row))
        turns[row[1]] += 1
    return [row for _, row in sorted(ordered, key=lambda pair: pair[0])[:each]]


def derived(
    package: Package, asked: list[list[Any]], each: int
) -> tuple[list[list[Any]], list[tuple[str, str]]]:
    """Return the questions, and (text, path) of the comments to leave out."""
    chance = random.Random(package.name)
    made: list[list[Any]] = []

    def ask(kind: str, query: str, *ends: str) -> None:
        made.append([kind, query, list(ends)])

    removed = drawn(comments(package), each, chance)
    for text, path in removed:
        ask("comment", text, path)
    changes: dict[str, Callable[[str], str]] = {
        "case": other_case,
        "part": lambda name: joined(without_one(words_of(name), chance), name),
        "letter": lambda name: misspelt(name, chance),
    }
    for kind, change in changes.items():
        for name, path in drawn(long_names(package), each, chance):
            ask(kind, change(name), path)
    for kind, query, ends in asked:
        longest = max(query.split(), key=len)
        if kind == "text" and len(longest) >= 6:
            ask("misspelt", query.replace(longest, misspelt(longest, chance)), *ends)
    for text, path in drawn(messages(package), each, chance):
        ask("error", filled(text, package.language(path), chance), path)
    for name, path, line in drawn(iter(package.names), each, chance):
        ask("trace", frame(package.name, path, package.language(path), name, line + 4), path)
    return made, removed


def without_one(words: list[str], chance: random.Random) -> list[str]:
    """Return all words but one."""
    gone = chance.randrange(len(words))
    return words[:gone] + words[gone + 1 :]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("queries", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("into", type=Path)
    parser.add_argument("--each", type=int, default=8, help="questions of a kind for each package")
    options = parser.parse_args()
    every = yaml.safe_load(options.queries.read_text("utf-8"))
    for given in every:
        root = options.folder / given["name"]
        package = Package(given["name"], root)
        made, removed = derived(package, given["queries"], options.each)
        copy = options.into / given["name"]
        shutil.copytree(root, copy, ignore_dangling_symlinks=True)
        for text, path in removed:
            place = copy / path
            place.write_text(
                place.read_text("utf-8", errors="replace").replace(text, "", 1), "utf-8"
            )
        given["queries"] += made
        print(f"{given['name']}: {len(made)} questions made")
    (options.into / "queries.yaml").write_text(yaml.safe_dump(every, sort_keys=False, width=1000))


if __name__ == "__main__":
    main()
