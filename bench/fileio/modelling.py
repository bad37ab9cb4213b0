#!/usr/bin/env python3
"""The model test of the fileio pack, for as many steps as one likes.

    python bench/fileio/modelling.py [--steps 5000]

Hypothesis drives the mutating tools and listings of two tenants in two projects, from two processes
on one database, and compares every answer and all that is stored with plain dictionaries.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

TESTS = Path(__file__).resolve().parents[2] / "plugins" / "fileio" / "tests"
STEPS_IN_ONE = 90


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=5_000, help="calls that change something")
    options = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    from test_model import Divergence

    started = time.perf_counter()
    while Divergence.compared.total() < options.steps:
        left = options.steps - Divergence.compared.total()
        run_state_machine_as_test(
            Divergence,
            settings=settings(
                max_examples=max(left // STEPS_IN_ONE, 10),
                stateful_step_count=STEPS_IN_ONE,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    for name, count in sorted(Divergence.compared.items()):
        print(f"{count:6}  {name}")
    took = time.perf_counter() - started
    print(f"{Divergence.compared.total():6}  calls in {took:.0f} s, no divergence")


if __name__ == "__main__":
    main()
