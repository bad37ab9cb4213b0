"""What Ruby's classes, modules and single objects get from one another."""

from __future__ import annotations

import itertools

import pytest

M = "<module>"

CASES = {
    "what the methods of a module keep in the classes that it extends each has for itself": (
        "module Dsl\n  def items = @items ||= []\n  def add(item) = items << item\nend\n"
        "class X; def go; end; end\nclass Y; def go; end; end\n"
        "class A\n  extend Dsl\n  add X.new\n  def run\n"
        "    self.class.items.each { |item| item.go }\n  end\nend\n"
        "class B\n  extend Dsl\n  add Y.new\n  def run\n"
        "    self.class.items.each { |item| item.go }\n  end\nend\n"
        "A.new.run\nB.new.run\n",
        {
            (M, "Dsl.add"),
            ("Dsl.add", "Dsl.items"),
            (M, "A.run"),
            (M, "B.run"),
            ("A.run", "Dsl.items"),
            ("B.run", "Dsl.items"),
            ("A.run", "X.go"),
            ("B.run", "Y.go"),
        },
    ),
    "modules that share an ancestor come before it, and what a superclass has stays there": (
        "module V; def check; end; end\nmodule P; include V; def check; super; end; end\n"
        "module L; include V; def check; super; end; end\n"
        "class A\n  include P\n  include L\nend\nA.new.check\n"
        "module M; def go; end; end\nclass B\n  include M\n  def go; super; end\nend\n"
        "class C < B\n  include M\nend\nC.new.go\n",
        {
            (M, "L.check"),
            ("L.check", "P.check"),
            ("P.check", "V.check"),
            (M, "B.go"),
            ("B.go", "M.go"),
        },
    ),
    "a method that nobody calls, of a module in a module, runs on the classes behind both": (
        "module Kept; def keep = store; def store; end; end\n"
        "module Inner; def blend = keep; end\n"
        "module Outer; include Inner; end\nmodule Alone; def go = stop; def stop; end; end\n"
        "module Around; include Alone; end\n"
        "class Document\n  include Kept\n  include Outer\nend\n",
        {("Inner.blend", "Kept.keep"), ("Kept.keep", "Kept.store"), ("Alone.go", "Alone.stop")},
    ),
    "a module made for names that its class prepends": (
        "module Timed\n  def self.for(*names)\n    Module.new do\n      names.each do |n|\n"
        "        define_method(n) { |*a| Timed.measure { super(*a) } }\n      end\n    end\n  end\n"
        "  def self.measure = yield\nend\n"
        "class A\n  prepend Timed.for(:x)\n  def x; end\n  def y; end\nend\nA.new.x\nA.new.y\n",
        {
            (M, "Timed.for"),
            ("Timed.for", "Timed.measure"),
            ("Timed.for", "A.x"),
            (M, "A.y"),
        },
    ),
    "modules that extend a class come before what it inherits, and behind its own methods": (
        "module X; def g; super; end; end\nmodule Y; def g; super; end; end\n"
        "class P; def self.g; end; end\nclass A < P\n  extend X\n  extend Y\nend\nA.g\n"
        "class B < P\n  extend X\n  def self.g; super; end\nend\nB.g\n",
        {
            (M, "Y.g"),
            ("Y.g", "X.g"),
            ("X.g", "P.g"),
            (M, "B.g"),
            ("B.g", "X.g"),
        },
    ),
    "an accessor replaces what a class inherits, and what extends it runs on it": (
        "class N; def c; n; end; def n; end; end\nclass D < N\n  attr_reader :c\n"
        "  def initialize; @c = K.new; end\nend\nclass K; def f; end; end\nD.new.c.f\n"
        "module E; def never; new; end; end\nclass F\n  extend E\n  def initialize; end\nend\n",
        {
            (M, "D.initialize"),
            (M, "K.f"),
            ("N.c", "N.n"),
            ("E.never", "F.initialize"),
        },
    ),
    "hooks mix in before anything is called": (
        "module M\n  def self.included(base)\n    base.prepend(P)\n"
        "    base.singleton_class.prepend(Q)\n  end\n  module P; def f; super; end; end\n"
        "  module Q; def g; super; end; end\nend\n"
        "class A\n  include M\n  def f; end\n  def self.g; end\nend\nA.new.f\nA.g\n",
        {
            (M, "M.included"),
            (M, "M.P.f"),
            ("M.P.f", "A.f"),
            (M, "M.Q.g"),
            ("M.Q.g", "A.g"),
        },
    ),
    "a block that a class is opened with has methods for it": (
        "class B; def f; g; end; def g; end; end\n"
        "def build(&body) Class.new(B) { class_eval(&body) }; end\n"
        "X = build do\n  def g; super; end\nend\nX.new.f\n",
        {(M, "build"), (M, "B.f"), ("B.f", "g"), ("g", "B.g")},
    ),
    "a method object that a class is opened with": (
        "class B\n  def self.add(&b) class_eval(&b); end\n  def self.f(*); end\n"
        "  def self.g(*); end\nend\nB.add(&B.method(:f))\nB.add(&:g)\n",
        {(M, "B.add"), ("B.add", "B.f"), ("B.add", "B.g")},
    ),
    "of several modules that extend an object the first comes first": (
        "module X; def f; super; end; end\nmodule Y; def f; super; end; end\n"
        "class A; def f; end; end\na = A.new\na.extend(X, Y)\na.f\n",
        {(M, "X.f"), ("X.f", "Y.f"), ("Y.f", "A.f")},
    ),
    "a module's own copy of a private method is public": (
        "module M\n  private\n  def f; g; end\n  module_function :f\n  def g; end\n"
        "  module_function :g\nend\nM.f\n",
        {(M, "M.f"), ("M.f", "M.g")},
    ),
    "objects that are modules": (
        "class S < Module\n  def included(base) base.extend(E); end\n  module E; def e; end; end\n"
        "end\nclass C\n  include S.new\nend\nC.e\n",
        {(M, "S.included"), (M, "S.E.e")},
    ),
    "own methods under the names of those that Ruby or Rails has": (
        "class A\n  def self.try; yield; new; end\n  def self.scope(name, &b); b; end\n"
        "  def then; yield; end\n  def go; end\n  scope(:x) { 1 }\n  scope :y, -> { 1 }\nend\n"
        "A.try { 1 }.then { 1 }\nA.new.go\n",
        {(M, "A.try"), (M, "A.then"), (M, "A.go"), (M, "A.scope")},
    ),
    "an object that is given methods has a class of its own": (
        "module M; def f; super; g; end; def g; end; end\n"
        "class A\n  def initialize; @k = K.new; end\n"
        "  def f; @k.go; end\nend\nclass K; def go; end; end\na = A.new\nb = A.new\n"
        "b.extend(M)\ndef main(a) a.f; end\ndef own(b) b.f; end\nmain(a)\nown(b)\n"
        "def b.h; f; end\nb.h\nclass << b\n  def i; j; end\n  private def j; end\nend\nb.i\n",
        {
            (M, "main"),
            (M, "own"),
            ("main", "A.f"),
            ("own", "M.f"),
            ("M.f", "A.f"),
            ("M.f", "M.g"),
            ("A.f", "K.go"),
            (M, "A.initialize"),
            (M, "h"),
            ("h", "M.f"),
            (M, "i"),
            ("i", "j"),
        },
    ),
    "texts with methods of their own, and modules that every object is extended by": (
        "a = 'x'\ndef a.f; g; end\ndef a.g; end\na.f\n"
        "module M; def h; super; end; end\nclass A\n  def initialize; extend M; end\n"
        "  def h; end\nend\nA.new.h\n",
        {(M, "f"), ("f", "g"), (M, "A.initialize"), (M, "M.h"), ("M.h", "A.h")},
    ),
    "refinements from their `using` on": (
        "class A; def f; end; end\nmodule R\n  refine A do\n    def f; super; end\n  end\nend\n"
        "def plain; A.new.f; end\nusing R\ndef fine; A.new.f; end\nplain\nfine\n",
        {(M, "plain"), (M, "fine"), ("plain", "A.f"), ("fine", "R.A.f"), ("R.A.f", "A.f")},
    ),
    "refinements of one module use each other": (
        "module R\n  refine String do\n    def f; end\n  end\n"
        "  refine Integer do\n    def g = 'x'.f\n  end\nend\nusing R\n1.g\n",
        {(M, "R.Integer.g"), ("R.Integer.g", "R.String.f")},
    ),
    "the last of several definitions counts, unless something runs in between": (
        "class A\n  def f; g; end\n  def f; h; end\n  def g; end\n  def h; end\nend\n"
        "class A\n  def h; k; end\n  def k; end\nend\nA.new.f\n"
        "class A\n  def k; g; end\nend\n",
        {(M, "A.f"), ("A.f", "A.h"), ("A.h", "A.k"), ("A.k", "A.g")},
    ),
    "methods that a class takes away": (
        "class A\n  def f; end\n  def g; end\nend\nclass B < A\n  def f; end\n"
        "  remove_method :f\n  undef g\nend\nB.new.f\nB.new.g rescue 1\n",
        {(M, "A.f")},
    ),
    "methods that a module has for itself too, named after they are defined": (
        "module Tool\n  def cut; edge; end\n  def edge; end\n  module_function :cut, :edge\nend\n"
        "class Saw\n  include Tool\n  def run; cut; end\nend\nTool.cut\nSaw.new.run\n",
        {(M, "Tool.cut"), (M, "Saw.run"), ("Saw.run", "Tool.cut"), ("Tool.cut", "Tool.edge")},
    ),
    "methods that nobody calls of a module that a class includes": (
        "module Tool\n  def self.go; help; end\n  def self.help; end\n"
        "  class << self\n    def one; two; end\n    def two; end\n  end\n"
        "  def cut; edge; end\n  def edge; end\nend\nclass Saw\n  include Tool\nend\n",
        {("Tool.go", "Tool.help"), ("Tool.one", "Tool.two"), ("Tool.cut", "Tool.edge")},
    ),
    "the class of who includes a module has the module's ClassMethods": (
        "module Numbered\n  module ClassMethods\n    def number; end\n  end\n"
        "  def go; self.class.number; end\nend\n",
        {("Numbered.go", "Numbered.ClassMethods.number")},
    ),
    "hooks of mixins and inheritance": (
        "module T\n  def self.included(base); base.set; end\nend\n"
        "class A\n  def self.inherited(child); child.make; end\n  def self.make; end\n"
        "  def self.set; end\n  include T\nend\nclass B < A; end\n",
        {(M, "T.included"), (M, "A.inherited"), ("T.included", "A.set"), ("A.inherited", "A.make")},
    ),
    "reopened and refined classes": (
        "class W; end\nW.class_eval do\n  def draw; end\nend\nW.new.draw\n"
        "module S\n  refine String do\n    def shout; end\n  end\nend\nusing S\n'a'.shout\n",
        {(M, "W.draw"), (M, "S.String.shout")},
    ),
    "a refinement of a core class that nobody uses": (
        "module S\n  refine String do\n    def shout; end\n    def twice; shout; end\n  end\nend\n"
        "'a'.shout\nmodule T\n  using S\n  def self.go; 'a'.twice; end\nend\nT.go\n",
        {(M, "T.go"), ("T.go", "S.String.twice"), ("S.String.twice", "S.String.shout")},
    ),
    "the last included module is asked first, a prepended one before the class": (
        "module A; def f; end; end\nmodule B; def f; super; end; end\n"
        "module P; def f; super; end; end\n"
        "class C\n  include A\n  include B\n  prepend P\n  def f; super; end\nend\nC.new.f\n",
        {(M, "P.f"), ("P.f", "C.f"), ("C.f", "B.f"), ("B.f", "A.f")},
    ),
    "singleton methods and extend": (
        "module F; def find; all; end; end\nclass A\n  extend F\n  class << self\n"
        "    def all; new.go; end\n  end\n  def go; end\nend\nA.find\n",
        {(M, "F.find"), ("F.find", "A.all"), ("A.all", "A.go")},
    ),
    "what a module has for itself is not had by who includes it": (
        "module M\n  def self.make; end\n  def go; end\nend\n"
        "class A\n  include M\n  def self.run; make rescue M.make; end\nend\nA.run\nA.new.go\n",
        {(M, "A.run"), ("A.run", "M.make"), (M, "M.go")},
    ),
    "the class methods of a class are those of its subclasses, past modules between": (
        "module M\n  def self.make; end\nend\nclass A\n  def self.make; end\nend\n"
        "class B < A\n  include M\n  def self.run; make; end\nend\nB.run\nB.make\n",
        {(M, "B.run"), ("B.run", "A.make"), (M, "A.make")},
    ),
    "constants by lexical scope": (
        "module M\n  class A; def f; end; end\n  class B; def g; A.new.f; end; end\nend\n"
        "class A; def f; end; end\nM::B.new.g\n",
        {(M, "M.B.g"), ("M.B.g", "M.A.f")},
    ),
    "a module that a method includes late": (
        "module E\n  def f; end\nend\n"
        "class A\n  def go\n    extend E\n    f\n  end\nend\nA.new.go\n",
        {(M, "A.go"), ("A.go", "E.f")},
    ),
    "a constant where a compound name stands": (
        "class B\n  def f; end\nend\nmodule A\n  class B\n    def f; end\n  end\nend\n"
        "class A::C\n  def go\n    B.new.f\n  end\nend\nA::C.new.go\n",
        {(M, "A.C.go"), ("A.C.go", "B.f")},
    ),
    "the only object of a singleton is made by the library": (
        "class A\n  include Singleton\n  def initialize\n    @b = B.new\n  end\n"
        "  def go\n    @b.f\n  end\nend\nclass B\n  def f; end\nend\nA.instance.go\n",
        {(M, "A.go"), ("A.go", "B.f")},
    ),
    "class methods of a concern": (
        "module C\n  extend ActiveSupport::Concern\n  class_methods do\n    def make\n      new.f\n"
        "    end\n  end\n  def f; end\nend\nclass A\n  include C\nend\nA.make\n",
        {(M, "C.ClassMethods.make"), ("C.ClassMethods.make", "C.f")},
    ),
    "a hook of a module that extends modules": (
        "module Concern\n  def included(base = nil, &block)\n    if base\n"
        "      base.class_eval(&@block)\n    else\n      @block = block\n    end\n  end\nend\n"
        "module M\n  extend Concern\n  included do\n    make\n  end\nend\n"
        "class A\n  def self.make; end\n  include M\nend\n",
        {(M, "Concern.included"), (M, "A.make")},
    ),
    "an alias of what a class defined before it was opened again": (
        "class A\n  def f; g; end\n  def g; end\nend\nclass A\n  alias_method :old, :f\n"
        "  def f; h; end\n  def h; end\nend\nA.new.old\n",
        {(M, "A.f"), ("A.f", "A.g"), ("A.f", "A.h")},
    ),
    "a class of the project that a module refines": (
        "class A\n  def f; end\nend\nmodule M\n  refine A do\n    def g; f; end\n  end\nend\n"
        "using M\nA.new.g\n",
        {(M, "M.A.g"), ("M.A.g", "A.f")},
    ),
    "all methods are told to a hook that a class gets late": (
        "module Plain\n  def plain; end\nend\nmodule Watch\n  def method_added(name); end\nend\n"
        "class Setup\n  def go; Later.extend(Watch); end\nend\nclass Later\n  extend Plain\n"
        "  def f; end\n  def g; end\n  def h; end\nend\n",
        {(f"Later.{name}", "Watch.method_added") for name in "fgh"},
    ),
    "a method of a module that the main program is extended by": (
        "module M\n  def f; end\nend\nextend M\nf\n",
        {(M, "M.f")},
    ),
    "what the project adds to every object and class": (
        "class Object\n  def note; end\nend\nclass Class\n  def build; new.go; end\nend\n"
        "class A\n  def go; note; end\nend\nA.build\nputs 'x'.note\n",
        {(M, "Class.build"), ("Class.build", "A.go"), ("A.go", "Object.note"), (M, "Object.note")},
    ),
    "a module that is made by a method sees its variables": (
        "def made(name)\n  Module.new { define_method(name) { core } }\nend\n"
        "class A\n  include made(:go)\n  def core; end\nend\nA.new.go\n",
        {(M, "made"), ("made", "A.core")},
    ),
    "constants of a module that is included outside of any class": (
        "module Lib\n  class A; def go; end; end\n  module Deep; def self.go; end; end\nend\n"
        "include Lib\nA.new.go\nclass B < A; end\ndef f; Deep.go; B.new.go; end\n",
        {(M, "Lib.A.go"), ("f", "Lib.Deep.go"), ("f", "Lib.A.go")},
    ),
    "a module in many classes: what these have in common": (
        "module Tool\n  def cut; edge; end\nend\nclass Base; def edge; end; end\n"
        + "".join(f"class C{i} < Base; include Tool; end\n" for i in range(7)),
        {("Tool.cut", "Base.edge")},
    ),
    "a singleton class that is opened again is public again": (
        "class A\n  class << self\n    def f; g; end\n    private\n    def g; end\n  end\n"
        "  class << self\n    def h; end\n  end\nend\nA.f\nA.g\nA.h\n",
        {(M, "A.f"), ("A.f", "A.g"), (M, "A.h")},
    ),
    "what does nothing but raise is not called on what nothing makes": (
        "class A\n  def go; step; end\n  def step\n    # theirs\n    raise NotImplementedError\n"
        "  end\nend\nclass B < A\n  def run; go; end\nend\nclass C < A; end\nC.new.step\n",
        {("B.run", "A.go"), (M, "A.step")},
    ),
    "a class method by the name of one that every class has": (
        "class A\n  class << self\n    def prepend(x); join; end\n    def join; end\n  end\nend\n"
        "module D\n  def extend(x) self.join end\nend\nclass B < A\n  extend D\nend\n"
        "A.prepend(Comparable)\nB.extend(1)\n",
        {(M, "A.prepend"), ("A.prepend", "A.join"), (M, "D.extend"), ("D.extend", "A.join")},
    ),
    "objects of Ruby's own classes, and in instance variables, that are extended": (
        "module Loud; def run; shout; end; def shout; end; end\n"
        "o = Object.new\no.extend(Loud)\no.run\nlist = [1]\nlist.extend(Loud)\nlist.shout\n"
        "class Item; def run; end; end\nmodule More; def run; super; end; end\n"
        "class Box\n  def initialize\n    @x = Item.new\n    @x.extend(More)\n  end\n"
        "  def go; @x.run; end\nend\nBox.new.go\n",
        {
            (M, "Loud.run"),
            (M, "Loud.shout"),
            ("Loud.run", "Loud.shout"),
            (M, "Box.initialize"),
            (M, "Box.go"),
            ("Box.go", "More.run"),
            ("More.run", "Item.run"),
            ("Box.go", "Item.run"),
        },
    ),
    "a missing constant": (
        "class A\n  def self.const_missing(name); new; end\n  def f; end\nend\nA::B.f\n",
        {(M, "A.const_missing"), (M, "A.f")},
    ),
    "variables that a reader above the class reads, or classes above it assign": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "class Base\n  attr_accessor :x\n  def initialize\n    @y = A.new\n  end\nend\n"
        "module Keeps\n  def keep\n    @z = A.new\n  end\nend\n"
        "class Sub < Base\n  include Keeps\n  def make\n    @x = A.new\n    @y = B.new\n"
        "    @z = nil\n  end\n"
        "  def y = @y.go\n  def z = @z.go\nend\n"
        "class Other < Base\n  def make\n    @x = B.new\n  end\nend\n"
        "def a(o) = o.x.go\ndef b(o) = o.x.go\nb(Other.new)\na(Sub.new)\nSub.new.y\nSub.new.z\n",
        {
            *((M, name) for name in ("a", "b", "Base.initialize", "Sub.y", "Sub.z")),
            *(("Sub.y", f"{name}.go") for name in "AB"),
            *(("Sub.z", "A.go"), ("a", "A.go"), ("b", "B.go")),
        },
    ),
    "what a base class keeps of what each class below it hands over": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "class Base\n  def initialize(item, more = A.new)\n    @item = item\n"
        "    @more = more\n  end\nend\n"
        "class X < Base\n  def initialize = super(A.new)\n  def go = @item.go\nend\n"
        "class Y < Base\n  def initialize = super(B.new, B.new)\n  def go = @item.go\n"
        "  def more = @more.go\nend\n"
        "class Z < Base\n  def go = @item.go\n  def more = @more.go\nend\n"
        "X.new.go\nY.new.go\nY.new.more\nz = Z.new(B.new)\nz.go\nz.more\n"
        "Pair = Struct.new(:left)\nclass P < Pair; def l = left.go; end\n"
        "class Q < Pair; def l = to_a.first.go; end\nP.new(A.new).l\nQ.new(B.new).l\n",
        {
            *((M, f"{name}.go") for name in "XYZ"),
            *((M, f"{name}.initialize") for name in ("X", "Y", "Base")),
            *((M, f"{name}.more") for name in "YZ"),
            *((f"{name}.initialize", "Base.initialize") for name in "XY"),
            *(("X.go", "A.go"), ("Y.go", "B.go"), ("Z.go", "B.go")),
            *(("Y.more", "B.go"), ("Z.more", "A.go")),
            *((M, "P.l"), (M, "Q.l"), ("P.l", "A.go"), ("Q.l", "B.go")),
        },
    ),
    "what a base class makes by what each class below it has": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "class Base\n  def start\n    @made = make\n    @kind = self.class.kind.new\n"
        "    @const = self.class::KIND.new\n  end\n  def tool = @tool ||= make\n"
        "  def made; @made; end\nend\n"
        "class X < Base\n  KIND = A\n  def self.kind = A\n  def make = A.new\n"
        "  def run\n    tool.go\n    made.go\n    @kind.go\n    @const.go\n  end\nend\n"
        "class Y < Base\n  KIND = B\n  def self.kind = B\n  def make = B.new\n"
        "  def one = tool.go\n  def two = made.go\n  def three = @kind.go\n"
        "  def four = @const.go\nend\n"
        "X.new.start\nX.new.run\ny = Y.new\ny.start\ny.one\ny.two\ny.three\ny.four\n",
        {
            (M, "Base.start"),
            *((M, f"Y.{name}") for name in ("one", "two", "three", "four")),
            *((f"Y.{name}", "B.go") for name in ("one", "two", "three", "four")),
            *((name, f"{kind}.make") for name in ("Base.start", "Base.tool") for kind in "XY"),
            *(("Base.start", f"{kind}.kind") for kind in "XY"),
            *(("Y.one", "Base.tool"), ("Y.two", "Base.made")),
            *((M, "X.run"), ("X.run", "A.go"), ("X.run", "Base.tool"), ("X.run", "Base.made")),
        },
    ),
    "what all classes below replace is not run, and a method in the place of its accessor": (
        "class Base\n  def make = Value.new(self)\n  def name = 1\nend\n"
        "class Sub < Base\n  def make = Value.new(self)\n  def name = 2\nend\n"
        "class Value\n  attr_accessor :base\n  def initialize(base) = self.base = base\n"
        "  def base=(base)\n    @base = base\n  end\n  def name = base.name\nend\n"
        "Sub.new.make.name\n",
        {
            *((M, "Sub.make"), ("Sub.make", "Value.initialize"), (M, "Value.name")),
            *(("Value.initialize", "Value.base="), ("Value.name", "Sub.name")),
            ("Base.make", "Value.initialize"),
        },
    ),
    "methods that a helper of the module makes its own": (
        "module Util\n  def self.shared(name)\n    module_function name\n"
        "    private_class_method name\n  end\n"
        "  def list(arg) = [arg].flatten\n  shared :list\n"
        "  def rm(arg) = list(arg)\n  module_function :rm\nend\nUtil.rm(1)\n",
        {(M, "Util.shared"), (M, "Util.rm"), ("Util.rm", "Util.list")},
    ),
    "a class's own singleton class, by its name": (
        "class Time\n  class << Time\n    def parse(text) = make(text)\n"
        "    def make(text) = text\n    private :make\n  end\nend\n",
        {("Time.parse", "Time.make")},
    ),
    "a class that Enumerable extends runs its own each": (
        "class A\n  extend Enumerable\n  def self.each\n    yield new\n  end\n"
        "  def go; end\nend\n"
        "class B\n  class << self\n    include Enumerable\n    def each\n"
        "      yield A.new\n    end\n  end\nend\n"
        "def one = A.any? { |a| a.go }\ndef two = B.map(&:itself).first.go\n"
        "def three = A.first.go\none\ntwo\nthree\n",
        {
            *((M, name) for name in ("one", "two", "three")),
            *(("one", "A.each"), ("one", "A.go"), ("two", "B.each"), ("two", "A.go")),
            *(("three", "A.each"), ("three", "A.go")),
        },
    ),
    "what differs is compared, for a class that is comparable": (
        "class V\n  include Comparable\n  def <=>(other) = 0\nend\n"
        "def differ(a, b) = a != b\ndiffer(V.new, V.new)\n",
        {(M, "differ"), ("differ", "V.<=>")},
    ),
    "Enumerable's names tell nothing of a class": (
        "class Paths\n  def find_all(name) = name\n  def any?(name) = name\nend\n"
        "class Pattern\n  attr_reader :spec\n  def initialize(spec) = @spec = spec\n"
        "  def names = spec.find_all { |one| one }\n  def glob? = spec.any?(1)\nend\n",
        set(),
    ),
    "what an attribute is, by all that is asked of what its reader gives": (
        "class Font\n  def width = 1\n  def height = 2\nend\n"
        "class Subset\n  attr_reader :original\n"
        "  def initialize(original)\n    @original = original\n  end\n"
        "  def size = original.width\n  def line = original.height\n"
        "  def both = @original.width\nend\n",
        {
            *(("Subset.size", "Font.width"), ("Subset.line", "Font.height")),
            ("Subset.both", "Font.width"),
        },
    ),
    "what a library's delegate hands on belongs to where it is declared": (
        "module Site\n  class << self\n    delegate :find, to: :pages\n"
        "    def pages = Pages.new\n  end\nend\n"
        "class Pages\n  delegate :size, to: :@list, prefix: :page\n"
        "  delegate :name=, to: 'self.class'\n  delegate_missing_to :list\n"
        "  def initialize\n    @list = List.new\n  end\n  def list = @list\n"
        "  def find(key) = key\n  def self.name=(to); end\nend\n"
        "class List; def size = 1; def sort = 2; def none = 3; end\n"
        "def go(pages)\n  Site.find(1)\n  pages.page_size\n  pages.name = 1\n  pages.sort\nend\n"
        "go(Pages.new)\n",
        {
            *((M, "go"), (M, "Pages.initialize"), ("Site.pages", "Pages.initialize")),
            *((M, "Site.pages"), (M, "Pages.find"), (M, "List.size"), (M, "Pages.name=")),
            *((M, "Pages.list"), (M, "List.sort")),
        },
    ),
    "a project's own delegate does what it says": (
        "class Module\n  def delegate(*names, to:)\n    names.each { |n| tell(n) }\n  end\n"
        "  def tell(name); end\nend\n"
        "class Car\n  delegate :start, to: :motor\n  def motor = Motor.new\n"
        "  def method_missing(name) = nil\nend\n"
        "class Motor; def start; end; end\nCar.new.start\n",
        {
            *((M, "Module.delegate"), ("Module.delegate", "Module.tell")),
            (M, "Car.method_missing"),
        },
    ),
    "what a class keeps of what it makes is its own, unless others write it": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "class Base\n  def self.tool = @tool ||= build\n"
        "  class << self\n    def other\n      @other ||= build\n    end\n"
        "    def given = @given ||= build\n    attr_writer :given\n  end\nend\n"
        "class X < Base\n  def self.build = A.new\n  def self.run = tool.go\n"
        "  def self.again = other.go\n  def self.named = given.go\nend\n"
        "class Y < Base\n  def self.build = B.new\n  def self.run = tool.go\nend\n"
        "X.given = B.new\nX.run\nY.run\nX.again\nX.named\n",
        {
            *((M, f"X.{name}") for name in ("run", "again", "named")),
            *((f"{name}.run", "Base.tool") for name in "XY"),
            *((f"Base.{name}", "X.build") for name in ("tool", "other", "given")),
            *(("X.again", "Base.other"), ("X.named", "Base.given"), ("Base.tool", "Y.build")),
            *((M, "Y.run"), ("Y.run", "B.go")),
            *((f"X.{name}", "A.go") for name in ("run", "again", "named")),
            ("X.named", "B.go"),
        },
    ),
    "a class that inherits a constructor has for itself what this hands on": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "class Base\n  attr_reader :io\n  def initialize(io, level: 1) = @io = io\n"
        "  def base = io.go\nend\n"
        "class Mid < Base\n  def initialize(io) = super(io, level: 2)\nend\n"
        "class Leaf < Mid\n  def initialize = super(B.new)\n  def leaf = io.go\nend\n"
        "class Other < Mid\n  def other = @io.go\nend\n"
        "Leaf.new.leaf\nOther.new(A.new).other\nOther.new(A.new).base\n",
        {
            *((M, f"{name}.initialize") for name in ("Leaf", "Mid")),
            *(("Leaf.initialize", "Mid.initialize"), ("Mid.initialize", "Base.initialize")),
            *((M, name) for name in ("Leaf.leaf", "Other.other", "Base.base")),
            *(("Leaf.leaf", "B.go"), ("Other.other", "A.go"), ("Base.base", "A.go")),
        },
    ),
    "a constructor keeps what it is given by way of accessors, too": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "class Base\n  attr_accessor :io\n  def initialize(io)\n    self.io = io\n  end\nend\n"
        "class X < Base\n  def run = io.go\nend\n"
        "class Y < Base\n  def run = @io.go\n  def turn = self.io = A.new\n"
        "  def again = @io.go\nend\n"
        "class Z < Base\n  def run = io.go\nend\n"
        "X.new(A.new).run\ny = Y.new(B.new)\ny.run\ny.turn\n"
        "z = Z.new(B.new)\nz.io = A.new\nz.run\n",
        {
            *((M, f"{name}.run") for name in "XYZ"),
            *((M, it) for it in ("Base.initialize", "Y.turn")),
            *((f"{name}.run", "A.go") for name in "XYZ"),
            *(("Y.run", "B.go"), ("Z.run", "B.go"), ("Y.again", "A.go"), ("Y.again", "B.go")),
        },
    ),
    "what is added to a class of Ruby's, those below it have": (
        "class Numeric; def half = self; end\nmodule Enumerable; def many? = count > 1; end\n"
        "module Comparable; def above?(other) = self > other; end\n"
        "class Date; def later = self; end\nclass DateTime; def at = later; end\n"
        "class Time; def soon = 1; end\nclass Own; end\n"
        "def numbers = 3.half\ndef lists = [1].many? && {a: 1}.many?\ndef texts = 'a'.above?('b')\n"
        "def dates = DateTime.now.later\ndef times = Time.now.soon\n"
        "def own(it = Own.new)\n  it.half\n  it.many?\nend\n"
        "numbers\nlists\ntexts\ndates\ntimes\nown\n",
        {
            *((M, it) for it in ("numbers", "lists", "texts", "dates", "times", "own")),
            *(("numbers", "Numeric.half"), ("lists", "Enumerable.many?")),
            ("texts", "Comparable.above?"),
            *(("dates", "Date.later"), ("DateTime.at", "Date.later"), ("times", "Time.soon")),
        },
    ),
    "objects that are texts or paths are asked to be one": (
        "class P\n  def to_path = 'x'\n  def to_str = 'x'\n  def ==(other) = true\nend\n"
        "class T\n  def to_str = 'x'\nend\n"
        "def one = File.join('a', P.new, [T.new])\ndef two = File.exist?(T.new)\n"
        "def three = Dir.glob(P.new)\ndef four = 'a'.start_with?(P.new)\n"
        "def five = 'a' == P.new\ndef six = 'a' == T.new\n"
        "def seven = File.open(__FILE__) { |io| io }.close\n"
        "def eight = \"a#{1}\".sub('a', T.new)\n"
        "[one, two, three, four, five, six, seven, eight]\n",
        {
            *((M, f) for f in ("one", "two", "three", "four", "five", "six", "seven", "eight")),
            *(("one", "P.to_path"), ("one", "T.to_str"), ("two", "T.to_str")),
            *(
                ("three", "P.to_path"),
                ("four", "P.to_str"),
                ("five", "P.=="),
                ("eight", "T.to_str"),
            ),
        },
    ),
    "what is private above a class is called of others where that makes it public": (
        "class Money\n  private\n  def factor; end\n  def rate; end\n  def kept; end\nend\n"
        "class Tip < Money\n  public :factor, :rate\nend\nclass Small < Tip; end\n"
        "Tip.new.factor\nSmall.new.rate\nMoney.new.factor\nTip.new.kept\n",
        {(M, "Money.factor"), (M, "Money.rate")},
    ),
    "behind a method may be an accessor, so that nothing is missing": (
        "class Base\n  def method_missing(name, *) = wrong\n  def wrong; end\nend\n"
        "class Code < Base\n  attr_accessor :data\n  def initialize(data) = @data = data\nend\n"
        "class Wide < Code\n  def data = super.go\n  def data=(value)\n    super(value)\n  end\n"
        "end\nclass Item; def go; end; end\nclass Other; def go; end; end\n"
        "wide = Wide.new(Item.new)\nwide.data\nwide.data = Other.new\n",
        {
            *((M, "Code.initialize"), (M, "Wide.data"), (M, "Wide.data=")),
            *(("Wide.data", "Item.go"), ("Wide.data", "Other.go")),
            ("Base.method_missing", "Base.wrong"),
        },
    ),
    "opening a stream makes one of the class below, which a block is given": (
        "class Fake < StringIO\n  def initialize(path, mode = 'r') = load(path)\n"
        "  def load(path) = path\n  def save; end\n  def mark; end\nend\n"
        "class Own\n  def self.open(path) = nil\n  def save; end\nend\n"
        "class Item; def go; end; end\n"
        "Fake.open('a') { |it| it.save\n  Item.new }.go\nFake.open('b', 'w').mark\n"
        "Own.open('c') { |it| it.save }\n",
        {
            *((M, "Fake.initialize"), (M, "Fake.save"), (M, "Fake.mark"), (M, "Item.go")),
            *((M, "Own.open"), ("Fake.initialize", "Fake.load")),
        },
    ),
    "what makes a time or a date makes one of the class below": (
        "class Stamp < Time; def go; end; end\nclass Day < Date; def go; end; end\n"
        "def one = Stamp.at(1).go\ndef two = Day.parse('').go\ndef three = Day.at(1).go\n"
        "one\ntwo\nthree\n",
        {
            *((M, name) for name in ("one", "two", "three")),
            *(("one", "Stamp.go"), ("two", "Day.go")),
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".rb") == expected


@pytest.mark.parametrize(
    ("body", "chain"),
    [
        ("ALL.each { |it| include(it) }", "CBA"),
        ("ALL.reverse_each { |it| include(it) }", "ABC"),
        ("include(*ALL)", "ABC"),
    ],
)
def test_modules_of_an_array_stand_in_the_order_in_which_they_are_mixed_in(
    edges, body: str, chain: str
) -> None:
    modules = "".join(f"module {name}\n  def go = super\nend\n" for name in "ABC")
    source = f"class Z\n  def go; end\nend\n{modules}ALL = [A, B, C]\nclass Y < Z\n  {body}\nend\n"
    wanted = {(f"{a}.go", f"{b}.go") for a, b in itertools.pairwise(chain + "Z")}
    found = edges({"main.rb": source + "Y.new.go\n"})
    assert {pair for pair in found if pair[0] != M} == wanted


def test_an_array_that_holds_itself_is_mixed_in_once(edges) -> None:
    source = (
        "module A\n  def go; end\nend\nALL = [A, A]\nALL[1] = ALL\nclass Y\n  include(*ALL)\nend\n"
    )
    assert edges({"main.rb": source + "Y.new.go\n"}) == {(M, "A.go")}


def test_a_class_opened_in_two_files_is_one(edges) -> None:
    found = edges(
        {
            "app/models/a.rb": "class A\n  def one; two; end\nend\n",
            "lib/a_more.rb": "class A\n  def two; end\nend\n",
            "main.rb": "require 'a_more'\nA.new.one\n",
        }
    )
    assert found == {
        (M, "app/models/a.rb::A.one"),
        ("app/models/a.rb::A.one", "lib/a_more.rb::A.two"),
    }


def test_what_a_file_loaded_later_defines_again_is_what_calls_mean(edges) -> None:
    """But for calls that run before, by another name, or where that file may not be loaded."""
    files = {
        "lib/a.rb": "class A\n  def go; check; end\n  def check; end\nend\nA.new.check\n",
        "lib/more.rb": "class A\n  alias before check\n  def check; before; end\nend\n",
        "main.rb": "require_relative 'lib/a'\nrequire_relative 'lib/more'\nA.new.go\n",
    }
    old, new = "lib/a.rb::A.check", "lib/more.rb::A.check"
    found = edges(files)
    assert found == {
        (M, "lib/a.rb::A.go"),
        ("lib/a.rb::<module>", old),
        ("lib/a.rb::<module>", new),
        ("lib/a.rb::A.go", new),
        (new, old),
    }
    alone = {"alone.rb": "require_relative 'lib/a'\nA.new.go\n"}
    assert ("lib/a.rb::A.go", old) in edges(files | alone)
    perhaps = {"main.rb": files["main.rb"].replace("more'", "more' if ENV['MORE']")}
    assert ("lib/a.rb::A.go", old) in edges(files | perhaps)


def test_the_main_object_has_what_a_required_file_extends_it_by(edges) -> None:
    found = edges(
        {
            "lib/dsl.rb": "module Dsl\n  def task; end\n  def other; end\nend\nself.extend Dsl\n",
            "main.rb": "require_relative 'lib/dsl'\ntask\ndef run = other\nrun\n",
            "apart.rb": "task\n",
        }
    )
    assert found == {
        (M, "lib/dsl.rb::Dsl.task"),
        (M, "run"),
        ("run", "lib/dsl.rb::Dsl.other"),
    }
