"""Methods that the body of a Ruby class gets from calls: attributes, aliases, delegates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.facts import CallFlag, Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.arguments import RubyArguments

if TYPE_CHECKING:
    from tree_sitter import Node

ATTRIBUTES: Final = {b"attr_reader": 1, b"attr_writer": 2, b"attr_accessor": 3, b"attr": 1}
FORWARDED: Final = {
    b"def_delegator": True, b"def_instance_delegator": True, b"def_delegators": False,
    b"def_instance_delegators": False, b"instance_delegate": False,
}  # fmt: skip
"""Whether what follows the accessor is one method and its new name, or methods."""
DELEGATING: Final = (b"delegate", b"delegate_missing_to")
_ACCESSOR: Final = re.compile(rb"(?:@@?)?[A-Za-z_]\w*[?!]?(?:(?:\.|::)[A-Za-z_]\w*[?!]?)*")
_METHOD: Final = re.compile(rb"[A-Za-z_]\w*[?!=]?")


class Declaration(NamedTuple):
    """A call without a receiver that may declare something."""

    frame: Frame
    text: bytes
    arguments: Node
    block: Node | None
    line: int

    @property
    def children(self) -> list[Node]:
        return self.arguments.named_children


class RubyDefining(RubyArguments):
    """What a class gets, and loses, without `def`."""

    def declare_attributes(self, call: Declaration) -> int | None:
        """Accessors that are written down; others are for whatever class runs that."""
        owner, ways = self.lexical_class(call.frame), ATTRIBUTES[call.text]
        if self.in_method(call.frame):
            return None
        names = [self.literal_key(child) for child in call.children]
        for literal in names:
            if literal is not None:
                name = self.name((b"." if owner.state == 1 else b"") + literal)
                self.relations.append(("attr", owner.index, name, ways, 0))
        return None if None in names else -1

    def declare_alias(self, call: Declaration) -> int | None:
        if len(call.children) != 2 or self.in_method(call.frame):
            return None
        new, old = (self.literal_key(child) for child in call.children)
        if not new or not old:
            return None
        self.alias_method(call.frame, new, old)
        return -1

    def copy_to_module(self, call: Declaration) -> int:
        """`module_function :name`: the module's own is public, whatever the other one is."""
        owner, told = self.lexical_class(call.frame), list[int]()
        for child in call.children:
            literal = self.literal_key(child)
            if literal is not None:
                self.copy_method(owner, b"." + literal, literal)
                method = self.methods.get((owner.index, literal))
                if method is not None:
                    method.flags &= ~ScopeFlag.PRIVATE
            else:
                told.append(self.expression(call.frame, child))
        if told:  # under names that values tell
            receiver, name = self.receiver(call.frame), self.name(call.text)
            flags = CallFlag.IMPLICIT
            self.call(call.frame, call.line, receiver, name, tuple(told), flags=flags)
        return -1

    def remove_methods(self, call: Declaration) -> int:
        owner, undefined = self.lexical_class(call.frame), call.text == b"undef_method"
        self.remove(owner, call.children, undefined)
        return -1

    def remove(self, owner: Frame, names: list[Node], undefined: bool) -> None:
        """Take methods of a class away."""
        raise NotImplementedError

    def define_method(self, call: Declaration) -> int | None:
        if not call.children:
            return None
        frame, named = call.frame, call.children[0]
        literal = self.literal_key(named)
        key = -1 if literal is not None else self.expression(frame, named)
        owner = self.lexical_class(frame)
        singleton = call.text != b"define_method" or owner.state == 1
        if call.block is not None:
            this = self.slot()
            self.defining[this] = literal, key
            inner = self.block(frame, call.block, call.block, this=this)
            if not singleton:
                inner.flags |= ScopeFlag.METHOD
            value = inner.value
        elif len(call.children) > 1:
            value = self.expression(frame, call.children[1])
        else:
            return None
        self._define_value(frame, named, key, value, singleton, call.text != b"define_method")
        return -1

    def _define_value(
        self, frame: Frame, named: Node, key: int, value: int, singleton: bool, own: bool = False
    ) -> None:
        """A method under the name that is written down, or that a slot has.

        `own` tells that it is the receiver's own, whatever that is.
        """
        literal = self.literal_key(named)
        if literal is not None and value >= 0:
            later = int(self.in_method(frame))  # if that is called at all
            self.alternatives += later
            self.define(self.lexical_class(frame), literal, value, singleton)
            self.alternatives -= later
            if self._is_of_concern(frame):
                given = self.expression(frame, named), value
                self._define_on_receiver(frame, named, given, singleton)
            if later and (own or not self.outside_blocks(frame).flags & ScopeFlag.SINGLETON):
                # on an object that is a module, or on whatever runs a block
                given = self.expression(frame, named), value
                self._define_on_receiver(frame, named, given, own)
        elif literal is None and key >= 0 and value >= 0:
            self._define_told(frame, named, key, value, singleton)

    def _is_of_concern(self, frame: Frame) -> bool:
        """Whether code stands in a block of a module's body, as in `included do … end`."""
        in_block = bool(frame.flags & ScopeFlag.BLOCK) and not self.in_method(frame)
        return in_block and self.lexical_class(frame).kind == ScopeKind.NAMESPACE

    def _define_told(
        self, frame: Frame, named: Node, key: int, value: int, singleton: bool
    ) -> None:
        """A method under a name that only values tell."""
        owner, in_method = self.lexical_class(frame), self.in_method(frame)
        self.relations.append(("naming", 0, 0, key, int(self._is_certain(named))))
        if key in self.taken:
            self.wrap(frame, key, 0)
        elif owner.kind == ScopeKind.NAMESPACE and owner.parent:
            behind = self._prepends(named)
            if behind:
                self.wrap(owner.parent, key, behind)
        if in_method:  # of whatever class runs that
            self._define_on_receiver(frame, named, (key, value), singleton)
        if owner.kind == ScopeKind.NAMESPACE or not in_method:
            self.relations.append(("define", owner.index, key, value, int(singleton)))

    def _is_certain(self, named: Node) -> bool:
        """Whether a method is defined whatever there is: in no condition, and after no `return`."""
        around: Node | None = named
        while around is not None and around.type not in ("method", "singleton_method"):
            around = around.parent
        start = named.start_byte if around is None else around.start_byte
        return not self.alternatives and b"return" not in self.source[start : named.start_byte]

    def _define_on_receiver(
        self, frame: Frame, named: Node, given: tuple[int, int], singleton: bool
    ) -> None:
        name = self.name(b"define_singleton_method" if singleton else b"define_method")
        line, receiver = named.start_point[0] + 1, self.receiver(frame)
        self.call(frame, line, receiver, name, given, flags=CallFlag.IMPLICIT)

    def _prepends(self, named: Node) -> int:
        """Whether what is defined calls `super`, in a module that the code around it prepends (1),
        or that who calls this may prepend (2)."""
        block = named.parent and named.parent.parent
        if block is None or b"super" not in self.text(block):
            return 0
        around: Node | None = block
        while around is not None and around.type not in ("method", "singleton_method"):
            around = around.parent
        if around is None:
            return 0
        return 1 if b"prepend" in self.text(around) else 2

    def wrap(self, frame: Frame, key: int, behind: int) -> None:
        """Note that a method replaces those that it is given the names of by others around them,
        or puts others before them."""
        method = self.outside_blocks(frame)
        if method.kind == ScopeKind.FUNCTION:
            slots = [slot for _, slot, _ in method.params]
            position = slots.index(key) if key in slots else -1
            self.relations.append(("wraps", method.index, method.name, position, behind))

    def define_scope(self, call: Declaration) -> int | None:
        """`scope :name, -> { … }` of Rails."""
        if len(call.children) != 2 or call.children[1].type != "lambda":
            return None
        frame, name = call.frame, self.name(call.text)
        key, value = given = tuple(self.expression(frame, child) for child in call.children)
        self._define_value(frame, call.children[0], key, value, singleton=True)
        receiver = self.receiver(frame)
        return self.call(frame, call.line, receiver, name, given, flags=CallFlag.SAFE_NAME)

    def forward(self, call: Declaration) -> int | None:
        """Forwardable's declarations: of one method, with its new name, or of several."""
        owner, text, children = self.lexical_class(call.frame), call.text, call.children
        if not children:
            return None
        pairs: list[tuple[Node, Node]] = []  # methods, accessor
        if children[0].type == "pair":
            pairs = [(child.named_children[0], child.named_children[-1]) for child in children]
        else:
            last = 2 if FORWARDED[text] else len(children)
            pairs = [(child, children[0]) for child in children[1:last]]
        for methods, accessor in pairs:
            reached = self.literal_key(accessor)
            plain = methods.type not in ("array", "symbol_array")
            for item in [methods] if plain else methods.named_children:
                name = self.text(item) if item.type == "bare_symbol" else self.literal_key(item)
                if name is None or reached is None or item.type == "pair":
                    continue
                known = self.literal_key(children[2]) if FORWARDED[text] and len(children) > 2 \
                    else name  # fmt: skip
                prefix = b"." if owner.state == 1 else b""
                row = self.name(prefix + (known or name)), self.name(reached), self.name(name)
                self.relations.append(("forward", owner.index, *row))
        return -1

    def delegate(self, call: Declaration) -> None:
        """`delegate :name, to: :owner` of Active Support, which evaluates the text of a method.

        Since the text gets the place of the declaration, what it calls belongs there.
        """
        children = call.children
        options: dict[bytes, Node] = {}
        for child in children:
            if child.type == "pair":
                options[self.text(child.named_children[0])] = child.named_children[-1]
        names = [self.literal_key(child) for child in children if child.type != "pair"]
        missing = call.text == b"delegate_missing_to"
        to = names[0] if missing and names else self._option(options, b"to")
        if to is None or not _ACCESSOR.fullmatch(to):
            return
        to = b"self.class" if to == b"class" else to
        if missing:
            self._evaluate_method(call, b"method_missing", to + b".public_send")
            return
        prefix = b""
        if b"prefix" in options:
            given = self._option(options, b"prefix")
            prefix = (to if given is None else given) + b"_"
        for name in names:
            if name is not None and _METHOD.fullmatch(name) and _METHOD.fullmatch(prefix + name):
                self._evaluate_method(call, prefix + name, b"%s.%s" % (to, name))

    def _option(self, options: dict[bytes, Node], name: bytes) -> bytes | None:
        return self.literal_key(options[name]) if name in options else None

    def _evaluate_method(self, call: Declaration, name: bytes, called: bytes) -> None:
        """Define a method that hands its arguments on."""
        if name.endswith(b"="):
            text = b"def %s(value); %s value; end" % (name, called)
        else:
            text = b"def %s(*all, **named, &block); %s(*all, **named, &block); end" % (name, called)
        self.evaluate_source(call.frame, call.line, text)

    def evaluate_source(self, frame: Frame, line: int, source: bytes) -> None:
        """Read the text of a method that a library makes, as code that stands on a line."""
        raise NotImplementedError
