"""What SQLAlchemy, SQLModel and Flask-SQLAlchemy give of a mapped class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

MODELS = """
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, relationship
from flask_sqlalchemy import SQLAlchemy
db = SQLAlchemy()
class Base(DeclarativeBase): pass
class User(Base):
    addresses: Mapped[list["Address"]] = relationship(back_populates="user")
    def name(self): pass
class Address(Base):
    user: Mapped[User] = relationship(back_populates="addresses")
    def lines(self): pass
class Post(db.Model):
    def show(self): pass
class Person(db.Model):
    class PersonQuery(BaseQuery):
        def named(self, name): return self.filter_by(name=name).first()
    query_class = PersonQuery
    def greet(self): pass
class Worker(Person): pass
class Plain:
    def name(self): pass
"""
CASES = {
    "by its key": ("session.get(User, 1).name()", {"User.name"}),
    "query": ("session.query(User).filter_by(x=1).first().name()", {"User.name"}),
    "each of a query": ("for user in session.query(User): user.name()", {"User.name"}),
    "all of a query": ("[user.name() for user in session.query(User).all()]", {"User.name"}),
    "statement": ("session.execute(select(User).where(x)).scalar_one().name()", {"User.name"}),
    "scalars": ("for user in session.scalars(select(User)): user.name()", {"User.name"}),
    "scalars of results": ("session.execute(select(User)).scalars().first().name()",
                           {"User.name"}),
    "one scalar": ("session.scalar(select(User)).name()", {"User.name"}),
    "related": ("[it.lines() for it in session.get(User, 1).addresses]", {"Address.lines"}),
    "related back": ("session.get(Address, 1).user.name()", {"User.name"}),
    "query of a class": ("Post.query.filter_by(x=1).first_or_404().show()", {"Post.show"}),
    "query of the class that the model names": ("Person.query.named('a')",
                                                {"Person.PersonQuery.named"}),
    "inherited query class": ("Worker.query.named('a')", {"Person.PersonQuery.named"}),
    "what such a query finds": ("Person.query.first().greet()", {"Person.greet"}),
    "session of Flask's": ("db.session.get(Post, 1).show()", {"Post.show"}),
    "select of Flask's": ("db.session.execute(db.select(Post)).scalars().first().show()",
                          {"Post.show"}),
    "a class that is not mapped": ("session.get(Plain, 1).name()", set()),
    "numbers": ("session.query(User).count().name()", set()),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_sqlalchemy(body: str, expected: set[str], edges: Edges) -> None:
    found = edges(f"{MODELS}\ndef run(session: Session, x):\n    {body}\n")
    assert {callee for caller, callee in found if caller == "run"} == expected


def test_rows_of_another_session_are_its_own(edges: Edges) -> None:
    found = edges(
        f"{MODELS}\nclass Cache:\n    def get(self, kind, key): return Plain()\n"
        "def run(): Cache().get(User, 1).name()\n"
    )
    assert {callee for caller, callee in found if caller == "run"} == {"Cache.get", "Plain.name"}


HYBRID = """
%s
class User:
    @hybrid_property
    def label(self): return self.build()
    @label.expression
    def label(cls): return cls.told()
    def build(self): return 1
    @classmethod
    def told(cls): return 2
def go(): return User().label
"""


def test_a_hybrid_property_of_an_object_is_a_property(edges: Edges) -> None:
    found = edges(HYBRID % "from sqlalchemy.ext.hybrid import hybrid_property")
    assert found == {
        ("User.label", "User.build"),
        ("User.label", "User.told"),
        ("go", "User.label"),
    }


def test_a_decorator_of_that_name_from_elsewhere_makes_none(edges: Edges) -> None:
    assert ("go", "User.label") not in edges(HYBRID % "from other import hybrid_property")
