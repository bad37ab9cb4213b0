"""Who calls whom in Ruby, by language feature."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "what `each` of a class compares, and who does": (
        "class A\n  include Enumerable\n  def each; yield K.new; end\nend\n"
        "class K; def <=>(o); end; end\nA.new.min\nclass B < A; def go; sort; end; end\nB.new.go\n",
        {(M, "A.each"), ("A.each", "K.<=>"), (M, "B.go"), ("B.go", "A.each"), ("B.go", "K.<=>")},
    ),
    "own methods under the names of those that Ruby or Rails has": (
        "class A\n  def self.try; yield; new; end\n  def self.scope(name, &b); b; end\n"
        "  def then; yield; end\n  def go; end\n  scope(:x) { 1 }\n  scope :y, -> { 1 }\nend\n"
        "A.try { 1 }.then { 1 }\nA.new.go\n",
        {(M, "A.try"), (M, "A.then"), (M, "A.go"), (M, "A.scope")},
    ),
    "methods that are undefined, and missing ones that `&:name` asks for": (
        "class A\n  def f; end\nend\nclass B < A\n  undef f\n"
        "  def method_missing(name, *); ghost; end\n  def ghost; end\nend\nB.new.f\n"
        "class L\n  def each; yield B.new; end\nend\nL.new.each(&:shown)\n",
        {
            (M, "B.method_missing"),
            ("B.method_missing", "B.ghost"),
            (M, "L.each"),
            ("L.each", "B.method_missing"),
        },
    ),
    "the cause of an exception": (
        "class Low < StandardError; def low; end; end\n"
        "class High < StandardError; def low; cause.low; end; end\n"
        "begin\n  begin\n    raise Low\n  rescue Low\n    raise High\n  end\n"
        "rescue High => e\n  e.low\nend\n",
        {(M, "High.low"), ("High.low", "Low.low")},
    ),
    "a method object that runs over something unknown": (
        "def f(text) text.split.map(&method(:g)) end\ndef g(x) A.new end\n"
        "class A; def go; end; end\nf('a b').each(&:go)\n",
        {(M, "f"), ("f", "g"), (M, "A.go")},
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
    "methods that are wrapped are reached through what wraps them": (
        "module Memo\n  def memo(name)\n    kept = instance_method(name)\n"
        "    define_method(name) { kept.bind(self).call }\n  end\n"
        '  def log(*names)\n    names.each do |n|\n      alias_method "#{n}_plain", n\n'
        '      define_method(n) { send("#{n}_plain") }\n    end\n  end\nend\n'
        "class A\n  extend Memo\n  def f; g; end\n  def g; end\n  def h; end\n"
        "  memo :f\n  log :g, :h\nend\nA.new.f\nA.new.h\n",
        {
            (M, "Memo.memo"),
            (M, "Memo.log"),
            ("Memo.memo", "A.f"),
            ("Memo.log", "A.g"),
            ("Memo.log", "A.h"),
        },
    ),
    "methods that are listed by how their names begin": (
        "class T\n  def self.run\n"
        "    instance_methods(false).grep(/\\Atest_/).sort.each { |n| new.send(n) }\n"
        "    public_instance_methods.select { |m| m.to_s.start_with?('check_') }.each do |n|\n"
        "      new.public_send(n)\n    end\n  end\nend\n"
        "class A < T\n  def test_a; end\n  def check_b; end\n  def other; end\nend\nA.run\n",
        {(M, "T.run"), ("T.run", "A.test_a"), ("T.run", "A.check_b")},
    ),
    "layers around one another: none holds one of its own class": (
        "class A\n  def initialize(inner) @inner = inner end\n  def call; @inner.call; end\nend\n"
        "class B\n  def initialize(inner) @inner = inner end\n  def call; @inner.call; end\nend\n"
        "class C; def call; end; end\n[A, B].inject(C.new) { |c, k| k.new(c) }.call\n",
        {
            (M, "A.initialize"),
            (M, "B.initialize"),
            (M, "A.call"),
            (M, "B.call"),
            ("A.call", "B.call"),
            ("A.call", "C.call"),
            ("B.call", "A.call"),
            ("B.call", "C.call"),
        },
    ),
    "texts with methods of their own, and modules that every object is extended by": (
        "a = 'x'\ndef a.f; g; end\ndef a.g; end\na.f\n"
        "module M; def h; super; end; end\nclass A\n  def initialize; extend M; end\n"
        "  def h; end\nend\nA.new.h\n",
        {(M, "f"), ("f", "g"), (M, "A.initialize"), (M, "M.h"), ("M.h", "A.h")},
    ),
    "the methods of a class by their names, and those of a module defined in another": (
        "module M; def f; g; end; end\nclass A\n  def g; end\n"
        "  M.instance_methods.each { |n| define_method(n, M.instance_method(n)) }\nend\nA.new.f\n"
        "class B; def x; end; def y; end; end\n"
        "B.instance_methods(false).each { |n| B.new.send(n) }\n",
        {(M, "M.f"), ("M.f", "A.g"), (M, "B.x"), (M, "B.y")},
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
    "refinements from their `using` on": (
        "class A; def f; end; end\nmodule R\n  refine A do\n    def f; super; end\n  end\nend\n"
        "def plain; A.new.f; end\nusing R\ndef fine; A.new.f; end\nplain\nfine\n",
        {(M, "plain"), (M, "fine"), ("plain", "A.f"), ("fine", "R.A.f"), ("R.A.f", "A.f")},
    ),
    "methods defined under names that values tell in full": (
        'class A\n  def self.event(name) define_method("#{name}!") { fire } end\n  event :go\n'
        "  def initialize(more)\n    more.each { |k, v| define_singleton_method(k) { show } }\n"
        "  end\n  def fire; end\n  def show; end\nend\nA.new(x: 1).x\nA.new({}).go!\n",
        {(M, "A.event"), (M, "A.initialize"), ("A.event", "A.fire"), ("A.initialize", "A.show")},
    ),
    "an object that is called by way of itself": (
        "class A\n  define_method(:to_proc, A.new)\n  def go; end\nend\n"
        "def run; yield; end\nrun(&A.new)\nA.new.go\n",
        {(M, "run"), (M, "A.go")},
    ),
    "the last of several definitions counts, unless something runs in between": (
        "class A\n  def f; g; end\n  def f; h; end\n  def g; end\n  def h; end\nend\n"
        "class A\n  def h; k; end\n  def k; end\nend\nA.new.f\n"
        "class A\n  def k; g; end\nend\n",
        {(M, "A.f"), ("A.f", "A.h"), ("A.h", "A.k"), ("A.k", "A.g")},
    ),
    "what is behind a statement that leaves, or under a constant condition": (
        "def f(x)\n  raise 'no' unless x\n  if false\n    g\n  else\n    h\n  end\n  return\n  g\n"
        "end\ndef g; end\ndef h; end\nf(1)\n",
        {(M, "f"), ("f", "h")},
    ),
    "methods that a class takes away": (
        "class A\n  def f; end\n  def g; end\nend\nclass B < A\n  def f; end\n"
        "  remove_method :f\n  undef g\nend\nB.new.f\nB.new.g rescue 1\n",
        {(M, "A.f")},
    ),
    "a name whose gap is known": (
        "class AJob; def run; end; end\nclass BJob; def run; end; end\n"
        'def job(kind) Object.const_get("#{kind.to_s.capitalize}Job").new end\njob(:a).run\n',
        {(M, "job"), (M, "AJob.run")},
    ),
    "names with a gap of which some are known: those too that nothing else calls": (
        'class A\n  def go(kind) send("on_#{kind}") end\n  def on_a; end\n  def on_b; end\n'
        "  def on_c; end\nend\nclass B < A\n  def go; on_c; end\nend\nA.new.go(:a)\nB.new.go\n",
        {(M, "A.go"), (M, "B.go"), ("A.go", "A.on_a"), ("A.go", "A.on_b"), ("B.go", "A.on_c")},
    ),
    "sets, queues and open structures": (
        "class A; def f; end; end\nSet.new([A.new]).each(&:f)\nrequire 'ostruct'\n"
        "def a; A.new; end\no = OpenStruct.new(x: a)\nq = Queue.new\nq << o.x\nq.pop.f\n",
        {(M, "a"), (M, "A.f")},
    ),
    "what is built by running over something unknown": (
        "class A; def f; end; def add(x) self end; end\n(1..3).map { A.new }.first.f\n"
        "def g(x) x.lines.inject(A.new) { |sum, i| sum.add(i) }; end\n",
        {(M, "A.f"), ("g", "A.add")},
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
    "blocks of a class body run on instances where only those have what they call": (
        "class Engine\n  def self.setup(&block); (@all ||= []) << block; end\n"
        "  setup { |app| load(app) }\n  hook do\n    each_part { check }\n    make\n  end\n"
        "  def load(app); end\n  def check; end\n  def make; end\n  def self.make; end\nend\n",
        {(M, "Engine.setup"), (M, "Engine.load"), (M, "Engine.check"), (M, "Engine.make")},
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
    "a block evaluated on another receiver": (
        "class D\n  def self.build(&block); new.instance_eval(&block); end\n"
        "  def item(name); end\nend\nD.build do\n  item :a\nend\n",
        {(M, "D.build"), (M, "D.item")},
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
    "case asks the value's own equality": (
        "class Even\n  def self.===(n); check; end\n  def self.check; end\nend\n"
        "case 4\nwhen Even then 1\nend\n",
        {(M, "Even.==="), ("Even.===", "Even.check")},
    ),
    "method_missing passes the name on": (
        "class T\n  def ping; end\nend\nclass P\n  def initialize; @t = T.new; end\n"
        "  def method_missing(name, *rest); @t.send(name, *rest); end\nend\nP.new.ping\n",
        {(M, "P.initialize"), (M, "P.method_missing"), ("P.method_missing", "T.ping")},
    ),
    "blocks belong to the method around them": (
        "def run; yield; end\ndef w; end\ndef main; run { w }; end\n",
        {("main", "run"), ("main", "w")},
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
    "send, method objects and symbols": (
        "class A\n  def a; end\n  def b; end\n  def c; end\nend\nx = A.new\nx.send(:a)\n"
        "x.method(:b).call\n[x].each(&:c)\n",
        {(M, "A.a"), (M, "A.b"), (M, "A.c")},
    ),
    "method_missing answers what nothing else does": (
        "class A\n  def method_missing(n, *a); log; end\n  def log; end\n  def there; end\nend\n"
        "A.new.anything\nA.new.there\n",
        {(M, "A.method_missing"), ("A.method_missing", "A.log"), (M, "A.there")},
    ),
    "attributes and structs": (
        "class E; def go; end; end\nclass C\n  attr_accessor :e\nend\nc = C.new\nc.e = E.new\n"
        "c.e.go\nP = Struct.new(:e) do\n  def run; e; end\nend\nP.new.run\n",
        {(M, "E.go"), (M, "P.run")},
    ),
    "each and what Enumerable makes of it": (
        "class L\n  include Enumerable\n  def each; yield 1; end\nend\nL.new.map { |x| x }\n",
        {(M, "L.each")},
    ),
    "constants by lexical scope": (
        "module M\n  class A; def f; end; end\n  class B; def g; A.new.f; end; end\nend\n"
        "class A; def f; end; end\nM::B.new.g\n",
        {(M, "M.B.g"), ("M.B.g", "M.A.f")},
    ),
    "an enumerator runs its method where it is used": (
        "class L\n  def all\n    return to_enum(:all) unless block_given?\n    yield I.new\n  end\n"
        "end\nclass I\n  def f; end\nend\ndef use(x)\n  x.each { |i| i.f }\nend\nuse(L.new.all)\n",
        {(M, "use"), (M, "L.all"), ("use", "L.all"), ("use", "I.f")},
    ),
    "hash and eql? of a key": (
        "class K\n  def hash; 1; end\n  def eql?(other); true; end\nend\n"
        "def put(key)\n  known = {}\n  known[key] = 1\nend\nput(K.new)\n",
        {(M, "put"), ("put", "K.hash"), ("put", "K.eql?")},
    ),
    "what a hash's block makes": (
        "class I\n  def f; end\nend\n"
        "table = Hash.new { |hash, key| hash[key] = I.new }\ntable[:a].f\n",
        {(M, "I.f")},
    ),
    "a module that a method includes late": (
        "module E\n  def f; end\nend\n"
        "class A\n  def go\n    extend E\n    f\n  end\nend\nA.new.go\n",
        {(M, "A.go"), ("A.go", "E.f")},
    ),
    "a method that a condition chooses": (
        "class A\n  if RUBY_VERSION > '3'\n    def f; g; end\n  else\n    def f; h; end\n  end\n"
        "  def g; end\n  def h; end\nend\nA.new.f\n",
        {(M, "A.f"), ("A.f", "A.g"), ("A.f", "A.h")},
    ),
    "a class that is_a? tells": (
        "class A\n  def f; end\nend\ndef use(x)\n  x.f if x.is_a?(A)\nend\nuse(nil)\n",
        {(M, "use"), ("use", "A.f")},
    ),
    "text that is evaluated for each name of a list": (
        "class A\n  NAMES = %w[f g].freeze\n  NAMES.each do |name|\n"
        "    class_eval <<~RUBY, __FILE__, __LINE__ + 1\n"
        "      def call_#{name}(x)\n        #{name}(x)\n      end\n    RUBY\n  end\n"
        "  def f(x); end\n  def g(x); end\n  def h; call_f(1); end\nend\nA.new.h\n",
        {(M, "A.h"), (M, "A.f"), (M, "A.g")},
    ),
    "text that defines a method of another class": (
        "class A\n  def f; end\nend\nA.class_eval('def g; f; end')\nA.new.g\n",
        {(M, "A.f")},
    ),
    "a name with a gap that a list fills": (
        'class A\n  %i[f g].each do |n|\n    define_method("#{n}_all") { send(n) }\n  end\n'
        "  def f; end\n  def g; end\nend\nA.new.g_all\n",
        {(M, "A.f"), (M, "A.g")},
    ),
    "a method that is defined on another class": (
        "class A\n  def f; end\nend\nA.define_method(:g) { f }\nA.new.g\n",
        {(M, "A.f")},
    ),
    "a block in a class's body, kept for its objects": (
        "class A\n  def self.on(&block)\n    @block = block\n  end\n  def self.block = @block\n"
        "  on { f }\n  def f; end\n  def go\n    instance_exec(&self.class.block)\n  end\nend\n"
        "A.new.go\n",
        {(M, "A.on"), (M, "A.go"), ("A.go", "A.block"), (M, "A.f")},
    ),
    "a constant where a compound name stands": (
        "class B\n  def f; end\nend\nmodule A\n  class B\n    def f; end\n  end\nend\n"
        "class A::C\n  def go\n    B.new.f\n  end\nend\nA::C.new.go\n",
        {(M, "A.C.go"), ("A.C.go", "B.f")},
    ),
    "a value instead of a missing key": (
        "class A\n  def f; end\nend\nclass B\n  def f; end\nend\n"
        "def pick(k)\n  { a: A }.fetch(k) { B }\nend\npick(:x).new.f\n",
        {(M, "pick"), (M, "B.f")},
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
    "what the methods of Enumerable return": (
        "class L\n  include Enumerable\n  def each\n    yield A.new\n  end\nend\n"
        "class A\n  def f; end\nend\nL.new.first.f\nL.new.select { true }.each { |a| a.f }\n",
        {(M, "L.each"), (M, "A.f")},
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
    "patterns that ask a class and name what they find": (
        "class A\n  def self.===(other)\n    true\n  end\n  def f; end\nend\ndef go(x)\n"
        "  case x\n  in A => a then a.f\n  end\nend\ngo(A.new)\n",
        {(M, "go"), ("go", "A.==="), ("go", "A.f")},
    ),
    "operators tell nothing of what a value is": (
        "class A\n  def ==(other); end\n  def +(other); end\n  def size; end\nend\n"
        "def go(x)\n  x == 1\n  x + 1\nend\n",
        set(),
    ),
    "what `catch`, a thread, a fiber, an enumerator and a lock give": (
        "class A; def a; end; def b; end; def c; end; def d; end; def e; end; end\n"
        "catch(:x) { throw :x, A.new }.a\nThread.new { A.new }.value.b\n"
        "Fiber.new { Fiber.yield A.new }.resume.c\nEnumerator.new { |y| y << A.new }.next.d\n"
        "Mutex.new.synchronize { A.new }.e\n",
        {(M, "A.a"), (M, "A.b"), (M, "A.c"), (M, "A.d"), (M, "A.e")},
    ),
    "keys and pairs of hashes, rows and parts of arrays": (
        "class A; def a; end; def b; end; def c; end; def d; end; def e; end; def f; end; end\n"
        "h = { A.new => A.new }\nh.each { |k, v| k.a }\nh.max_by { 1 }.last.b\n"
        "h.map { |k, v| [1, v] }.to_h.each { |_, v| v.c }\nl = [*[A.new], 1]\n"
        "l.first(1).each(&:d)\nl.zip(l).each { |x, y| y.e }\n"
        "l[0..].map.with_index { |x, i| x.f }\n",
        {(M, f"A.{name}") for name in "abcdef"},
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
    "methods under computed aliases, of singleton classes, and behind others": (
        'class A\n  def f; end\n  def self.wrap(n)\n    alias_method "old_#{n}", n\n'
        '    define_method(:g) { send("old_#{n}") }\n  end\n  wrap :f\nend\n'
        "class B < A; def f; method(:f).super_method.call; end; end\nb = B.new\n"
        "b.singleton_class.define_method(:h) { f }\nb.g\nb.h\n",
        {(M, "A.wrap"), ("A.wrap", "A.f"), (M, "B.f"), ("B.f", "A.f")},
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
    "constants of a module that is included outside of any class": (
        "module Lib\n  class A; def go; end; end\n  module Deep; def self.go; end; end\nend\n"
        "include Lib\nA.new.go\nclass B < A; end\ndef f; Deep.go; B.new.go; end\n",
        {(M, "Lib.A.go"), ("f", "Lib.Deep.go"), ("f", "Lib.A.go")},
    ),
    "a method of its own by a name that Ruby has": (
        "class A\n  def get; return fail(404); end\n  def fail(code); end\nend\nA.new.get\n"
        "def f; fail ArgumentError, 'no'; end\n",
        {(M, "A.get"), ("A.get", "A.fail")},
    ),
    "the beginning of a name that something is added to": (
        "class A\n  def go(kind) __send__('on_' + kind.tr('-', '_')) end\n  def on_a; end\n"
        "  def on_b; end\n  def off; end\nend\nA.new.go(gets)\n",
        {(M, "A.go"), ("A.go", "A.on_a"), ("A.go", "A.on_b")},
    ),
    "a method that something unknown is told to run": (
        "class A\n  def go(x) x.split.map!(&method(:f)) end\n  def f(s) end\nend\nA.new.go(gets)\n",
        {(M, "A.go"), ("A.go", "A.f")},
    ),
    "all that Enumerable has": (
        "class A\n  include Enumerable\n  def each; yield B.new; end\n"
        "  def f; find_all { |b| b.ok? }; end\nend\nclass B; def ok?; end; end\n"
        "A.new.f.each(&:ok?)\nA.new.minmax_by { 1 }\n",
        {
            (M, "A.f"),
            ("A.f", "A.each"),
            ("A.f", "B.ok?"),
            (M, "B.ok?"),
            (M, "A.each"),
        },
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
    "methods under more names than are followed are not missing": (
        "module Fields\n  def field(name)\n    define_method(name) { 1 }\n  end\nend\n"
        "class A\n  extend Fields\n"
        + "".join(f"  field :f{i}\n" for i in range(70))
        + "  def method_missing(name) end\n  def go; f3; self.f66; end\nend\nA.new.go\nA.new.f67\n",
        {(M, "Fields.field"), (M, "A.go")},
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
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".rb") == expected


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
