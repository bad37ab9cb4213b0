"""What libraries run for who asks: tasks that are sent off, and dependencies of FastAPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

JOB = "class Job:\n    def go(self): pass\n"
CELERY = "from celery import Celery, Task, shared_task\nfrom job import Job\napp = Celery()\n"
SENT = {
    "delay": "@shared_task\ndef work(job): job.go()\ndef send(): work.delay(Job())\n",
    "apply_async": "@app.task\ndef work(job): job.go()\n"
                   "def send(): work.apply_async(args=[Job()], countdown=3)\n",
    "named": "@app.task\ndef work(job): job.go()\n"
             "def send(): work.apply_async(kwargs={'job': Job()})\n",
    "bound": "@app.task(bind=True)\ndef work(self, job): job.go()\n"
             "def send(): work.delay(Job())\n",
    "a signature": "@shared_task\ndef work(job): job.go()\ndef send(): work.s(Job())\n",
    "other options": "@shared_task\ndef work(job): job.go()\n"
                     "def send(): work.options(queue='x').delay(Job())\n",
    "the result": "@shared_task\ndef work(): return Job()\ndef send(): work.delay().get().go()\n",
    "a class": "class Work(Task):\n    def run(self, job): job.go()\n"
               "def send(): Work().delay(Job())\n",
}  # fmt: skip


@pytest.mark.parametrize("source", SENT.values(), ids=SENT)
def test_a_task_is_run_by_who_sends_it_off(source: str, edges: Edges) -> None:
    found = {callee for caller, callee in edges({"job.py": JOB, "use.py": CELERY + source})}
    assert "job.py::Job.go" in found
    callees = {callee for caller, callee in edges({"job.py": JOB, "use.py": CELERY + source})
               if caller == "use.py::send"}  # fmt: skip
    assert callees & {"use.py::work", "use.py::Work.run"}


def test_an_attribute_of_the_projects_own_is_no_task(edges: Edges) -> None:
    found = edges(
        {
            "use.py": "def other(x): pass\ndef work(x): pass\nwork.delay = other\n"
            "class Mail:\n    def send(self, x): pass\n"
            "def send(): work.delay(1)\ndef mail(m): Mail().send(m)\n"
        }
    )
    assert {pair for pair in found if pair[0] in ("use.py::send", "use.py::mail")} == {
        ("use.py::send", "use.py::other"),
        ("use.py::mail", "use.py::Mail.send"),
    }


def test_actors_and_their_methods_run_elsewhere(edges: Edges) -> None:
    found = edges(
        {
            "use.py": "import ray\n@ray.remote\nclass Actor:\n"
            "    def __init__(self): pass\n    def go(self): pass\n"
            "@ray.remote\ndef make(): return Job()\nclass Job:\n    def go(self): pass\n"
            "def main():\n    Actor.remote().go.remote()\n    ray.get(make.remote()).go()\n"
        }
    )
    assert {callee for caller, callee in found if caller == "use.py::main"} == {
        "use.py::Actor.__init__",
        "use.py::Actor.go",
        "use.py::make",
        "use.py::Job.go",
    }


API = """
from typing import Annotated
from fastapi import Depends, FastAPI
from job import Job, made, user
app = FastAPI()
Known = Annotated[Job, Depends(made)]
class Mark: pass
@app.get("/default")
def default(job=Depends(made), who=Depends(user)): job.go()
@app.get("/annotated")
def annotated(job: Annotated[Job, Depends(made)]): job.go()
@app.get("/alias")
async def alias(job: Known): job.go()
@app.get("/class")
def of_class(job: Annotated[Job, Depends()]): job.go()
@app.get("/other")
def other(job: Annotated[Job, Mark()]): job.go()
"""


def test_an_endpoint_has_what_its_dependencies_give(edges: Edges) -> None:
    job = JOB + "def made():\n    job = Job()\n    yield job\ndef user(): pass\n"
    found = edges({"job.py": job, "api.py": API})
    asking = ("default", "annotated", "alias")
    assert {pair for pair in found if pair[0] != "job.py::made"} == {
        *((f"api.py::{name}", "job.py::made") for name in asking),
        *((f"api.py::{name}", "job.py::Job.go") for name in (*asking, "of_class", "other")),
        ("api.py::default", "job.py::user"),
    }


PAGES = """
from typing import Annotated
from fastapi import Depends, FastAPI
app = FastAPI()
class Session:
    def get(self): pass
def session(): return Session()
class Pages:
    def __init__(self, session: Session = Depends(session)): self.session = session
    def first(self): self.session.get()
class Role:
    def __init__(self, name): self.name = name
    def __call__(self): return Pages()
@app.get("/own")
def own(pages: Annotated[Pages, Depends()]): pages.first()
@app.get("/default")
def default(pages: Pages = Depends()): pages.first()
@app.get("/class")
def of_class(pages=Depends(Pages)): pages.first()
@app.get("/object")
def of_object(pages=Depends(Role("boss"))): pages.first()
"""


def test_dependencies_may_be_classes_and_objects(edges: Edges) -> None:
    found = edges({"main.py": PAGES})
    assert found == {
        *((name, "Pages.__init__") for name in ("own", "default", "of_class", "Role.__call__")),
        *((name, "Pages.first") for name in ("own", "default", "of_class", "of_object")),
        ("Pages.__init__", "session"),
        ("Pages.first", "Session.get"),
        ("<module>", "Role.__init__"),
        ("of_object", "Role.__call__"),
    }


HANDED_ON = """
from typing import Annotated
from fastapi import Depends, FastAPI
from deps import Session, given, session
app = FastAPI()
def again(): return Session()
def inject(): return Depends(again)
ask = Depends(session)
Known = Annotated[Session, Depends(session)]
def read(db): db.get()
@app.get("/default")
def default(db=Depends(session)): read(db)
@app.get("/alias")
def alias(db: Known): read(db)
@app.get("/variable")
def variable(*, db=ask): read(db)
@app.get("/made")
def made(db=inject()): read(db)
@app.get("/imported")
def imported(db=given): read(db)
"""


def test_what_an_endpoint_hands_on_asks_for_no_dependency(edges: Edges) -> None:
    deps = (
        "from fastapi import Depends\nclass Session:\n    def get(self): pass\n"
        "def session(): return Session()\ngiven = Depends(session)\n"
    )
    asking = ("default", "alias", "variable", "imported")
    assert edges({"main.py": HANDED_ON, "deps.py": deps}) == {
        ("made", "again"),
        *((name, "deps.py::session") for name in asking),
        *((name, "read") for name in (*asking, "made")),
        ("read", "deps.py::Session.get"),
        ("<module>", "inject"),
    }
