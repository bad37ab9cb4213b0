"""Score the search for files: questions about public packages, asked through the tools.

    python bench/file_ops/code_search.py FOLDER [--queries FILE] [--fetch] [--misses] [--semble]

FOLDER holds one directory for each package of the queries. `--fetch` fills it through the package
managers' own clients (pip, npm, apt-get); what cannot be fetched is left out and named. Without
FOLDER, the few questions of `own_queries.yaml` are asked about this repository.

Each package is indexed as a collection with default settings and offline. The figure is nDCG@10
(binary) of the files as `search_vectors` with `group_by_file`, `search_vectors` by chunk, and
`intelligent_search` rank them, beside BM25 over whole files with plain words (bm25s). `--semble`
adds semble with the word vectors that Toolroll uses (semble_side.py).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import anyio
import bm25s
import yaml
from semble_peer import asked_semble

from toolroll.context import LOCAL
from toolroll.runtime import Runtime

CUT = 10
HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
Ask = Callable[[str, Mapping[str, Any]], Any]
Scores = dict[str, dict[str, list[float]]]


def fetch(package: Mapping[str, Any], folder: Path) -> bool:
    """Fetch a package's source into the folder; say whether that worked."""
    with tempfile.TemporaryDirectory() as place:
        if "pypi" in package:
            name = package["pypi"].partition("==")[0]
            tool = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name]
            command = [*tool, package["pypi"]]
        elif "npm" in package:
            command = ["npm", "pack", "--silent", package["npm"]]
        else:
            command = ["apt-get", "download", "-qq", package["debian"]]
        try:
            subprocess.run(command, cwd=place, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return False
        (archive,) = Path(place).iterdir()
        unpacked = Path(place, "unpacked")
        if archive.suffix == ".deb":
            subprocess.run(["dpkg-deb", "-x", archive, unpacked], check=True)
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(unpacked, filter="data")
        source = unpacked / package.get("only", ".")
        if "pypi" in package:
            (source,) = (path for path in unpacked.iterdir() if path.is_dir())
        shutil.copytree(
            source,
            folder / package["name"],
            dirs_exist_ok=True,
            ignore_dangling_symlinks=True,  # Debian's packages link to files of others
        )
    return True


def ndcg(ranked: list[str], relevant: set[str]) -> float:
    """Return nDCG@10 with binary gains."""
    gain = sum(
        1 / math.log2(place + 2)
        for place, path in enumerate(list(dict.fromkeys(ranked))[:CUT])
        if path in relevant
    )
    return gain / sum(1 / math.log2(place + 2) for place in range(min(CUT, len(relevant))))


@contextmanager
def served(root: Path) -> Iterator[Ask]:
    """Serve the installed packs on a directory, the index elsewhere."""
    with (
        tempfile.TemporaryDirectory() as data,
        Runtime.open(roots=[root], data_dir=Path(data)) as runtime,
    ):

        def ask(tool: str, arguments: Mapping[str, Any]) -> Any:
            answer = anyio.run(runtime.caller.call, tool, arguments, LOCAL)
            if answer.is_error:
                raise SystemExit(f"{tool}: {answer.text}")
            return json.loads(answer.text)

        yield ask


def tools(ask: Ask) -> dict[str, Callable[[str], list[str]]]:
    """Return what ranks files for a query, by name."""

    def by_file(query: str) -> list[str]:
        asked = {"collection": "bench", "query": query, "limit": CUT, "group_by_file": True}
        return [row["file_path"] for row in ask("search_vectors", asked)["results"]]

    def by_chunk(query: str) -> list[str]:
        asked = {"collection": "bench", "query": query, "limit": 100}
        return [row["payload"]["file_path"] for row in ask("search_vectors", asked)["results"]]

    def intelligent(query: str) -> list[str]:
        asked = {"collections": ["bench"], "query": query, "max_results": 50}
        found = ask("intelligent_search", asked)["results"]
        return [row["file_context"]["file_path"] for row in found]

    return {"search_files": by_file, "search_vectors": by_chunk, "intelligent_search": intelligent}


def plain_bm25(root: Path, paths: list[str]) -> Callable[[str], list[str]]:
    """Return BM25 over whole files with plain words."""

    def words(text: str) -> list[str]:
        return re.findall(r"\w+", text.lower())

    index = bm25s.BM25()
    index.index([words((root / path).read_text("utf-8")) for path in paths], show_progress=False)

    def ranked(query: str) -> list[str]:
        known = [word for word in words(query) if word in index.vocab_dict]
        if not known:
            return []
        most = min(CUT, len(paths))
        found, _ = index.retrieve([known], k=most, show_progress=False)
        return [paths[int(i)] for i in found[0]]

    return ranked


def measure(
    root: Path, package: Mapping[str, Any], misses: bool, semble: bool
) -> dict[str, dict[str, list[float]]]:
    """Ask every question about one package; return the scores by tool and kind."""
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with served(root) as ask:
        ask("index_collection", {"collection": "bench", "path": "."})
        listed = ask("list_files_in_collection", {"collection": "bench", "max_results": 10_000})
        paths = [row["path"] for row in listed["files"]]
        rankers = tools(ask) | {"plain BM25": plain_bm25(root, paths)}
        if semble:
            queries = [query for _, query, _ in package["queries"]]
            files = dict(zip(queries, asked_semble(root, queries)["files"], strict=True))
            rankers["semble"] = files.__getitem__
        for kind, query, ends in package["queries"]:
            relevant = {path for path in paths for end in ends if f"/{path}".endswith(f"/{end}")}
            if len(relevant) != len(ends):
                raise SystemExit(f"{package['name']}: {ends} do not name one file each")
            for name, rank in rankers.items():
                ranked = rank(query)
                score = ndcg(ranked, relevant)
                scores[name][kind].append(score)
                if misses and name == "search_files" and score < 0.5:
                    print(f"{score:.2f} {package['name']}: {query} -> {ranked[:3]}")
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--queries", type=Path, default=HERE / "code_queries.yaml")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--misses", action="store_true", help="show questions answered badly")
    parser.add_argument("--semble", action="store_true", help="rank with semble too")
    options = parser.parse_args()
    if options.folder is None:
        packages = yaml.safe_load((HERE / "own_queries.yaml").read_text("utf-8"))
    else:
        packages = yaml.safe_load(options.queries.read_text("utf-8"))
    total: Scores = defaultdict(lambda: defaultdict(list))
    for package in packages:
        root = REPOSITORY if options.folder is None else options.folder / package["name"]
        if not root.is_dir() and not (options.fetch and fetch(package, options.folder)):
            print(f"{package['name']}: not there; fetch it with --fetch")
            continue
        scores = measure(root, package, options.misses, options.semble)
        shown = " ".join(
            f"{name} {statistics.fmean(list(chain(*kinds.values()))):.3f}"
            for name, kinds in scores.items()
        )
        print(f"{package['name']:12s} {shown}", flush=True)
        for name, kinds in scores.items():
            for kind, values in kinds.items():
                total[name][kind] += values
    for name, kinds in total.items():
        everything = list(chain(*kinds.values()))
        parts = " ".join(f"{kind} {statistics.fmean(v):.3f}" for kind, v in sorted(kinds.items()))
        print(
            f"{name:20s} nDCG@10 {statistics.fmean(everything):.4f} (n={len(everything)}) {parts}"
        )


if __name__ == "__main__":
    main()
