"""Ruby's calls and what is passed to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    ASKED_KEYS,
    OF_SINGLETON,
    CallColumn,
    CallFlag,
    Frame,
    ObjectKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.ruby.declarations import MIXINS, VISIBILITIES
from toolroll_codegraph.languages.ruby.defining import ATTRIBUTES
from toolroll_codegraph.languages.ruby.evaluated import EVALUATING
from toolroll_codegraph.languages.ruby.listing import RubyListing
from toolroll_codegraph.languages.ruby.nodes import NODES

if TYPE_CHECKING:
    from tree_sitter import Node

REOPENING: Final = (b"class_eval", b"class_exec", b"module_eval")
_RECEIVER_BLOCKS: Final = frozenset(
    (b"instance_eval", b"instance_exec", b"class_eval", b"module_eval", b"class_exec")
)
SINGLETON: Final = {
    b"define_method": b"define_singleton_method", b"include": b"extend",
    b"prepend": b"singleton_class.prepend",
    **{name: OF_SINGLETON.encode() + name for name in ATTRIBUTES},
}  # fmt: skip
"""What a singleton class is told, and what its object is."""
_EVERYTHING: Final = frozenset((b"Object", b"::Object", b"Kernel", b"Module"))
"""Classes whose constants are those outside of any class."""
_BUILDING: Final = frozenset((
    b"map", b"collect", b"flat_map", b"filter_map", b"each_with_object", b"inject", b"reduce",
    b"to_h",
))  # fmt: skip
"""Methods whose block tells what they return."""
_FOLDING: Final = (b"inject", b"reduce")
_RUNNING: Final = _BUILDING | frozenset((
    b"each", b"map!", b"each_with_index", b"select", b"reject", b"find", b"any?", b"all?",
    b"sort_by", b"group_by", b"partition", b"each_line", b"each_char", b"gsub", b"times",
))  # fmt: skip
"""Methods that call what they are handed, whatever they run over."""
_DEFINING: Final = (b"define_method", b"define_singleton_method")
_TAKING: Final = (b"instance_method", b"alias_method")
_YIELDING: Final = (b"synchronize", b"timeout", b"fetch", b"then", b"yield_self", b"open", b"chdir",
             b"compute_if_absent", b"fetch_or_store")  # fmt: skip
"""Methods of the standard library that return what their block does, whatever they are asked of."""
_PRINTING: Final = (b"to_s", b"inspect", b"join")
"""Methods that return a text, whatever they are asked of."""
_FORMATTING: Final = (b"format", b"sprintf")
_CORE_CLASSES: Final = {
    b"Object": ObjectKind.RECORD,
    b"Hash": ObjectKind.HASH,
    b"Array": ObjectKind.SEQUENCE,
}
SENDING: Final = (b"send", b"public_send", b"__send__")


class RubyCalls(RubyListing):
    """Everything with an argument list."""

    @NODES.on("call")
    def call_expression(self, frame: Frame, node: Node) -> int:
        method = node.child_by_field_name("method")
        receiver = node.child_by_field_name("receiver")
        arguments = node.child_by_field_name("arguments")
        block = node.child_by_field_name("block")
        if method is not None and method.type == "super":
            return self.super_call(frame, node, arguments, block)
        text = b"call" if method is None else self.text(method)
        if receiver is None:
            return self.bare_call(frame, text, node, arguments, block)
        if receiver.type == "self" and text in MIXINS:
            return self.bare_call(frame, text, node, arguments, block)
        if (
            text in REOPENING
            and block is not None
            and receiver.type == "constant"
            and self.lexical_class(frame).kind == ScopeKind.MODULE
        ):
            return self.reopen(frame, node, receiver, block)
        if arguments is not None and self.mix_into(frame, node, text, arguments):
            return -1
        if self.is_singleton_class(receiver):
            if text in SINGLETON:  # as the object itself does
                text = SINGLETON[text]
                inner = receiver.child_by_field_name("receiver")
                if inner is None:
                    return self.send(frame, self.receiver(frame), text, node.start_point[0] + 1,
                                     arguments, block)  # fmt: skip
                receiver = inner
            else:
                told = self.tell_singleton(frame, text, receiver, arguments, block)
                if told is not None:
                    return told
        line = (method or node).start_point[0] + 1
        if text in (b"new", b"define"):
            kind = _CORE_CLASSES.get(self.text(receiver).removeprefix(b"::"))
            if kind is not None:
                return self.new_container(frame, kind, line, arguments, block)
            made = self.class_expression(frame, node, -1)
            if made >= 0:
                return made
        if text == b"extend" and self.is_object(receiver):
            base = self.extended_object(frame, receiver, arguments)
        else:
            base = self.expression(frame, receiver)
        if text == b"yield" and self.text(receiver) == b"Fiber" and arguments is not None:
            return self.pause(frame, arguments)
        if text == b"const_get" and self.text(receiver) in _EVERYTHING:
            base = self.module.value
        if text == b"local_variable_get" and self.text(receiver) == b"binding":
            return self.variable_of_binding(frame, arguments)
        names = self.chosen_names(frame, text, receiver, block or arguments)
        if names >= 0:
            return names
        flags = CallFlag.SAFE_NAME if receiver.type == "self" else 0
        if text == b"new" and receiver.type == "identifier":
            flags |= CallFlag.ANY_CLASS
            given = arguments.named_children[:1] if arguments is not None else ()
            name, slot, _ = frame.params[0] if frame.params else (-1, -1, 0)
            if frame.flags & ScopeFlag.BLOCK and given and self.name(self.text(given[0])) == name:
                self.relations.append(("around", 0, 0, slot, 0))  # what is made may hold that
        if text in _FOLDING and self.text(receiver).endswith(b"reverse"):
            flags |= CallFlag.REVERSED
        if block is None:
            value = self.send(frame, base, text, line, arguments, block, flags)
            if arguments is not None and text in _RUNNING and self.hands_block(arguments):
                self.iterate(base)
            if text == b"fetch" and arguments is not None:
                value = self.join((value, self.default_given(arguments)))
            if text in _PRINTING:
                value = self.join((value, self.container(frame, ObjectKind.STRING)))
            return value
        before, self.items = self.items, self.over_items(frame, receiver, text, block)
        value = self.send(frame, base, text, line, arguments, block, flags)
        self.items = before
        if text in _YIELDING:
            value = self.join((value, self.returned))
        if text in _BUILDING:
            self.iterate(base)
        return value

    def variable_of_binding(self, frame: Frame, arguments: Node | None) -> int:
        """`binding.local_variable_get(:if)`: how a parameter is read that has a keyword's name."""
        named = None if arguments is None else self.literal_key(arguments.named_children[0])
        slot = None if named is None else self.local(frame, self.name(named))
        return -1 if slot is None else slot

    def default_given(self, arguments: Node) -> int:
        """What the last call was given behind a key: it returns that, whatever it is asked of."""
        given = [child.type for child in arguments.named_children]
        plain = len(given) == 2 and not given[1].endswith(("pair", "_argument"))
        return self.call_arguments[-1] if plain else -1

    def iterate(self, base: int) -> None:
        """Note that the last call runs its block, whatever it runs over."""
        position = len(self.calls) // CallColumn.WIDTH - 1
        self.relations.append(("iterate", 0, 0, position, base))

    def tell_singleton(
        self, frame: Frame, text: bytes, receiver: Node, arguments: Node | None, block: Node | None
    ) -> int | None:
        """What an object's singleton class evaluates or is sent; None for anything else."""
        raise NotImplementedError

    def extended_object(self, frame: Frame, node: Node, modules: Node | None) -> int:
        """An object that gets the methods of modules."""
        raise NotImplementedError

    def raise_again(self, frame: Frame, line: int) -> None:
        """`raise` without an exception."""
        raise NotImplementedError

    def extended_self(self, frame: Frame, modules: Node) -> None:
        """`self` gets the methods of modules."""
        raise NotImplementedError

    def is_object(self, node: Node) -> bool:
        """Whether an expression may be an object that nobody else has: a variable or a new one."""
        method = node.child_by_field_name("method")
        if node.type in ("identifier", "instance_variable"):
            return True
        return method is not None and self.text(method) == b"new"

    def class_expression(self, frame: Frame, node: Node, name: int) -> int:
        """A class that a call makes."""
        raise NotImplementedError

    def new_container(
        self, frame: Frame, kind: int, line: int, arguments: Node | None, block: Node | None
    ) -> int:
        """`Hash.new { |hash, key| … }`, `Array.new(3) { … }`: a block makes what is inside."""
        made = self.container(frame, kind)
        positional, _, more = self.arguments(frame, arguments, block)
        if more:
            given = (-1,)
            if kind == ObjectKind.HASH:
                given = made, self.load(frame, made, self.name(ASKED_KEYS), line)
            positional, maker = positional[:-1], positional[-1]
            value = self.call(frame, line, maker, -1, given, flags=CallFlag.IMPLICIT)
            self.store(made, self.any_key, value)
        for value in positional:
            if value >= 0 and kind != ObjectKind.RECORD:
                self.store(made, self.any_key, value)
        return made

    def send(
        self, frame: Frame, base: int, text: bytes, line: int,
        arguments: Node | None, block: Node | None, flags: int = 0,
    ) -> int:  # fmt: skip
        this = base if text in _RECEIVER_BLOCKS else -1
        if text in _DEFINING:  # of another class or object: its instances, or that, run the block
            this = self.slot()
        if text in EVALUATING and block is None and arguments is not None:
            self.evaluate_text(frame, text, base, arguments)
        positional, keywords, more = self.arguments(frame, arguments, block, this)
        if text in _TAKING:
            if text == _TAKING[1] and len(positional) > 1 and positional[0] in self.taken:
                self.wrap(frame, positional[0], 0)  # `alias_method name, "#{name}_with_log"`
            self.taken.update(positional[-1:])
        if text in SENDING and positional and frame.flags & ScopeFlag.BLOCK and frame.params:
            name, slot, _ = frame.params[0]
            if positional[0] == slot or self.local(frame, name) == positional[0]:
                self.relations.append(("naming", 0, 0, slot, 0))
        left = self.left
        value = self.call(frame, line, base, self.name(text), positional, keywords, flags | more)
        return self.join((value, *left)) if left else value

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        """A call without receiver: a declaration, a keyword-like method or one of self."""
        line = node.start_point[0] + 1
        if arguments is not None:
            special = self.declaration(frame, text, arguments, block, line)
            if special is not None:
                return special
        elif block is None:
            if text == b"module_function":
                self.lexical_class(frame).state = 2
                return -1
            if text in VISIBILITIES and frame.kind != ScopeKind.LAMBDA:
                owner = self.lexical_class(frame)
                self.hidden[owner.index, owner.state] = text == b"private"
            if text in VISIBILITIES or text in (b"block_given?", b"binding"):
                return -1
            if text == b"raise":
                self.raise_again(frame, line)
        if text == b"class_methods" and block is not None and frame.kind == ScopeKind.NAMESPACE:
            self.concern_methods(frame, block)
            return self.call(frame, line, self.receiver(frame), self.name(text))
        if text in (b"catch", b"throw") and arguments is not None and arguments.named_children:
            return self.jump(frame, text, arguments, block)
        if text in (b"lambda", b"proc") and block is not None:
            return self.procedure(frame, block, block)
        if text in EVALUATING and block is None and arguments is not None:
            self.evaluate_text(frame, text, -1, arguments)
        if text == b"extend" and arguments is not None:
            self.extended_self(frame, arguments)
        base = self.receiver(frame)
        value = self.send(frame, base, text, line, arguments, block, CallFlag.SAFE_NAME)
        if text in _FORMATTING:
            value = self.join((value, self.container(frame, ObjectKind.STRING)))
        return value

    def super_call(
        self, frame: Frame, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        scope: Frame = frame
        while scope.flags & ScopeFlag.BLOCK and scope.parent is not None:
            if scope.this in self.defining:
                break
            scope = scope.parent
        line = node.start_point[0] + 1
        positional, keywords, flags = self.arguments(frame, arguments, block)
        if scope.this in self.defining:
            text, key = self.defining[scope.this]
            if text is None:  # what `super` calls is asked for then
                text, positional = b"super", (key, *positional)
            receiver, flags = self.receiver(frame), flags | CallFlag.SUPER
            return self.call(frame, line, receiver, self.name(text), positional, keywords, flags)
        if not flags:  # its block is passed on
            positional, flags = (*positional, self.block_slot(frame)), CallFlag.BLOCK
        if arguments is None:  # and so are the caller's own arguments
            given, named = self.own_arguments(scope)
            positional, keywords = (*given, *positional), (*named, *keywords)
        receiver = self.receiver(frame)
        flags |= CallFlag.SUPER
        return self.call(frame, line, receiver, scope.name, positional, keywords, flags)

    @NODES.on("super")
    def bare_super(self, frame: Frame, node: Node) -> int:
        return self.super_call(frame, node, None, None)

    @NODES.on("yield")
    def yielded(self, frame: Frame, node: Node) -> int:
        positional: tuple[int, ...] = ()
        keywords: tuple[int, ...] = ()
        for child in node.named_children:
            positional, keywords, _ = self.arguments(frame, child, None)
        slot = self.block_slot(frame)
        return self.call(frame, node.start_point[0] + 1, slot, -1, positional, keywords)

    @NODES.on("lambda")
    def lambda_value(self, frame: Frame, node: Node) -> int:
        body = node.child_by_field_name("body")
        return self.procedure(frame, node, body)
