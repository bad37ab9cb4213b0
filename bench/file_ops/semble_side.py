# /// script
# requires-python = ">=3.11"
# dependencies = ["semble>=0.7", "wordllama>=0.4.0.post1"]
# ///
"""Index a directory with semble and ask it queries, in an environment of its own.

    uv run --no-project --script bench/file_ops/semble_side.py DIRECTORY QUERIES.json

QUERIES.json is a list of strings. Prints JSON: seconds and CPU seconds of the index, its chunks,
and for each query its seconds and the files of the chunks found. semble's own model needs the
network; a Model2Vec folder named by SEMBLE_MODEL_NAME is used instead, and without one the word
vectors that the wordllama wheel holds: the same that Toolroll uses, so that two rankings are
compared, not two models.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TOP = 50


def word_vectors(folder: Path) -> str:
    """Write the vectors of the wordllama wheel as a Model2Vec folder; return its path."""
    import numpy as np
    import wordllama
    from model2vec import StaticModel

    package = Path(wordllama.__file__).parent
    model: Any = wordllama.WordLlama.load(
        "l2_supercat", cache_dir=package, dim=256, disable_download=True
    )
    model.tokenizer.no_padding()
    model.tokenizer.no_truncation()
    vectors = np.asarray(model.embedding, dtype=np.float32)
    StaticModel(vectors, model.tokenizer, normalize=True).save_pretrained(str(folder))
    return str(folder)


def main() -> None:
    root, queries = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text("utf-8"))
    os.environ["HF_HUB_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_CACHE_HOME"] = place  # no index that an earlier run kept
        from semble import SembleIndex

        model = os.environ.get("SEMBLE_MODEL_NAME") or word_vectors(Path(place, "model"))
        wall, cpu = time.perf_counter(), time.process_time()
        index = SembleIndex.from_path(root, model_path=model)
        done: dict[str, Any] = {
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "chunks": len(index.chunks),
            "seconds": [],
            "files": [],
        }
        for query in queries:
            started = time.perf_counter()
            results = index.search(query, top_k=TOP)
            done["seconds"].append(time.perf_counter() - started)
            paths = (Path(result.chunk.file_path) for result in results)
            done["files"].append(
                [(p.relative_to(root) if p.is_absolute() else p).as_posix() for p in paths]
            )
    print(json.dumps(done))


if __name__ == "__main__":
    main()
