"""Who calls whom in Ruby: calls, arguments, blocks and conversions."""

from __future__ import annotations

import pytest

M = "<module>"
TEXTS = ("gap", "empty", "heredoc", "printed", "joined", "formatted", "filled", "changed", "parts",
         "lines", "symbol", "length", "keyed")  # fmt: skip

CASES = {
    "methods added to String, of texts of which nothing else is known": (
        "class String; def loud = self; end\nclass Symbol; def low = self; end\n"
        'def gap(x) = "a #{x}".loud\ndef empty = "".loud\ndef heredoc(x)\n  text = <<~T\n'
        "    a #{x}\n  T\n  text.loud\nend\ndef printed(x) = x.to_s.loud\n"
        'def joined(x) = x.join(",").loud\ndef formatted(x) = format("%d", x).loud\n'
        'def filled(x) = ("%d" % x).loud\ndef changed(x) = "a, #{x}".sub("a", "b").strip.loud\n'
        'def parts(x) = "a #{x}".split(" ").each { |part| part.loud }\n'
        'def lines(x) = "a #{x}".each_line { |line| line.loud }\n'
        'def symbol(x) = "a #{x}".to_sym.low\n'
        'def length(x) = "a #{x}".size.loud\ndef keyed(x)\n'
        '  table = { "a" => "b" }\n  table["#{x}"].loud\nend\n'
        "gap(1)\nempty\nheredoc(1)\nprinted(1)\njoined([])\nformatted(1)\nfilled(1)\nchanged(1)\n"
        "parts(1)\nlines(1)\nsymbol(1)\nlength(1)\nkeyed(1)\n",
        {
            *((M, name) for name in TEXTS),
            *((name, "String.loud") for name in TEXTS if name not in ("symbol", "length")),
            ("symbol", "Symbol.low"),
        },
    ),
    "methods under the keys of a hash, and a hook that is told the object it extends": (
        "class B\n  def self.own(k) = k.define_singleton_method(:made) { built }\nend\n"
        "class C; def self.built; end; end\nB.own(C)\nC.made\n"
        "class A\n  WAYS = { up: 1, down: 2 }\n"
        '  WAYS.each_key do |way|\n    define_method("go_#{way}") { step(way) }\n  end\n'
        "  def step(way); end\n  def told; end\n  def take = extend(Told)\nend\n"
        "module Told\n  def self.extended(object) = object.told\nend\n"
        "def run(a)\n  a.go_up\n  a.take\nend\nrun(A.new)\n",
        {
            (M, "run"),
            (M, "A.step"),
            (M, "B.own"),
            ("B.own", "C.built"),
            ("run", "A.take"),
            ("A.take", "Told.extended"),
            ("Told.extended", "A.told"),
        },
    ),
    "a class of what a kind of Struct makes, and a singleton class opened from outside": (
        "class Options < Struct\n  def self.from(h) = new(*h).tap(&:check)\n  def check; end\nend\n"
        "class A < Options.new(:a)\n  def check = a.go\nend\nclass B; def go; end; end\n"
        "module Kept; end\nOTHER = Object.new\n"
        "class << Kept\n  def all = load\n  private def load; end\nend\n"
        "class << OTHER\n  def all; end\nend\nA.from([B.new])\nKept.all\nOTHER.all\n",
        {
            (M, "Options.from"),
            ("Options.from", "A.check"),
            ("A.check", "B.go"),
            (M, "Kept.all"),
            ("Kept.all", "Kept.load"),
            (M, "all"),
        },
    ),
    "accessors that are declared by calls": (
        "class B; def go; end; end\n"
        "class Base\n  def self.field(n) = attr_accessor(n)\n"
        "  def self.fields(*all) = attr_accessor(*all)\nend\n"
        "module Mixed\n  def self.included(base)\n    base.attr_accessor :c\n"
        "    base.send(:attr_accessor, :d)\n  end\nend\n"
        "class A < Base\n  include Mixed\n  field :a\n  fields :b, :x\n"
        "  singleton_class.send(:attr_accessor, :e)\n  singleton_class.attr_accessor :f\nend\n"
        "def a(o) = (o.a = B.new).then { o.a.go }\ndef b(o) = (o.b = B.new).then { o.b.go }\n"
        "def c(o) = (o.c = B.new).then { o.c.go }\ndef d(o) = (o.d = B.new).then { o.d.go }\n"
        "def e = (A.e = B.new).then { A.e.go }\ndef f = (A.f = B.new).then { A.f.go }\n"
        "a(A.new)\nb(A.new)\nc(A.new)\nd(A.new)\ne\nf\n",
        {
            *((M, name) for name in "abcdef"),
            *((name, "B.go") for name in "abcdef"),
            (M, "Base.field"),
            (M, "Base.fields"),
            (M, "Mixed.included"),
        },
    ),
    "a curried procedure that waits for its arguments": (
        "def add(a, b, c); end\ndef first = method(:add).curry[1]\n"
        "def second(f) = f.(2)\ndef third(f) = f[3]\n"
        "def all = ->(a, b) { last }.curry[1].(2)\ndef last; end\nthird(second(first))\nall\n",
        {
            *((M, name) for name in ("first", "second", "third", "all")),
            ("third", "add"),
            ("all", "last"),
        },
    ),
    "methods of the names of Kernel's that load files": (
        "class A\n  def self.load(name); new; end\n  def self.default; load('a'); end\n"
        "  def require(key); end\n  def check; require('b'); end\nend\nA.default.check\n",
        {(M, "A.default"), ("A.default", "A.load"), (M, "A.check"), ("A.check", "A.require")},
    ),
    "what a method makes of the class that each caller hands in": (
        "class A; def go; end; end\nclass B; def go; end; end\nT = { a: A, b: B }\n"
        "def make(kind) kind.new end\ndef find(name) T.fetch(name).new end\n"
        "def one; make(A).go; end\ndef two; make(B).go; end\ndef three; find(:a).go; end\n"
        "def four; find(:b).go; end\none\ntwo\nthree\nfour\n",
        {
            *((M, name) for name in ("one", "two", "three", "four")),
            *((name, "make") for name in ("one", "two")),
            *((name, "find") for name in ("three", "four")),
            *((name, "A.go") for name in ("one", "three")),
            *((name, "B.go") for name in ("two", "four")),
        },
    ),
    "what a method returns of each block": (
        "class A; def go; end; end\nclass B; def go; end; end\ndef log; end\n"
        "def timed\n  found = yield\n  log\n  found\nend\ndef twice(&block) timed(&block) end\n"
        "def one; twice { A.new }.go; end\ndef two; twice { B.new }.go; end\none\ntwo\n",
        {
            *((M, name) for name in ("one", "two")),
            *((name, "twice") for name in ("one", "two")),
            *(("twice", "timed"), ("timed", "log"), ("one", "A.go"), ("two", "B.go")),
        },
    ),
    "what an inherited method returns to each class": (
        "class Base\n  def copy; self.class.new; end\n  def part; make; end\nend\n"
        "class A < Base\n  def go; end\n  def make; P.new; end\nend\n"
        "class B < Base\n  def go; end\n  def make; Q.new; end\nend\n"
        "class P; def run; end; end\nclass Q; def run; end; end\n"
        "def one; A.new.copy.go; A.new.part.run; end\n"
        "def two; B.new.copy.go; B.new.part.run; end\none\ntwo\n",
        {
            *((M, name) for name in ("one", "two")),
            *((name, "Base.copy") for name in ("one", "two")),
            *((name, "Base.part") for name in ("one", "two")),
            *(("Base.part", name) for name in ("A.make", "B.make")),
            *(("one", "A.go"), ("two", "B.go"), ("one", "P.run"), ("two", "Q.run")),
        },
    ),
    "arguments behind a splat, and parameters behind a rest": (
        "class A; def a; end; end\nclass B; def b; end; end\nclass C; def c; end; end\n"
        "def f(*all) all.each(&:b) end\nf(*[1], B.new)\ndef g(x, y) y.b; x.b end\n"
        "g(*[1], B.new)\ndef h(x, *m, z) x.a; m.first.b; z.c end\nh(A.new, B.new, C.new)\n",
        {
            (M, "f"),
            (M, "g"),
            (M, "h"),
            ("f", "B.b"),
            ("g", "B.b"),
            ("h", "A.a"),
            ("h", "B.b"),
            ("h", "C.c"),
        },
    ),
    "an object that is called by way of itself": (
        "class A\n  define_method(:to_proc, A.new)\n  def go; end\nend\n"
        "def run; yield; end\nrun(&A.new)\nA.new.go\n",
        {(M, "run"), (M, "A.go")},
    ),
    "blocks of a class body run on instances where only those have what they call": (
        "class Engine\n  def self.setup(&block); (@all ||= []) << block; end\n"
        "  setup { |app| load(app) }\n  hook do\n    each_part { check }\n    make\n  end\n"
        "  def load(app); end\n  def check; end\n  def make; end\n  def self.make; end\nend\n",
        {(M, "Engine.setup"), (M, "Engine.load"), (M, "Engine.check"), (M, "Engine.make")},
    ),
    "a block evaluated on another receiver": (
        "class D\n  def self.build(&block); new.instance_eval(&block); end\n"
        "  def item(name); end\nend\nD.build do\n  item :a\nend\n",
        {(M, "D.build"), (M, "D.item")},
    ),
    "blocks belong to the method around them": (
        "def run; yield; end\ndef w; end\ndef main; run { w }; end\n",
        {("main", "run"), ("main", "w")},
    ),
    "a block in a class's body, kept for its objects": (
        "class A\n  def self.on(&block)\n    @block = block\n  end\n  def self.block = @block\n"
        "  on { f }\n  def f; end\n  def go\n    instance_exec(&self.class.block)\n  end\nend\n"
        "A.new.go\n",
        {(M, "A.on"), (M, "A.go"), ("A.go", "A.block"), (M, "A.f")},
    ),
    "the other operand of a number": (
        "class A\n  def coerce(n)\n    [A.new, self]\n  end\n  def +(other)\n    self\n  end\nend\n"
        "1 + A.new\n",
        {(M, "A.coerce"), (M, "A.+")},
    ),
    "an object where a text is wanted": (
        "class A\n  def to_str\n    'a'\n  end\nend\n'x' + A.new\n",
        {(M, "A.to_str")},
    ),
    "objects that are taken apart": (
        "class A\n  def to_ary\n    [1, 2]\n  end\n  def to_a\n    [1]\n  end\n"
        "  def to_hash\n    {}\n  end\nend\ndef f(*a, **b); end\n"
        "a = A.new\nx, y = a\nf(*a, **a)\n",
        {(M, "A.to_ary"), (M, "A.to_a"), (M, "A.to_hash"), (M, "f")},
    ),
    "operators tell nothing of what a value is": (
        "class A\n  def ==(other); end\n  def +(other); end\n  def size; end\nend\n"
        "def go(x)\n  x == 1\n  x + 1\nend\n",
        set(),
    ),
    "a method of its own by a name that Ruby has": (
        "class A\n  def get; return fail(404); end\n  def fail(code); end\nend\nA.new.get\n"
        "def f; fail ArgumentError, 'no'; end\n",
        {(M, "A.get"), ("A.get", "A.fail")},
    ),
    "accessors of modules that extend a class, now or by a hook": (
        "class B\n  def go; end\nend\nmodule Kept\n  attr_accessor :held\nend\n"
        "module Mixed\n  def self.included(base) base.extend(Kept) end\nend\n"
        "class A\n  extend Kept\n  self.held = B.new\nend\n"
        "class C\n  include Mixed\n  self.held = B.new\n  def run; self.class.held.go; end\nend\n"
        "A.held.go\nC.new.run\n",
        {
            (M, "Mixed.included"),
            (M, "B.go"),
            (M, "C.run"),
            ("C.run", "B.go"),
        },
    ),
    "another name of `new`, and calls of a class that it hands on": (
        "require 'forwardable'\nclass A\n  class << self\n    extend Forwardable\n"
        "    alias [] new\n"
        "    def_delegators :all, :go\n    def all; self[1]; end\n  end\n"
        "  def initialize(x) end\n  def go; end\nend\nclass B < A; end\nB[2].go\nB.go\n",
        {(M, "A.initialize"), (M, "A.go"), ("A.all", "A.initialize")},
    ),
    "methods that blocks and methods give to others": (
        "module Note\n  def self.included(base)\n"
        "    base.class_eval do\n      alias_method :old, :f\n    end\n  end\nend\n"
        "class A\n  def f; end\n  include Note\nend\nA.new.old\n"
        "module Maker\n  def make\n    def self.made; end\n  end\nend\n"
        "class B; extend Maker; make; end\nB.made\n",
        {
            (M, "Note.included"),
            (M, "A.f"),
            (M, "Maker.make"),
            (M, "Maker.made"),
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".rb") == expected


def test_programs_side_by_side_have_classes_of_their_own(project) -> None:
    """Files of which none leads to another, the nearest for others; what runs together is one."""
    for name in ("one", "two"):
        project.write(
            f"{name}/user.rb", f"class User\n  def go; {name}; end\n  def {name}; end\nend\n"
        )
        project.write(f"{name}/main.rb", f"def run_{name}; User.new.go; end\n")
    project.write("one/patch.rb", "require_relative 'user'\nclass User\n  def go; end\nend\n")
    project.index("ruby")
    assert project.callers("two/user.rb::User.go") == ["two/main.rb::run_two"]
    assert project.callers("one/user.rb::User.go") == ["one/main.rb::run_one"]
    assert project.callers("one/patch.rb::User.go") == ["one/main.rb::run_one"]


def test_methods_outside_of_classes_are_the_nearest(project) -> None:
    for name in ("one", "two"):
        project.write(f"{name}/tools.rb", "def tool; end\n")
        project.write(f"{name}/main.rb", f"def run_{name}; tool; end\n")
    project.index("ruby")
    assert project.callers("one/tools.rb::tool") == ["one/main.rb::run_one"]
    assert project.callers("two/tools.rb::tool") == ["two/main.rb::run_two"]


def test_a_test_finds_what_it_requires_below_its_own_load_path(project) -> None:
    for name in ("one", "two"):
        project.write(f"{name}/test/helper.rb", "def tool; end\n")
        project.write(f"{name}/test/cases/go_test.rb", f"require 'helper'\ndef {name}; tool; end\n")
    project.index("ruby")
    answer = project.call("find_related_code", file_path="one/test/helper.rb")
    related = {(item["file_path"], item["relationship"]) for item in answer["related_files"]}
    test = "one/test/cases/go_test.rb"
    assert related == {(test, "imported_by"), (test, "called_by")}
    assert project.callers("two/test/helper.rb::tool") == ["two/test/cases/go_test.rb::two"]
