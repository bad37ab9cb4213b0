#!/usr/bin/env python3
"""16 writers over 3 hosts, two killed and PostgreSQL restarted meanwhile; then look what is there.

    python bench/server/storm.py [--mutations 50000] [--seconds 600]

Each writer appends numbered lines to logs that it shares with others, and writes, moves and deletes
a file of its own. At a third a host is killed and started again, in the middle PostgreSQL restarts,
at two thirds another host is killed. No host is restarted for PostgreSQL's sake. Afterwards: every
acknowledged line is there once, none twice, a writer's lines are in its order, and its own file is
as it left it. Lines whose call got no answer, or an answer that says so, may be there or not. A
call that is told to try again was not done.
"""

from __future__ import annotations

import argparse
import itertools
import random
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

from attrs import define, field
from cluster import Cluster, Lost, Refused, cluster, percentile

WRITERS = 16
PROJECTS = 4
LINES_IN_A_LOG = 100


@define(eq=False)
class Storm:
    """What the writers share."""

    fleet: Cluster
    mutations: int
    until: float
    progress: int = 0
    moved: threading.Condition = field(factory=threading.Condition)
    counts: Counter[str] = field(factory=Counter)
    waits: list[float] = field(factory=list)

    def over(self) -> bool:
        return self.progress >= self.mutations or time.monotonic() > self.until

    def mutate(self, turn: int, tool: str, **arguments: object) -> bool | None:
        """Make one change: True when it was acknowledged, None when nobody can know."""
        started = time.monotonic()
        while True:
            try:
                fine, answer = self.fleet.call(self.fleet.hosts[turn % 3], tool, **arguments)
            except Refused:  # a balancer would ask the next host
                self.counts["refused"] += 1
                turn += 1
                continue
            except Lost:
                self.note("lost", started)
                return None
            if fine:
                self.note("acknowledged", started)
                return True
            self.counts[f"{answer['code']}{' retryable' if answer['retryable'] else ''}"] += 1
            if not answer["retryable"]:
                if answer["code"] == "SEARCH_BACKEND_ERROR":
                    self.note("unconfirmed", started)
                    return None
                return False
            turn += 1
            time.sleep(0.02)

    def note(self, outcome: str, started: float) -> None:
        with self.moved:
            self.counts[outcome] += 1
            self.waits.append(time.monotonic() - started)
            self.progress += 1
            self.moved.notify_all()

    def wait_for(self, share: float) -> None:
        with self.moved:
            self.moved.wait_for(
                lambda: self.progress >= self.mutations * share or self.over(),
                timeout=max(self.until - time.monotonic(), 0),
            )


@define(eq=False)
class Writer:
    """One writer, its project, and what it knows."""

    number: int
    storm: Storm
    lines: list[tuple[str, bool | None]] = field(factory=list)
    own: str | None = None
    own_is_known: bool = True

    @property
    def project(self) -> str:
        return f"project-{self.number % PROJECTS}"

    def run(self) -> None:
        chance = random.Random(self.number)
        for turn in itertools.count(self.number):
            if self.storm.over():
                return
            if chance.random() < 0.8:
                self.append(turn)
            else:
                self.change_own(turn, chance)

    def append(self, turn: int) -> None:
        number = len(self.lines)
        line = f"{self.number:02}-{number:06}"
        path = f"/logs/{number // LINES_IN_A_LOG:05}.txt"
        known = self.storm.mutate(
            turn, "file_write", project=self.project, path=path, content=f"{line}\n"
        )
        self.lines.append((line, known))

    def change_own(self, turn: int, chance: random.Random) -> None:
        path, away = f"/own/{self.number}.txt", f"/own/{self.number}-moved.txt"
        text = f"{self.number} {turn} {chance.random()}"
        ask = {"project": self.project}
        known = self.storm.mutate(
            turn, "file_write", **ask, path=path, content=text, mode="TRUNCATE"
        )
        if known:
            known = self.storm.mutate(
                turn, "file_rename", **ask, from_path=path, to_path=away, overwrite=True
            )
        self.own, self.own_is_known = text, known is True


def check(fleet: Cluster, writers: list[Writer]) -> list[str]:
    """Return what is wrong with what is stored."""
    wrong: list[str] = []
    host = fleet.hosts[0]
    for number in range(PROJECTS):
        mine = [writer for writer in writers if writer.number % PROJECTS == number]
        project = f"project-{number}"
        files: dict[str, list[str]] = {}
        most = max(len(writer.lines) for writer in mine)
        for index in range(most // LINES_IN_A_LOG + 1):
            path = f"/logs/{index:05}.txt"
            fine, answer = fleet.call(host, "file_read", project=project, path=path)
            files[path] = answer["content"].split() if fine else []
        stored = [line for lines in files.values() for line in lines]
        if len(stored) != len(set(stored)):
            wrong.append(f"{project}: {len(stored) - len(set(stored))} lines twice")
        for writer in mine:
            sure = {line for line, known in writer.lines if known}
            maybe = {line for line, known in writer.lines if known is None}
            found = [line for line in stored if line.startswith(f"{writer.number:02}-")]
            if lost := sure - set(found):
                wrong.append(f"{project}: {len(lost)} acknowledged lines lost: {sorted(lost)[:3]}")
            if strange := set(found) - sure - maybe:
                wrong.append(f"{project}: {len(strange)} lines that were refused")
            if found != sorted(found):
                wrong.append(f"{project}: lines of writer {writer.number} out of order")
            if writer.own and writer.own_is_known:
                path = f"/own/{writer.number}-moved.txt"
                fine, answer = fleet.call(host, "file_read", project=project, path=path)
                if not fine or answer["content"] != writer.own:
                    wrong.append(f"{project}: the file of writer {writer.number} is not its last")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutations", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=600)
    options = parser.parse_args()
    with cluster(3) as fleet:
        started = time.monotonic()
        storm = Storm(fleet, options.mutations, started + options.seconds)
        writers = [Writer(number, storm) for number in range(WRITERS)]
        events: dict[str, float] = defaultdict(float)
        before = [host.process.pid for host in fleet.hosts]
        with ThreadPoolExecutor(WRITERS) as pool:
            running = [pool.submit(writer.run) for writer in writers]
            for share, victim in ((1 / 3, 0), (1 / 2, None), (2 / 3, 1)):
                storm.wait_for(share)
                at = time.monotonic()
                if victim is None:
                    fleet.postgres.restart()
                    events["PostgreSQL restarted"] = time.monotonic() - at
                else:
                    fleet.hosts[victim].kill()
                    fleet.hosts[victim].start()
                    events[f"host {victim} killed and started"] = time.monotonic() - at
            for one in running:
                one.result()
        seconds = time.monotonic() - started
        for host in fleet.hosts:
            host.wait_ready()
        assert fleet.hosts[2].process.pid == before[2], "a host was restarted for PostgreSQL"
        wrong = check(fleet, writers)
        total = storm.progress
        print(f"{total} mutations in {seconds:.0f} s: {total / seconds:.0f}/s")
        print(f"outcomes: {dict(sorted(storm.counts.items()))}")
        print(
            f"wait p50 {percentile(storm.waits, 0.5) * 1000:.0f} ms, "
            f"p95 {percentile(storm.waits, 0.95) * 1000:.0f} ms, "
            f"longest {max(storm.waits):.1f} s"
        )
        for event, took in events.items():
            print(f"{event}: {took:.1f} s")
        print("\n".join(wrong) or "nothing lost, nothing twice, every order kept")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
