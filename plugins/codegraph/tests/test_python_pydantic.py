"""What pydantic calls of a model's own methods, for who makes it or writes it out."""

from __future__ import annotations

import pytest

_MODEL = """
from pydantic import (
    BaseModel, Field, computed_field, field_serializer, field_validator, model_validator,
)
def start(): pass
class Base(BaseModel):
    @model_validator(mode="after")
    def whole(self): return self
class User(Base):
    name: str
    tags: list = Field(default_factory=start)
    @field_validator("name")
    @classmethod
    def check_name(cls, value): return value
    @computed_field
    @property
    def label(self): return 1
    @field_serializer("name")
    def write_name(self, value): return value
    def model_post_init(self, context): pass
    def greet(self): pass
class Plain(BaseModel):
    def model_post_init(self, context): pass
    def model_dump(self): pass
"""
_MADE = {"start", "Base.whole", "User.check_name", "User.model_post_init"}
_WRITTEN = {"User.label", "User.write_name"}

CASES = {
    "a call of the class": ("User(name='x').greet()", {"User.greet", *_MADE}),
    "data that are validated": ("User.model_validate({}).greet()", {"User.greet", *_MADE}),
    "older names": ("User.parse_obj({}).greet()", {"User.greet", *_MADE}),
    "a model that is written out": ("User.model_construct().model_dump()", set()),
    "and one that is known": (
        "(lambda it: it)(USER).model_dump_json()",
        {"go.<lambda1>", *_WRITTEN},
    ),
    "a copy": ("USER.model_copy(update={}).greet()", {"User.greet"}),
    "methods of its own": ("Plain().model_dump()", {"Plain.model_post_init", "Plain.model_dump"}),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    found = edges(f"{_MODEL}USER = User(name='x')\ndef go(): {source}\n")
    assert {callee for caller, callee in found if caller == "go"} == expected


def test_classes_of_other_libraries_run_nothing(edges) -> None:
    source = _MODEL.replace("from pydantic", "from other") + "def go(): User(name='x').dict()\n"
    assert not {callee for caller, callee in edges(source) if caller == "go"}
