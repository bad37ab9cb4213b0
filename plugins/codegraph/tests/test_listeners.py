"""Lists of listeners hold calls behind headings, and give back what was put in."""

from __future__ import annotations

from toolroll_codegraph.resolve.calls import Call, Listener, Read, handler
from toolroll_codegraph.resolve.listeners import Heading, Listeners, Packing, deliver, unpacked


class _Heard:
    def __init__(self) -> None:
        self.all: list[tuple[str, int, Listener]] = []

    @handler
    def on_call(self, value: int, listener: Listener) -> None:
        self.all.append(("call", value, listener))

    @handler
    def on_other(self, value: int, listener: Listener) -> None:
        self.all.append(("other", value, listener))

    def on_plain(self, value: int, listener: Listener) -> None:
        self.all.append(("plain", value, listener))


def _call(line: int) -> Call:
    return Call(-1, 0, line, -1, (), (), 0)


def test_a_list_gives_back_its_listeners_in_their_order() -> None:
    heard = _Heard()
    first, second, read = _call(1), _call(2), Read(5, 6, 7, 8)
    listeners: list[Listener] = [
        (heard.on_call, first, 3), (heard.on_call, second, 3), (heard.on_other, 9),
        (heard.on_call, first, 3), (heard.on_call, first, 4), (heard.on_other, first, 4),
        (heard.on_call, read, 4), (heard.on_call, second, "a key"), (heard.on_call, second, 4),
        (heard.on_other,), (heard.on_other, second), (heard.on_call, second, 4),
    ]  # fmt: skip
    packing, known = Packing(), listeners[0]
    packed: Listeners = []
    for listener in listeners[1:]:
        packed = packing.join(packed or known, listener)
    assert unpacked(packed) == listeners
    deliver(packed, (10, 11))
    assert [(value, listener) for _, value, listener in heard.all] == [
        (value, listener) for listener in listeners for value in (10, 11)
    ]
    assert [kind for kind, _, _ in heard.all[::2]] == [
        "call" if listener[0] is heard.on_call else "other" for listener in listeners
    ]


def test_calls_of_one_handler_and_receiver_share_a_heading() -> None:
    heard = _Heard()
    packing = Packing()
    packed = packing.join((heard.on_call, _call(0), 3), (heard.on_call, _call(1), 3))
    before = len(packed)
    for line in range(2, 100):
        packed = packing.join(packed, (heard.on_call, _call(line), 3))
    assert len(packed) - before == 98


def test_a_method_that_is_bound_for_each_listener_has_one_heading() -> None:
    heard = _Heard()
    packing = Packing()
    lists = [
        packing.join((heard.on_plain, _call(line)), (heard.on_plain, _call(line)))
        for line in range(50)
    ]
    headings = [item for known in lists for item in known if isinstance(item, Heading)]
    assert len({id(heading) for heading in headings}) == 1


def test_a_handler_is_bound_once_for_each_object() -> None:
    heard, other = _Heard(), _Heard()
    assert heard.on_call is heard.on_call
    assert heard.on_call is not other.on_call
