"""The fact model: one file as definitions and an assignment graph.

A file is reduced to *slots* (places a value can be: a variable version, a parameter, an
expression result) and flat operations between them. The resolver joins the files' graphs and
propagates functions, classes and objects through the slots; it never sees syntax. Facts are
kept as MessagePack, a few kilobytes for each file, so that re-resolution needs no parse.
"""

from __future__ import annotations

from typing import Final

import msgspec

FACTS_VERSION: Final = 65
"""Raised whenever extraction or resolution changes, so that what older releases stored is made
anew."""

NOTHING: Final = -2
"""In place of the source of `stores`: what is stored is none of interest, and false."""
OWN_NAME: Final = -1
"""In place of `attribute?`: what is stored is put under its own name."""
REFUSED: Final = 2
"""Added to the part of a relation with what a test leaves: where the test does not hold."""


# Plain integers, not enums: extraction combines flags millions of times.


class ScopeKind:
    MODULE: Final = 0
    FUNCTION: Final = 1
    CLASS: Final = 2
    LAMBDA: Final = 3
    NAMESPACE: Final = 4
    """A Ruby module or a TypeScript namespace: holds members, is never instantiated."""


class ScopeFlag:
    METHOD: Final = 1
    STATIC: Final = 2
    CLASSMETHOD: Final = 4
    PROPERTY: Final = 8
    GENERATOR: Final = 16
    ASYNC: Final = 32
    ABSTRACT: Final = 64
    SETTER: Final = 128
    ARROW: Final = 256
    """No `this` of its own."""
    BLOCK: Final = 1024
    """A Ruby block: calls inside belong to the enclosing function."""
    INTERFACE: Final = 2048
    SINGLETON: Final = 4096
    """A Ruby method of the class object."""
    PRIVATE: Final = 8192
    FACTORY: Final = 16384
    """Returns a new instance of its receiver's class: of each caller's own, not of all."""
    DECORATED: Final = 32768
    """What is called by its name may take other arguments than it does (Python)."""
    REPLACES: Final = 1 << 16
    """Returns what is defined in it, not what it is given (Python)."""
    HOISTED: Final = 1 << 17
    """There before the code around it runs, wherever it is written (JavaScript)."""
    OWN: Final = 1 << 18
    """The class of one Ruby object alone: no class of the project's."""
    REQUIRED: Final = 1 << 20
    """Counts the positional parameters without a default, in the bits from here on (Python and
    Ruby)."""


class ParamKind:
    POSITIONAL: Final = 0
    REST: Final = 1
    KEYWORD: Final = 2
    KEYWORDS: Final = 3
    BLOCK: Final = 4
    UNNAMED: Final = 5
    """Given by position alone: Python's before a `/`."""


class CallFlag:
    NEW: Final = 1
    """Makes an object of what is called, which `raise` does in Python of a class alone."""
    IMPLICIT: Final = 2
    """Made by an operator or a protocol: resolved by type only, never counted as unresolved."""
    SUPER: Final = 4
    SAFE_NAME: Final = 8
    """A bare name (Ruby): self is the receiver if the name is no local variable."""
    BLOCK: Final = 16
    """The last positional argument is the block."""
    DECORATOR: Final = 32
    """The result is the decorated value itself unless the decorator is known to return another."""
    ITERATE: Final = 64
    """The result is an element of the receiver."""
    ENTER: Final = 128
    """The result is what a `with` statement binds. With ITERATE: a loop that may be left before its
    end (JavaScript)."""
    QUIET: Final = 256
    """Runs later, from an event loop: values flow, but its caller is not here."""
    READ: Final = 512
    """With SUPER: an attribute is read, or with an argument written. With ITERATE: what has
    positions is read by those, and only what has none runs an iterator."""
    ANY_CLASS: Final = 1024
    """With `new`: the class is in a variable (Ruby)."""
    REVERSED: Final = 2048
    """Of what its receiver holds the last comes first (Ruby)."""
    ELEMENT: Final = 4096
    """With `new`: a component is shown, so that a class's `render` runs too (JavaScript)."""
    NOTE: Final = 8192
    """No call: tells something of the one before it (`languages/web.py`)."""


class ObjectKind:
    """What a literal makes."""

    SEQUENCE: Final = 0
    MAPPING: Final = 1
    RECORD: Final = 2
    """A JavaScript object: keys are properties."""
    ARRAY: Final = 3
    GENERATOR: Final = 4
    HASH: Final = 5
    STRING: Final = 6
    """Ruby: a text of which nothing is known; all of them are one object."""
    RANGE: Final = 7
    """Ruby: between two objects."""
    ALIAS: Final = 8
    """Python: a type that a name stands for; inside is what has that type."""
    REPOSITORY: Final = 9
    """TypeScript: what reads and writes the objects of a class; inside is one of these."""
    CALLABLE: Final = 10
    """Python: what an annotation says can be called; inside is what that gives, and under positions
    what it is given."""


class Part:
    """What a part is in a type that is written with arguments (Python), in a relation of it."""

    CHOICE: Final = 0
    """One of several that it may be."""
    ELEMENT: Final = 1
    """Of a sequence."""
    VALUE: Final = 2
    """Of a mapping."""
    PLACE: Final = 3
    """Of a tuple, by the name of its key."""
    CLASS: Final = 4
    """What is a class of that: `type[Row]`."""
    HEAD: Final = 5
    """The class that is given arguments."""
    ARGUMENT: Final = 6
    """What it is given, by position."""


class ImportKind:
    MODULE: Final = 0
    NAME: Final = 1
    STAR: Final = 2
    ROOT: Final = 3
    """Python `import a.b`: binds `a`."""
    REQUIRE: Final = 4
    EXPORT_STAR: Final = 5
    LOAD: Final = 6
    """Ruby require: no binding, a file relation only. Of level -1 where it may not run."""
    REQUIRE_RELATIVE: Final = 7
    CONSTANT: Final = 8
    """Ruby constant: found by lexical scope, then by inheritance, in any file."""


class TypeHint:
    """How much the source says about the class of a value."""

    DECLARED: Final = 0
    """An annotation: holds where the flow of values says nothing."""
    CERTAIN: Final = 1
    LIMIT: Final = 2
    """A whole annotation: as `DECLARED`, and what is of none of its classes is kept out. With a
    type slot of -1 a part of it that no class of the project is."""
    CHECKED: Final = 3
    """`isinstance`: holds for those values of what was checked that are of the class."""
    CAUGHT: Final = 4
    """An exception handler: of the class, or of one below it."""
    CLASS: Final = 5
    """An annotation of Python's that names a class of what the type slot holds, which is an object
    of it: `type[Row]`."""
    OBJECT: Final = 6
    """An annotation of Python's whose object the type slot holds: what `Callable[…]` names."""
    RETURNED: Final = 7
    """It is what the function in the type slot returns, where the flow of values says nothing."""


Params = tuple[tuple[int, int, int], ...]
"""(name, slot, kind) of each parameter."""
ScopeRow = tuple[
    int,
    int,
    int,
    int,
    int,
    int,
    int,
    int,
    Params,
    tuple[int, ...],
    tuple[tuple[int, int], ...],
    int,
]
ImportRow = tuple[int, int, int, str, int, int, int]
RelationRow = tuple[str, int, int, int, int]


class Answer:
    """Why a call in a Ruby method is made again for each call of the method."""

    RETURNED: Final = 1
    FOR_BLOCK: Final = 2
    """It is only needed to call the method's block."""
    BLOCK: Final = 4
    """It calls the block or hands it on, and nothing else does but such calls."""


class Returned:
    """Relations of a Python function with what it returns, by whether an argument is given."""

    WITHOUT: Final = "without"
    WITH: Final = "with"
    EITHER: Final = "either"


class CallColumn:
    """Numbers in a row of `calls`."""

    RESULT: Final = 0
    SCOPE: Final = 1
    LINE: Final = 2
    SOURCE: Final = 3
    """Slot of the receiver, or of the callee where there is no method name."""
    NAME: Final = 4
    """Method name, -1 for a call of the source itself."""
    FLAGS: Final = 5
    START: Final = 6
    """Where the call's arguments begin in `arguments`; they end where the next call's begin."""
    POSITIONAL: Final = 7
    """How many of the arguments are positional; (name, slot) pairs of keywords follow."""
    WIDTH: Final = 8


class Operation:
    """What waits for the values of a slot, in the two lowest bits of an entry of `waits`."""

    CALL: Final = 0
    LOAD: Final = 1
    STORE: Final = 2
    SHIFT: Final = 2
    MASK: Final = 3


LOAD_WIDTH: Final = 5
STORE_WIDTH: Final = 5
TEST_WIDTH: Final = 3


class FileFacts(msgspec.Struct, array_like=True, gc=False):
    """Facts of one file.

    `scopes` rows: (kind, name, parent, first line, last line, flags, this slot, return slot,
    params ((name, slot, kind)…), bases (slot…), members ((name, slot)…), value slot).
    Flat rows of packed numbers: `loads` dst,base,name,scope,line · `stores`
    base,name,src,scope,line · `dynamic` dst,base,key,stored value or -1,attribute? (from 1 on the
    scope that reads or writes it, in JavaScript negated where what is read is called) · `calls` and
    `arguments` as `CallColumn` says; a positional argument below -1 is a spread of slot -item-2.
    `flow` holds the slots that the values of a slot go to, `waits` the operations that wait for
    them, both sorted by slot; `flow_counts` and `wait_counts` say how many each slot has.
    `returned`: parameters and receivers that their function returns as they are. `tails`
    result,scope of the calls whose result their function returns and uses for nothing else.
    `objects` slot,scope,kind of every literal container; `constants` slot,text.
    `imports` rows: (slot, kind, level, module text, imported name or -1, line, scope).
    `free` name,slot of names bound nowhere in the file. `relations` rows are language specific
    (Ruby: include, extend, prepend…; Python: metaclass, property, checked, field). `types`
    slot,type slot,`TypeHint`: it is an instance of that. `tests` slot,scope,line of what is asked
    whether it is true (Python). `lines`: two bytes for each line, which tell it from others.
    """

    version: int
    language: str
    names: list[str]
    slots: int
    scopes: list[ScopeRow]
    flow_counts: bytes
    flow: bytes
    wait_counts: bytes
    waits: bytes
    returned: bytes
    tails: bytes
    loads: bytes
    stores: bytes
    dynamic: bytes
    calls: bytes
    arguments: bytes
    objects: bytes
    constants: bytes
    imports: list[ImportRow]
    free: bytes
    relations: list[RelationRow]
    types: bytes
    tests: bytes
    exported: list[int]
    parse_errors: int
    lines: bytes = b""
