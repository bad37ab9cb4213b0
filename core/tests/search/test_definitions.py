"""What a source file defines, language by language."""

from __future__ import annotations

import pytest

from toolroll.search.definitions import definitions
from toolroll.search.languages import language_name

SWIFT = """
@objc(CAPGate) public class Gate: NSObject {
  @discardableResult open func open<T>(with key: T) -> Bool { true }
}
actor Keeper {}
indirect enum Way { case out }
"""
KOTLIN = """
data class Key(val teeth: Int)
fun <T> T.lock(): T = this
internal suspend fun Door.open() {}
fun interface Listener { fun heard() }
enum class Side { LEFT }
typealias Keys = List<Key>
"""
HASKELL = """
data Gate a = Shut | Open a
newtype Key = Key Int
class (Eq a) => Lockable a where
  lock :: a -> a
openGate :: Key -> Gate a
openGate = undefined
"""
ZIG = """
pub const Gate = struct {
    pub fn open(key: u8) Gate {}
};
const std = @import("std");
"""
LUA = """
function Gate.open(key) end
local function shut() end
Gate.lock = function(key) end
function Gate:knock() end
"""
ELIXIR = """
defmodule House.Gate do
  def open?(key), do: key
  defmacro lock(key) do end
end
"""
SCALA = """
sealed abstract class Gate[A](key: Int)
case class Key()
object Keeper extends Gate {
  private[house] def open(key: Key) = 1
}
"""
OBJECTIVE_C = """
@implementation Gate
- (void)open:(int)key with:(int)hand {}
+ (NSString *)name {}
@end
"""
JAVASCRIPT = """
exports.open = function (key) {};
Gate.prototype.shut = () => 1;
export const slice = createSlice({});
const fs = require("fs");
module.exports = function () {};
"""
MEMBERS = """
class Gate {
  open = (key) => {};
  static shut = function () {};
  teeth = 5;
}
const keeper = { lock: function () {}, knock: async () => 1, name: "x", wait() {} };
module.exports = { ring: () => 2 };
export default { data: function () {} };
send({ done: function () {} });
"""
CPP = """
int& house::Gate::open(int key) { return key; }
using Keys = std::vector<int>;
"""
MEMBER_NAMES = ["Gate", "open", "shut", "lock", "knock", "wait", "ring", "data"]


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.swift", SWIFT, ["Gate", "open", "Keeper", "Way"]),
        ("a.kt", KOTLIN, ["Key", "T.lock", "Door.open", "Listener", "Side", "Keys"]),
        ("a.hs", HASKELL, ["Gate", "Key", "Lockable", "openGate"]),
        ("a.zig", ZIG, ["Gate", "open"]),
        ("a.lua", LUA, ["Gate.open", "shut", "Gate.lock", "Gate:knock"]),
        ("a.ex", ELIXIR, ["House.Gate", "open?", "lock"]),
        ("a.scala", SCALA, ["Gate", "Key", "Keeper", "open"]),
        ("a.sh", "open() {\n}\nfunction shut {\n}\nlock ()\n{\n}\n", ["open", "shut", "lock"]),
        ("a.m", OBJECTIVE_C, ["Gate", "open", "name"]),
        ("a.sql", "CREATE TABLE gates (id int);\n", ["gates"]),
        ("a.proto", "message Gate {\n}\nservice Keeper {\n}\n", ["Gate", "Keeper"]),
        ("a.js", JAVASCRIPT, ["open", "shut", "slice"]),
        *((f"a.{kind}", MEMBERS, MEMBER_NAMES) for kind in ("js", "ts", "tsx")),
        ("a.rb", "Key = Struct.new(:teeth)\nclass Gate\nend\n", ["Key", "Gate"]),
        ("a.cpp", CPP, ["house::Gate::open", "Keys"]),
        ("a.txt", "class Gate\n", []),
    ],
)
def test_names_that_a_file_defines(path: str, source: str, names: list[str]) -> None:
    found = definitions(source.encode(), path)
    assert [definition.name for definition in found] == names
    assert all(0 <= one.start < one.end <= len(source.encode()) for one in found)


def test_what_encloses_what() -> None:
    found = {one.name: one for one in definitions(SWIFT.encode(), "a.swift")}
    assert [found[name].depth for name in ("Gate", "open", "Keeper")] == [0, 1, 0]
    assert found["Gate"].start < found["open"].start < found["Gate"].end
    assert found["Keeper"].kind == "actor"


@pytest.mark.parametrize(
    ("path", "language"),
    [("a.PY", "python"), ("Makefile", "makefile"), ("go", None), ("bin/r", None), ("py", None)],
)
def test_an_extension_needs_a_dot(path: str, language: str | None) -> None:
    assert language_name(path) == language
