"""Conditions, patterns, exceptions and jumps in Ruby."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolroll_codegraph.resolve import contexts
from toolroll_codegraph.resolve.ruby import rules

if TYPE_CHECKING:
    from conftest import Edges

M = "<module>"

CASES = {
    "a pattern's classes are those of what it binds, and not of what later ones are asked": (
        "class A\n  def area; end\n  def deconstruct_keys(_) = {}\nend\n"
        "class B\n  def area; end\n  def size; end\n  def deconstruct = [1]\nend\n"
        "class C\n  def area; end\n  def size; end\n"
        "  def deconstruct_keys(_) = { inner: A.new }\nend\n"
        "def f(shape)\n  case shape\n  in A => a then a.area\n  in B[x] then shape.size\n"
        "  in B | C => other if other.size then 1\n  in { inner: } then inner.area\n  end\nend\n"
        "f(A.new)\nf(B.new)\nf(C.new)\n",
        {
            (M, "f"),
            ("f", "A.area"),
            ("f", "B.deconstruct"),
            ("f", "B.size"),
            ("f", "C.size"),
            ("f", "C.deconstruct_keys"),
        },
    ),
    "a default that comes back to who gives nothing for it": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "def walk(n, seen = [], last: A.new)\n  seen << A.new\n  walk(n, seen) if n\n  seen\nend\n"
        "def kept(a = A.new) = a\ndef named(a: A.new) = a\n"
        "def x = walk(1).each(&:go)\ndef y = kept.go\ndef z = kept(B.new).go\n"
        "def w = ->(a = A.new) { a }.call.go\nw\n"
        "def u = named.go\ndef v = named(a: B.new).go\n[x, y, z, u, v]\n",
        {
            *((M, name) for name in "xyzuvw"),
            ("x", "walk"),
            ("walk", "walk"),
            ("y", "kept"),
            ("z", "kept"),
            ("u", "named"),
            ("v", "named"),
            *((name, "A.go") for name in "xyuw"),
            ("z", "B.go"),
            ("v", "B.go"),
        },
    ),
    "a call enters what takes as many arguments as it has": (
        "class A; def go(a); end; end\nclass B; def go(a, b = 1, &c); end; end\n"
        "class C; def go(*, a, b); end; end\nclass D; def go(a: 1); end; end\n"
        "def one(x) = x.go(1)\ndef two(x) = x.go(1, 2) { 3 }\ndef none(x) = x.go\n"
        "def spread(x, y) = x.go(*y)\ndef named(x) = x.go(a: 1)\ndef symbol(*x) = x.each(&:go)\n"
        "[A, B, C, D].map(&:new).each { |it| one(it); two(it); none(it); spread(it, [])\n"
        "  named(it); symbol(it) }\n",
        {
            *((M, name) for name in ("one", "two", "none", "spread", "named", "symbol")),
            *(("one", f"{name}.go") for name in "AB"),
            *(("two", f"{name}.go") for name in "BC"),
            *(("spread", f"{name}.go") for name in "ABCD"),
            *(("named", f"{name}.go") for name in "ABD"),
            *((name, "D.go") for name in ("none", "symbol")),
        },
    ),
    "a call enters nothing, under keywords too, that cannot take what it has": (
        "class A; def initialize(a); end; def go(a, b: 1); end; end\n"
        "class B; def initialize(a, b); end; def go(a, **b); end; end\n"
        "class C; def initialize(*); end; def go(a, b = 1); end; end\n"
        "class D; def go(a); end; end\n"
        "def make(it) = it.new(1, 2)\ndef known(x) = x.go(1, b: 2)\n"
        "def other(x) = x.go(1, c: 2)\ndef spread(x, all) = x.go(1, **all)\n"
        "[A, B, C].each { |it| make(it) }\n"
        "[A.new(1), B.new(1, 2), C.new, D.new].each { |it| known(it); other(it)\n"
        "  spread(it, {}) }\n",
        {
            *((M, name) for name in ("make", "known", "other", "spread")),
            *((M, f"{name}.initialize") for name in "ABC"),
            *(("make", f"{name}.initialize") for name in "BC"),
            *(("known", f"{name}.go") for name in "ABC"),
            *(("other", f"{name}.go") for name in "BC"),
            *(("spread", f"{name}.go") for name in "ABCD"),
        },
    ),
    "a constructor that does not fit is told if no class that is made in its place has one": (
        "class A; def initialize(a); end; end\nclass B; def initialize(a, b); end; end\n"
        "def any(it) = it.new(1)\n[A, B].each { |it| any(it) }\n"
        "def none(it) = it.new\n[A, B].each { |it| none(it) }\n"
        "def both = [A.new(1), B.new(2)]\nboth\n",
        {
            *((M, name) for name in ("any", "none", "both")),
            *(("any", "A.initialize"), ("none", "A.initialize"), ("none", "B.initialize")),
            *(("both", "A.initialize"), ("both", "B.initialize")),
        },
    ),
    "a library's exception is none of the project's, unless one derives from what is unknown": (
        "class Lost < KeyError; def go; end; end\nclass Odd < StandardError; def go; end; end\n"
        "class Tied < Away::Problem; def go; end; end\n"
        "def work(it)\n  raise Lost if it\n  raise Odd unless it\n  raise Tied\nend\n"
        "def library\n  work(1)\nrescue Net::Broken => it\n  it.go\nend\n"
        "def index\n  work(1)\nrescue IndexError => it\n  it.go\nend\n"
        "def input\n  work(1)\nrescue ::IOError => it\n  it.go\nend\n"
        "def any\n  work(1)\nrescue Exception => it\n  it.go\nend\n"
        "def nothing\n  it = Away.call\nrescue Net::Broken => it\n  it.go\nend\n"
        "library\nindex\ninput\nany\nnothing\n",
        {
            *((M, name) for name in ("library", "index", "input", "any", "nothing")),
            *((name, "work") for name in ("library", "index", "input", "any")),
            *((name, "Tied.go") for name in ("library", "index", "input", "any", "nothing")),
            *(("index", "Lost.go"), ("any", "Lost.go"), ("any", "Odd.go")),
        },
    ),
    "what is raised may be a class that an expression gives": (
        "class A < StandardError; def go; end; end\nclass B < StandardError; def go; end; end\n"
        "class C < StandardError\n  def initialize(text) = super\n  def go; end\nend\n"
        "CODES = { one: A, two: B }\ndef kind = C\n"
        "def either(it)\n  raise(it ? A : B)\nrescue => it\n  it.go\nend\n"
        "def key\n  raise CODES[:one], 'x'\nrescue => it\n  it.go\nend\n"
        "def fetched\n  raise CODES.fetch(:two)\nrescue => it\n  it.go\nend\n"
        "def asked\n  raise self.kind, 'x'\nrescue => it\n  it.go\nend\n"
        "either(1)\nkey\nfetched\nasked\n",
        {
            *((M, name) for name in ("either", "key", "fetched", "asked")),
            *(("either", "A.go"), ("either", "B.go"), ("key", "A.go"), ("fetched", "B.go")),
            *(("asked", "kind"), ("asked", "C.initialize"), ("asked", "C.go")),
        },
    ),
    "a method that is removed does nothing, unless it has another name": (
        "def a; end\ndef b; end\nclass A\n  def go = a\n  def run = b\n  alias turn run\n"
        "  remove_method :go\n  remove_method :run\nend\nA.new.turn\n",
        {(M, "A.run"), ("A.run", "b")},
    ),
    "strings can what those of any Ruby can": (
        "def old; end\ndef new; end\nclass A\n  if String.method_defined?(:encoding)\n"
        "    def go = new\n  else\n    def go = old\n  end\nend\nA.new.go\n",
        {(M, "A.go"), ("A.go", "new")},
    ),
    "what comes back to who gives it is of the classes that a test admits": (
        "class A; def go; end; end\nclass B; def go; end; end\nclass C; def go; end; end\n"
        "def made(it)\n  case it\n  when A then it\n  when Array then it.first\n"
        "  else C.new\n  end\nend\n"
        "def other(it)\n  return C.new if it.is_a?(A)\n  it\nend\n"
        "def a = made(A.new).go\ndef b = made(B.new).go\ndef c = made([B.new]).go\n"
        "def d = other(A.new).go\ndef e = other(B.new).go\n[a, b, c, d, e]\n"
        "class Leaf\n  def leaf? = true\n  def go; end\nend\n"
        "class Tree\n  def leaf? = false\n  def go; end\nend\n"
        "def asked(it) = it.leaf? ? it : C.new\n"
        "def f = asked(Leaf.new).go\ndef g = asked(Tree.new).go\n[f, g]\n",
        {
            *((M, name) for name in "abcdefg"),
            *(("f", "asked"), ("g", "asked"), ("asked", "Leaf.leaf?"), ("asked", "Tree.leaf?")),
            *(("f", "Leaf.go"), ("f", "C.go"), ("g", "C.go")),
            *((name, "made") for name in "abc"),
            *(("d", "other"), ("e", "other")),
            *((name, "C.go") for name in "abcde"),
            *(("a", "A.go"), ("c", "B.go"), ("e", "B.go")),
        },
    ),
    "a variable that blocks within blocks assign, in evaluated text too": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "def twice\n  yield\n  yield\nend\n"
        "def run\n  a = b = nil\n  twice { twice { a&.go; other = a = A.new } }\n"
        "  eval 'twice { twice { b&.go; b = B.new } }'\n  other\nend\nrun\n",
        {(M, "run"), ("run", "twice"), ("run", "A.go"), ("run", "B.go")},
    ),
    "what a method returns by way of others is each caller's own": (
        "class Registry\n  def keep(item, of: nil) = item\n  def add(item)\n    keep(item)\n  end\n"
        "  def named(**options) = keep(options)\n  def checked(item)\n    @last = add(item)\n"
        "    @last.go\n    @last\n  end\nend\n"
        "class A; def go; end; end\nclass B; def go; end; end\nclass C; def go; end; end\n"
        "def a(r) = r.add(A.new).go\ndef b(r) = r.add(B.new).go\n"
        "def c(r) = r.checked(C.new)\nr = Registry.new\na(r)\nb(r)\nc(r)\n",
        {
            *((M, name) for name in "abc"),
            ("a", "Registry.add"),
            ("b", "Registry.add"),
            ("c", "Registry.checked"),
            ("Registry.add", "Registry.keep"),
            ("Registry.checked", "Registry.add"),
            ("Registry.named", "Registry.keep"),
            ("a", "A.go"),
            ("b", "B.go"),
            ("Registry.checked", "C.go"),
        },
    ),
    "what objects answer to a question that their class always answers alike": (
        "class Base; def leaf?; false; end; end\n"
        "class A < Base; def leaf?; true; end; def a; end; def go; end; end\n"
        "class B < Base; def a; end; def go; end; end\n"
        "def f(x)\n  if x.leaf? then x.a else x.go end\nend\n"
        "def g(x)\n  return x.a if !x.leaf?\n  x.go\nend\n"
        "[A.new, B.new].each { |x| f(x); g(x) }\n",
        {
            *((M, name) for name in ("f", "g")),
            *((name, "A.leaf?") for name in ("f", "g")),
            *((name, "Base.leaf?") for name in ("f", "g")),
            *(("f", "A.a"), ("f", "B.go"), ("g", "B.a"), ("g", "A.go")),
        },
    ),
    "a constant that is a literal as condition": (
        "DEBUG = false\nTWICE = true\nTWICE = nil\ndef a; end\ndef b; end\ndef c; end\n"
        "def run\n  DEBUG ? a : b\n  c unless DEBUG\n  a if DEBUG\nend\n"
        "def go; TWICE ? a : b; end\nrun\ngo\n",
        {(M, "run"), (M, "go"), ("run", "b"), ("run", "c"), ("go", "a"), ("go", "b")},
    ),
    "the cause of an exception": (
        "class Low < StandardError; def low; end; end\n"
        "class High < StandardError; def low; cause.low; end; end\n"
        "begin\n  begin\n    raise Low\n  rescue Low\n    raise High\n  end\n"
        "rescue High => e\n  e.low\nend\n",
        {(M, "High.low"), ("High.low", "Low.low")},
    ),
    "a rescue finds what its body raises, what that calls, and what is raised again": (
        "class A < StandardError\n  def x; end\nend\nclass B < A\n  def x; end\nend\n"
        "class C < StandardError\n  def x; end\nend\n"
        "def a; raise A; end\ndef b; raise B.new; end\ndef c; raise C, 'no'; end\n"
        "def mid\n  a\n  b\nrescue B => e\n  e.x\nend\n"
        "def again\n  c\nrescue StandardError\n  raise\nend\n"
        "def safely\n  yield\nrescue => e\n  e.x\nend\n"
        "def main\n  mid\nrescue => e\n  e.x\nend\n"
        "def other\n  again\nrescue => e\n  e.x\nend\nmain\nother\nsafely { b }\n",
        {
            (M, "main"),
            (M, "other"),
            (M, "safely"),
            (M, "b"),
            ("main", "mid"),
            ("mid", "a"),
            ("mid", "b"),
            ("mid", "B.x"),
            ("main", "A.x"),
            ("other", "again"),
            ("again", "c"),
            ("other", "C.x"),
            ("safely", "B.x"),
        },
    ),
    "what is behind a statement that leaves, or under a constant condition": (
        "def f(x)\n  raise 'no' unless x\n  if false\n    g\n  else\n    h\n  end\n  return\n  g\n"
        "end\ndef g; end\ndef h; end\nf(1)\n",
        {(M, "f"), ("f", "h")},
    ),
    "case asks the value's own equality": (
        "class Even\n  def self.===(n); check; end\n  def self.check; end\nend\n"
        "case 4\nwhen Even then 1\nend\n",
        {(M, "Even.==="), ("Even.===", "Even.check")},
    ),
    "a method that a condition chooses": (
        "class A\n  if ENV['OLD']\n    def f; g; end\n  else\n    def f; h; end\n  end\n"
        "  def g; end\n  def h; end\nend\nA.new.f\n",
        {(M, "A.f"), ("A.f", "A.g"), ("A.f", "A.h")},
    ),
    "a class that is_a? tells": (
        "class A\n  def f; end\nend\ndef use(x)\n  x.f if x.is_a?(A)\nend\nuse(nil)\n",
        {(M, "use"), ("use", "A.f")},
    ),
    "patterns that ask a class and name what they find": (
        "class A\n  def self.===(other)\n    true\n  end\n  def f; end\nend\ndef go(x)\n"
        "  case x\n  in A => a then a.f\n  end\nend\ngo(A.new)\n",
        {(M, "go"), ("go", "A.==="), ("go", "A.f")},
    ),
    "what `catch`, a thread, a fiber, an enumerator and a lock give": (
        "class A; def a; end; def b; end; def c; end; def d; end; def e; end; end\n"
        "catch(:x) { throw :x, A.new }.a\nThread.new { A.new }.value.b\n"
        "Fiber.new { Fiber.yield A.new }.resume.c\nEnumerator.new { |y| y << A.new }.next.d\n"
        "Mutex.new.synchronize { A.new }.e\n",
        {(M, "A.a"), (M, "A.b"), (M, "A.c"), (M, "A.d"), (M, "A.e")},
    ),
    "guards of patterns, and what an operator without another operand gives": (
        "class A\n  def -@; A.new; end\n  def ok?; true; end\nend\n"
        "case -A.new\nin a if a.ok? then 1\nend\n",
        {(M, "A.-@"), (M, "A.ok?")},
    ),
    "what is assigned before an exception, and where it is rescued": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "def pick\n  begin\n    require 'x'\n    t = A.new\n  rescue LoadError\n"
        "    t = B.new\n  end\n  t.go\nend\n"
        "def left\n  t = A.new\nrescue IOError\n  t = B.new\n  return\nensure\n  t.go\nend\n",
        {("pick", "A.go"), ("pick", "B.go"), ("left", "A.go")},
    ),
    "what exceptions are asked for, and what `clamp` gives": (
        "class E < StandardError\n  def to_s; text; end\n  def text; end\nend\n"
        "begin\n  raise E\nrescue E => e\n  e.message\nend\n"
        "class L\n  include Comparable\n  def <=>(o) 0 end\n  def f; end\nend\n"
        "L.new.clamp(L.new, L.new).f\n",
        {(M, "E.to_s"), ("E.to_s", "E.text"), (M, "L.<=>"), (M, "L.f")},
    ),
    "what a class that nothing makes lacks and those below it have": (
        "class A\n  def method_missing(name, *) end\n  def run; step; end\nend\n"
        "class B < A\n  def step; end\nend\n",
        {("A.run", "B.step")},
    ),
    "what a method of a base class gives each caller's block": (
        "class Base\n  def self.open\n    made = new\n    yield made\n    made.close\n  end\n"
        "  def self.make(...) = new(...)\n  def self.each_of = yield(new)\n"
        "  def initialize(&block)\n    @got = block ? block.call(self) : nil\n  end\n"
        "  def go = 1\n  def close = 2\nend\nclass Sub < Base\n  def go = 3\nend\n"
        "def one = Base.open { |it| it.go }\ndef two = Sub.open(&:go)\n"
        "def three = Base.make { |it| it.go }\ndef four = Sub.make { |it| it.go }\n"
        "def five = Sub.each_of { |it| it.go }\ndef six = Base.each_of { |it| it.go }\n"
        "one\ntwo\nthree\nfour\nfive\nsix\n",
        {
            *((M, name) for name in ("one", "two", "three", "four", "five", "six")),
            *((f"Base.{name}", "Base.initialize") for name in ("open", "make", "each_of")),
            *(("one", "Base.open"), ("two", "Base.open"), ("Base.open", "Base.close")),
            *(("three", "Base.make"), ("four", "Base.make")),
            *(("five", "Base.each_of"), ("six", "Base.each_of")),
            *((name, "Base.go") for name in ("one", "three", "six")),
            *((name, "Sub.go") for name in ("Base.open", "four", "five")),
        },
    ),
    "what is done with a block that only some of its callers' calls reach": (
        "class A; def go = 1; end\nclass B; def go = 2; end\n"
        "class Box\n  def initialize = @kept = []\n  def keep(&block) = @kept << block\n"
        "  def run = @kept.each { |it| it.call(A.new) }\n"
        "  def let(&block) = Box.define_method(:made) { @made ||= instance_eval(&block) }\n"
        "  def use = made.go\nend\nbox = Box.new\ndef one(box) = box.keep { |it| it.go }\n"
        "one(box)\nbox.run\nbox.let { B.new }\nbox.use\n",
        {
            *((M, name) for name in ("one", "Box.run", "Box.let", "Box.use", "Box.initialize")),
            *(("one", "Box.keep"), ("one", "A.go"), ("Box.use", "B.go")),
        },
    ),
    "a clause of `rescue` and of `case` has what none before it takes": (
        "class A < StandardError; def f; end; end\nclass B < A; def f; end; end\n"
        "class C; def f; end; end\n"
        "def b; raise B; end\ndef a; raise A; end\ndef one(e) e.f; end\ndef two(e) e.f; end\n"
        "def other(e) e.f; end\n"
        "def run\n  yield\nrescue B => e\n  one(e)\nrescue A => e\n  two(e)\nend\n"
        "run { b }\nrun { a }\ndef kind(x)\n  case x\n  when B then x.f\n  when A then two(x)\n"
        "  else other(x)\n  end\nend\n[A.new, B.new, C.new].each { |it| kind(it) }\n",
        {
            *((M, name) for name in ("a", "b", "run", "kind")),
            *(("run", "one"), ("one", "B.f"), ("run", "two"), ("two", "A.f")),
            *(("kind", "B.f"), ("kind", "two"), ("kind", "other"), ("other", "C.f")),
        },
    ),
    "what a block that is handed on makes of elements is each caller's own": (
        "class A; def kids; [self]; end; def f; end; end\n"
        "class B; def subs; [self]; end; def f; end; end\n"
        "def all(list, &block) = list.flat_map(&block)\n"
        "def one; all([A.new], &:kids).each { |it| it.f }; end\n"
        "def two; all([B.new], &:subs).each { |it| it.f }; end\none\ntwo\n",
        {
            *((M, name) for name in ("one", "two")),
            *(("one", "all"), ("one", "A.f"), ("two", "all"), ("two", "B.f")),
            *(("all", "A.kids"), ("all", "B.subs")),
        },
    ),
    "what a test lets through of an argument is each caller's own": (
        "class A; def f; end; end\nclass B < A; def f; end; end\n"
        "def wrap(x) x.is_a?(A) ? x : A.new; end\n"
        "def other(x)\n  case x\n  when String then nil\n  else x\n  end\nend\n"
        "def one; wrap(B.new).f; end\ndef two; other(B.new).f; end\n"
        "def three; other(A.new).f; end\n"
        "one\ntwo\nthree\nwrap(A.new)\n",
        {
            *((M, name) for name in ("one", "two", "three", "wrap")),
            *(("one", "wrap"), ("one", "B.f"), ("one", "A.f"), ("two", "other"), ("two", "B.f")),
            *(("three", "other"), ("three", "A.f")),
        },
    ),
    "raise asks an exception for its backtrace, and raising again does not": (
        "class Bad < StandardError\n  def backtrace = super\n  def set_backtrace(at) = super\nend\n"
        "def work\n  raise Bad, 'x'\nend\ndef again\n  work\nrescue ArgumentError\n  raise\nend\n"
        "def late\n  work\nrescue Bad => e\n  raise e\nend\nagain\nlate\n",
        {
            *((M, "again"), (M, "late"), ("again", "work"), ("late", "work")),
            *(("work", "Bad.backtrace"), ("work", "Bad.set_backtrace")),
        },
    ),
    "what any Ruby in use answers alike decides": (
        "module Old; def text = 1; end\nmodule New; def text = 2; end\n"
        "class A\n  if ''.respond_to?(:encode)\n    include New\n  else\n"
        "    include Old\n  end\nend\n"
        "class B\n  if RUBY_VERSION < '1.9'\n    include Old\n  else\n    include New\n  end\nend\n"
        "class C\n  if ''.respond_to?(:shout)\n    include Old\n  end\nend\n"
        "A.new.text\nB.new.text\ndef c = C.new.text\nc\n",
        {(M, "New.text"), (M, "c"), ("c", "Old.text")},
    ),
    "what a block gives comes back to its own caller, of however many": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "module Lock\n  def self.hold(&block) = @off ? yield : Mutex.new.synchronize(&block)\nend\n"
        + "".join(f"def f{i} = Lock.hold {{ A.new }}\n" for i in range(80))
        + "def last = Lock.hold { B.new }.go\nlast\n",
        {
            (M, "last"),
            *((f"f{i}", "Lock.hold") for i in range(80)),
            *(("last", "Lock.hold"), ("last", "B.go")),
        },
    ),
    "a name in brackets calls a procedure where no hash is found that has it": (
        "class A\n  def self.read(key) = key\n  def self.make(key) = key\nend\n"
        "def traced = yield\n"
        "def keep = traced { A.method(:make) }\n"
        "def ask = traced { { errors: 1 } }[:errors]\n"
        "def call(reader) = reader[:name]\n"
        "keep\nask\ncall(A.method(:read))\n",
        {
            *((M, "keep"), (M, "ask"), (M, "call"), ("call", "A.read")),
            *(("keep", "traced"), ("ask", "traced")),
        },
    ),
    "what is asked for a text gives no object of another class": (
        "class Any\n  def method_missing(name, *) = self\n  def strip; end\nend\n"
        "class Told < String\n  def strip; end\nend\n"
        "class A\n  def initialize(any) = @any = any\n  def to_s = @any.shown\nend\n"
        "class B\n  def inspect = Told.new('b')\nend\n"
        "def one(a) = a.to_s.strip\ndef two(b) = b.inspect.strip\n"
        "one(A.new(Any.new))\ntwo(B.new)\n",
        {
            *((M, "one"), (M, "two"), (M, "A.initialize")),
            *(("one", "A.to_s"), ("A.to_s", "Any.method_missing")),
            *(("two", "B.inspect"), ("two", "Told.strip")),
        },
    ),
    "what is raised may make the exception": (
        "class Failure < StandardError; def message = told\n  def told = ''\nend\n"
        "class Problem; def exception(text = nil) = Failure.new; end\n"
        "def list = [Failure, IOError]\n"
        "def one\n  raise Problem.new, 'x'\nrescue *list => error\n  error.message\nend\n"
        "def two\n  raise Failure.new\nend\none\ntwo\n",
        {
            *((M, "one"), (M, "two"), ("one", "Problem.exception"), ("one", "list")),
            *(("one", "Failure.message"), ("Failure.message", "Failure.told")),
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".rb") == expected


def test_weaker_evidence_tells_less_in_a_large_program(
    edges: Edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes = "".join(f"class K{number}\n  def step; end\nend\n" for number in range(12))
    every = ", ".join(f"K{number}.new" for number in range(12))
    source = f"""{classes}
class Runner
  def run
    all.each {{ |item| item.step }}
  end

  def all
    [{every}]
  end
end
"""

    def called() -> int:
        return sum(
            caller == "Runner.run" and callee.endswith(".step")
            for caller, callee in edges(source, suffix=".rb")
        )

    assert called() == 12
    monkeypatch.setattr(rules, "LARGE", 10)
    assert called() == 8


@pytest.mark.parametrize("body", ["self.class.new", "dup", "made = base; made.size = 1; made"])
def test_a_copy_of_the_receiver_is_each_callers_own(edges: Edges, body: str) -> None:
    source = f"""class Base
  attr_writer :size
  def base; self.class.new; end
  def make; {body}; end
end
class A < Base; def go; end; end
class B < Base; def go; end; end
def a; A.new.make.go; end
def b; B.new.make.go; end
a
b
"""
    found = {edge for edge in edges(source, suffix=".rb") if edge[1].endswith(".go")}
    assert found == {("a", "A.go"), ("b", "B.go")}


def test_a_method_of_many_objects_runs_on_one_of_its_own_class_too(
    edges: Edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of them is the class's own, whose other method no subclass has."""
    monkeypatch.setattr(contexts, "_MOST_SCOPES", 0)
    source = (
        "class Base\n  def run = work\n  def work; end\nend\n"
        + "".join(f"class S{i} < Base\n  def work; end\nend\n" for i in range(20))
        + "".join(f"S{i}.new.run\n" for i in range(20))
        + "Base.new.run\n"
    )
    found = edges(source, suffix=".rb")
    assert ("Base.run", "Base.work") in found
    assert sum(caller == "Base.run" for caller, _ in found) == 16
