"""Score the search for files: questions about public packages, asked through the tools.

    python bench/file_ops/code_search.py FOLDER [--queries FILE] [--fetch] [--misses] [--semble]

FOLDER holds one directory for each package of the queries. `--fetch` fills it through the package
managers' own clients (pip, npm, apt-get); what cannot be fetched is left out and named. Without
FOLDER, the few questions of `own_queries.yaml` are asked about this repository.

Each package is indexed as a collection with default settings and offline. The figures are nDCG@10
(binary), MRR@10 and recall@10 of the files as `search_vectors` with `group_by_file`,
`search_vectors` by chunk, and `intelligent_search` rank them, beside the rankings by words of
`baselines.py`. `--semble` adds semble with the word vectors that Toolroll uses (semble_side.py).
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import anyio
import yaml
from baselines import grep_like, plain_bm25, whoosh_bm25
from semble_peer import asked_semble

from toolroll.context import LOCAL
from toolroll.runtime import Runtime

CUT = 10
HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
Ask = Callable[[str, Mapping[str, Any]], Any]
Measures = tuple[float, float, float]
Scores = dict[str, dict[str, list[Measures]]]


def fetch(package: Mapping[str, Any], folder: Path) -> bool:
    """Fetch a package's source into the folder; say whether that worked."""
    with tempfile.TemporaryDirectory() as place:
        if "pypi" in package:
            name = package["pypi"].partition("==")[0]
            tool = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name]
            command = [*tool, package["pypi"]]
        elif "npm" in package:
            command = ["npm", "pack", "--silent", package["npm"]]
        elif "debian" in package:
            command = ["apt-get", "download", "-qq", package["debian"]]
        else:
            return False
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


def measures(ranked: list[str], relevant: set[str]) -> Measures:
    """Return nDCG, reciprocal rank and recall, cut at ten, with binary gains."""
    first = list(dict.fromkeys(ranked))[:CUT]
    hits = [place for place, path in enumerate(first) if path in relevant]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(CUT, len(relevant))))
    gain = sum(1 / math.log2(place + 2) for place in hits)
    return gain / ideal, 1 / (hits[0] + 1) if hits else 0.0, len(hits) / len(relevant)


def named(end: str, paths: list[str]) -> set[str]:
    """Return the file whose path this is, or else those whose paths end so."""
    return {end} & set(paths) or {path for path in paths if f"/{path}".endswith(f"/{end}")}


def mean(values: Iterable[Measures]) -> Measures:
    """Return the mean of each measure."""
    ndcg, rank, recall = map(statistics.fmean, zip(*values, strict=True))
    return ndcg, rank, recall


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


def measure(root: Path, package: Mapping[str, Any], misses: bool, semble: bool) -> Scores:
    """Ask every question about one package; return the scores by tool and kind."""
    scores: Scores = defaultdict(lambda: defaultdict(list))
    with served(root) as ask:
        ask("index_collection", {"collection": "bench", "path": "."})
        listed = ask("list_files_in_collection", {"collection": "bench", "max_results": 10_000})
        paths = [row["path"] for row in listed["files"]]
        texts = {path: (root / path).read_text("utf-8", errors="replace") for path in paths}
        rankers = tools(ask) | {
            "plain BM25": plain_bm25(texts, CUT),
            "Whoosh": whoosh_bm25(texts, CUT),
            "grep-like": grep_like(texts, CUT),
        }
        if semble:
            queries = [query for _, query, _ in package["queries"]]
            files = dict(zip(queries, asked_semble(root, queries)["files"], strict=True))
            rankers["semble"] = files.__getitem__
        for kind, query, ends in package["queries"]:
            relevant = {path for end in ends for path in named(end, paths)}
            if len(relevant) != len(ends):
                raise SystemExit(f"{package['name']}: {ends} do not name one file each")
            for name, rank in rankers.items():
                ranked = rank(query)
                score = measures(ranked, relevant)
                scores[name][kind].append(score)
                if misses and name == "search_files" and score[0] < 0.5:
                    print(
                        f"{score[0]:.2f} {kind} {package['name']}: {query!r} -> {ranked[:3]} {ends}"
                    )
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
            f"{name} {mean(chain(*kinds.values()))[0]:.3f}" for name, kinds in scores.items()
        )
        print(f"{package['name']:12s} {shown}", flush=True)
        for name, kinds in scores.items():
            for kind, values in kinds.items():
                total[name][kind] += values
    for name, kinds in total.items():
        everything = list(chain(*kinds.values()))
        for kind, values in [("all", everything), *sorted(kinds.items())]:
            ndcg, rank, recall = mean(values)
            print(
                f"{name:20s} {kind:12s} n={len(values):<4d} nDCG@10 {ndcg:.4f} MRR@10 {rank:.4f}"
                f" recall@10 {recall:.4f}"
            )


if __name__ == "__main__":
    main()
