"""Score the search of `file_ops` on a retrieval collection, through its tools, with its defaults.

    python bench/retrieval/score_collection.py COLLECTION.json [--run RUN.json] [--tool-limit 30]

COLLECTION.json: {"name", "granularity": "doc" | "file", "collections": [{"project",
"docs": [{"id", "path", "text"}], "queries": [{"id", "text"}], "qrels": {query: {doc: grade}}}]}.
Each document is written as a file, the directory is indexed with `index_collection`, and each query
is asked with `search_vectors`. Prints nDCG@10, recall@10 and MRR@10 (binary gains), the chunks
indexed a second, and the time of a query; `--run` keeps the ranking as {query: [doc id, …]}.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import anyio

from toolroll.context import LOCAL
from toolroll.runtime import Runtime

CUT = 10


class Host:
    """Calls tools in process."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Return the payload of a call."""
        answer = anyio.run(self._runtime.caller.call, tool, arguments, LOCAL)
        if answer.is_error:
            raise SystemExit(f"{tool}: {answer.text}")
        return json.loads(answer.text)


def write(root: Path, docs: list[dict[str, str]], granularity: str) -> dict[str, str]:
    """Write each document as a file; return the document's id for each path."""
    ids: dict[str, str] = {}
    for number, doc in enumerate(docs):
        path = PurePosixPath(doc["path"])
        if granularity == "doc":  # several documents may come from one file
            path = path.with_name(f"{path.stem}_{number}{path.suffix}")
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(doc["text"])
        ids[path.as_posix()] = doc["id"]
    return ids


@contextmanager
def served(root: Path, data: Path) -> Iterator[Host]:
    """Serve the installed packs on a directory."""
    with Runtime.open(roots=[root], data_dir=data) as runtime:
        yield Host(runtime)


def measures(ranked: list[str], relevant: set[str]) -> tuple[float, float, float]:
    """Return nDCG, recall and reciprocal rank of one query, cut at ten."""
    hits = [place for place, doc in enumerate(ranked[:CUT]) if doc in relevant]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(CUT, len(relevant))))
    gain = sum(1 / math.log2(place + 2) for place in hits)
    return gain / ideal, len(hits) / len(relevant), 1 / (hits[0] + 1) if hits else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", type=Path)
    parser.add_argument("--run", type=Path, help="write the ranking here")
    parser.add_argument("--tool-limit", type=int, default=30, help="chunks asked for")
    options = parser.parse_args()
    given = json.loads(options.collection.read_text())
    run: dict[str, list[str]] = {}
    found: list[tuple[float, float, float]] = []
    seconds: list[float] = []
    for project in given["collections"]:
        with tempfile.TemporaryDirectory() as place:
            root = Path(place, "project")
            root.mkdir()
            ids = write(root, project["docs"], given["granularity"])
            with served(root, Path(place, "data")) as host:
                done = host.call("index_collection", {"collection": "bench", "path": "."})
                rate = done["total_chunks"] / (done["duration_ms"] / 1000)
                print(f"{project['project']}: {done['total_chunks']} chunks, {rate:.0f} a second")
                for query in project["queries"]:
                    grades = project["qrels"].get(query["id"], {})
                    relevant = {doc for doc, grade in grades.items() if grade > 0}
                    if not relevant:
                        continue
                    asked = {"collection": "bench", "query": query["text"]}
                    started = time.perf_counter()
                    answer = host.call("search_vectors", {**asked, "limit": options.tool_limit})
                    seconds.append(time.perf_counter() - started)
                    paths = (hit["payload"]["file_path"] for hit in answer["results"])
                    ranked = list(dict.fromkeys(ids[path] for path in paths))
                    run[query["id"]] = ranked
                    found.append(measures(ranked, relevant))
    ndcg, recall, rank = (statistics.fmean(values) for values in zip(*found, strict=True))
    spent = sorted(seconds)
    print(f"{given['name']}: {len(found)} queries")
    print(f"nDCG@10 {ndcg:.4f}  recall@10 {recall:.4f}  MRR@10 {rank:.4f}")
    middle, late = spent[len(spent) // 2], spent[int(len(spent) * 0.95)]
    print(f"query p50 {middle * 1000:.1f} ms  p95 {late * 1000:.1f} ms")
    if options.run:
        options.run.write_text(json.dumps(run))


if __name__ == "__main__":
    main()
