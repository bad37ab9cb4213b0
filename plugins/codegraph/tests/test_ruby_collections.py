"""Ruby's arrays, hashes and structures, and what runs over them."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "a part of an array is none of its elements": (
        "class A\n  def go; end\n  def size; end\n  def each; end\nend\n"
        "def numbers(list) = list[1, 2].size\ndef names(list, n) = list[-n, n].each(&:go)\n"
        "def slice(list, n) = list.slice(n, 2).size\ndef one(list, n) = list[n].size\n"
        "list = [A.new, A.new]\nnumbers list\nnames list, 1\nslice list, 1\none list, 1\n",
        {
            *((M, name) for name in ("numbers", "names", "slice", "one")),
            ("names", "A.go"),
            ("one", "A.size"),
        },
    ),
    "keywords that a method gathers are keys, whatever stands under them": (
        "class A; def age; end; def size; end; end\n"
        "def where(rows, **all)\n"
        "  rows.select { |row| all.all? { |key, value| value === row.public_send(key) } }\nend\n"
        "where [A.new], age: 18..\n",
        {(M, "where"), ("where", "A.age")},
    ),
    "what is delegated is not what a module of the class has": (
        'require "forwardable"\nclass A; def go; end; end\n'
        "class L\n  extend Forwardable\n  include Enumerable\n  def_delegators :@list, :first\n"
        "  def initialize = @list = [A.new]\n  def each(&) = @list.each(&)\nend\n"
        "def one(list) = list.first.go\ndef all(list) = list.to_a.last.go\n"
        "list = L.new\none list\nall list\n",
        {
            (M, "L.initialize"),
            (M, "one"),
            (M, "all"),
            ("one", "A.go"),
            ("all", "L.each"),
            ("all", "A.go"),
        },
    ),
    "what reads a key runs no procedure that stands beside a hash": (
        "class A; def go; end; end\ndef run(a) = a\n"
        "def table(rows, k) = rows.each { |row| row[k].go }\n"
        "def procedures(rows, k) = rows.each { |row| row[k].go }\n"
        "table [{ A => A.new }, method(:run)], A\nprocedures [method(:run)], A.new\n",
        {
            (M, "table"),
            ("table", "A.go"),
            (M, "procedures"),
            ("procedures", "run"),
            ("procedures", "A.go"),
        },
    ),
    "the keys of a hash that a block sends to an object": (
        "class A\n  def one; end\n  def two; end\n  def three; end\n  def four; end\n"
        "  def run\n    { one: 1 }.each { |name, value| send(name) }\n    kept = {}\n"
        "    put(kept, :two, 2)\n    kept.map { |name, value| public_send(name) + value }\n"
        "    { three: 1 }.each { |name, value| p(name) }\n  end\n"
        "  def put(hash, key, value)\n    hash[key] = value\n  end\nend\nA.new.run\n",
        {(M, "A.run"), ("A.run", "A.one"), ("A.run", "A.two"), ("A.run", "A.put")},
    ),
    "a queue gives what was put into it, however it is asked to": (
        "class A; def go; end; end\nq = Queue.new\nq.enq(A.new)\n"
        "def run(queue) = queue.deq(true).go\nrun(q)\n",
        {(M, "run"), ("run", "A.go")},
    ),
    "what is made of Ruby's own classes by their whole names, and of concurrent-ruby's": (
        "class Base; end\nmodule App\n  class Hash; end\n  class A; def go; end; end\n"
        "  def self.kind = ::Class.new(Base) { def run = A.new.go }\n"
        "  Pair = ::Struct.new(:a) { def go = a.go }\n"
        "  def self.kept\n    h = ::Hash.new\n    h[:a] = A.new\n    h[:a].go\n  end\n"
        "  def self.mapped\n    m = ::Concurrent::Map.new\n    m[:a] = Pair.new(A.new)\n"
        "    m.each_value(&:go)\n    m.compute_if_absent(:b) { A.new }.go\n  end\nend\n"
        "App.kind.new.run\nApp.kept\nApp.mapped\n",
        {
            *((M, f"App.{name}") for name in ("kind", "kept", "mapped")),
            (M, "App.kind.<class1>.run"),
            ("App.kind.<class1>.run", "App.A.go"),
            ("App.kept", "App.A.go"),
            ("App.mapped", "App.Pair.go"),
            ("App.mapped", "App.A.go"),
            ("App.Pair.go", "App.A.go"),
        },
    ),
    "several that are pushed, keys that a hash makes things for, numbered elements": (
        "class A; def go; end; def to; end; end\nclass B; def initialize(k) = A.new.send(k); end\n"
        "def pushed(*all)\n  list = []\n  list.push(*all)\n  list.each(&:go)\nend\n"
        "def keyed\n  made = Hash.new { |h, k| h[k] = B.new(k) }\n  made[:to]\nend\n"
        "def numbered(all) = all.each_with_index.inject(0) { |n, (a, i)| a.go }\n"
        "def joined(*all)\n  list = []\n  list |= all\n  list.each(&:go)\nend\n"
        "def named(spec)\n  key, value = spec.first\n  value.send(key)\nend\n"
        "pushed(A.new)\nkeyed\nnumbered([A.new])\njoined(A.new)\nnamed(to: A.new)\n",
        {
            *((M, name) for name in ("pushed", "keyed", "numbered", "joined", "named")),
            ("joined", "A.go"),
            ("named", "A.to"),
            ("pushed", "A.go"),
            ("numbered", "A.go"),
            ("keyed", "B.initialize"),
            ("B.initialize", "A.to"),
        },
    ),
    "a class that derives from an array": (
        "class Items < Array\n  def go; each { |item| item.run }; end\nend\n"
        "class A\n  def run; end\nend\nitems = Items.new\nitems << A.new\nitems.go\n",
        {(M, "Items.go"), ("Items.go", "A.run")},
    ),
    "what a break gives": (
        "class A\n  def run; end\nend\ndef first(list)\n"
        "  list.each { |item| break item if item }\nend\nfirst([A.new]).run\n",
        {(M, "first"), (M, "A.run")},
    ),
    "several values returned": (
        "class A\n  def run; end\nend\nclass B\n  def run; end\nend\n"
        "def both; return A.new, B.new; end\n_, last = both\nlast.run\n",
        {(M, "both"), (M, "B.run")},
    ),
    "what fetch has for a missing key, and keys that are no literals": (
        "class A; def f; end; end\ndef g(o) o.fetch(:k, A.new).f; end\n"
        "def h(o) o.fetch(:k) { A.new }.f; end\n"
        "def m(t, n) t = {}.merge n => A.new; t[:x].f; end\n",
        {("g", "A.f"), ("h", "A.f"), ("m", "A.f")},
    ),
    "arrays in arrays, structs as arrays and hashes, what sum adds": (
        "class A; def f; end; def +(o) self end; def to_int; 0; end; end\n"
        "[[A.new]].flatten.first.f\n"
        "def g; [A.new]; end\n[1].flat_map { g }.last.f\nP = Struct.new(:a, :b)\n"
        "def h(p) p[:a].f; end\nh(P.new(A.new))\ndef k(p) x, = *p; x.f; end\nk(P.new(A.new))\n"
        "def s(list) list.sum(A.new) { |x| x }; end\ns([A.new])\ndef t; [1][A.new]; end\nt\n",
        {
            (M, "A.f"),
            (M, "g"),
            (M, "h"),
            ("h", "A.f"),
            (M, "k"),
            ("k", "A.f"),
            (M, "s"),
            ("s", "A.+"),
            (M, "t"),
            ("t", "A.to_int"),
        },
    ),
    "what `each` of a class compares, and who does": (
        "class A\n  include Enumerable\n  def each; yield K.new; end\nend\n"
        "class K; def <=>(o); end; end\nA.new.min\nclass B < A; def go; sort; end; end\nB.new.go\n",
        {(M, "A.each"), ("A.each", "K.<=>"), (M, "B.go"), ("B.go", "A.each"), ("B.go", "K.<=>")},
    ),
    "a method object that runs over something unknown": (
        "def f(text) text.split.map(&method(:g)) end\ndef g(x) A.new end\n"
        "class A; def go; end; end\nf('a b').each(&:go)\n",
        {(M, "f"), ("f", "g"), (M, "A.go")},
    ),
    "layers around one another in the order of a list": (
        "class A\n  def initialize(inner) @inner = inner end\n  def call; @inner.call; end\nend\n"
        "class B\n  def initialize(inner) @inner = inner end\n  def call; @inner.call; end\nend\n"
        "class C; def call; end; end\n[A, B].inject(C.new) { |c, k| k.new(c) }.call\n",
        {
            (M, "A.initialize"),
            (M, "B.initialize"),
            (M, "B.call"),
            ("B.call", "A.call"),
            ("A.call", "C.call"),
        },
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
    "attributes and structs": (
        "class E; def go; end; end\nclass C\n  attr_accessor :e\nend\nc = C.new\nc.e = E.new\n"
        "c.e.go\nP = Struct.new(:e) do\n  def run; e; end\nend\nP.new.run\n",
        {(M, "E.go"), (M, "P.run")},
    ),
    "each and what Enumerable makes of it": (
        "class L\n  include Enumerable\n  def each; yield 1; end\nend\nL.new.map { |x| x }\n",
        {(M, "L.each")},
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
    "a value instead of a missing key": (
        "class A\n  def f; end\nend\nclass B\n  def f; end\nend\n"
        "def pick(k)\n  { a: A }.fetch(k) { B }\nend\npick(:x).new.f\n",
        {(M, "pick"), (M, "B.f")},
    ),
    "what the methods of Enumerable return": (
        "class L\n  include Enumerable\n  def each\n    yield A.new\n  end\nend\n"
        "class A\n  def f; end\nend\nL.new.first.f\nL.new.select { true }.each { |a| a.f }\n",
        {(M, "L.each"), (M, "A.f")},
    ),
    "keys and pairs of hashes, rows and parts of arrays": (
        "class A; def a; end; def b; end; def c; end; def d; end; def e; end; def f; end; end\n"
        "h = { A.new => A.new }\nh.each { |k, v| k.a }\nh.max_by { 1 }.last.b\n"
        "h.map { |k, v| [1, v] }.to_h.each { |_, v| v.c }\nl = [*[A.new], 1]\n"
        "l.first(1).each(&:d)\nl.zip(l).each { |x, y| y.e }\n"
        "l[0..].map.with_index { |x, i| x.f }\n",
        {(M, f"A.{name}") for name in "abcdef"},
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
    "`dig` through several levels, and into what has one of its own": (
        "class A\n  def dig(key) end\n  def f; end\nend\n"
        "{a: [A.new]}.dig(:a, 0).f\n[A.new].dig(0, :b)\n",
        {(M, "A.f"), (M, "A.dig")},
    ),
    "what `then`, `tap` and `open` hand a block, and give back of it": (
        "class A\n  def f; end\n  def g; end\n  def h; end\nend\n"
        "[A.new].then { |all| all.first }.f\n[A.new].tap { |all| all.each(&:g) }\n"
        "File.open(gets) { A.new }.h\n",
        {(M, "A.f"), (M, "A.g"), (M, "A.h")},
    ),
    "what an `each` that calls its block gives": (
        "class A\n  def f; end\nend\nclass L\n  include Enumerable\n"
        "  def each(&block) block.(A.new) end\nend\nL.new.sort.first.f\n",
        {(M, "L.each"), (M, "A.f")},
    ),
    "loops over pairs, and arrays that get what another has": (
        "class A; def go; end; end\nclass B; def go; end; end\nclass C; def go; end; end\n"
        "for name, item in { 'a' => A.new }\n  item.go\nend\n"
        "for x, y in [[1, B.new]]\n  y.go\nend\n"
        "list = []\nlist.replace([C.new])\nlist.first.go\n",
        {(M, "A.go"), (M, "B.go"), (M, "C.go")},
    ),
    "what grep has of a class, and a block's name with the others in an array": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "def all = [A.new, B.new]\ndef one = all.grep(A).first.go\n"
        "def two = all.grep_v(A).each(&:go)\ndef three = all.grep(B) { |b| b.go }\n"
        "class C; def set(*) = 1; end\nlist = []\nlist << [:set, 1]\n"
        "list.each { |name, *others| C.new.send(name, *others) }\none\ntwo\nthree\n",
        {
            *((M, name) for name in ("one", "two", "three")),
            *((name, "all") for name in ("one", "two", "three")),
            *(("one", "A.go"), ("two", "B.go"), ("three", "B.go"), (M, "C.set")),
        },
    ),
    "an object made around each other holds the next in the order they were given": (
        "class X; def initialize(a) @a = a; end; def call; @a.call; end; end\n"
        "class Y; def initialize(a) @a = a; end; def call; @a.call; end; end\n"
        "class Z; def initialize(a) @a = a; end; def call; @a.call; end; end\n"
        "class App; def call; end; end\n"
        "class Stack\n  def use(k, *a) (@all ||= []) << [k, a]; end\n"
        "  def build(app) @all.reverse.inject(app) { |inner, (k, a)| k.new(inner, *a) }; end\nend\n"
        "s = Stack.new\ns.use(X)\ns.use(Y)\ns.use(Z)\ndef go(app) app.call; end\n"
        "go(s.build(App.new))\n",
        {
            *((M, name) for name in ("Stack.use", "Stack.build", "go")),
            *(("Stack.build", f"{name}.initialize") for name in "XYZ"),
            *(("go", "X.call"), ("X.call", "Y.call"), ("Y.call", "Z.call"), ("Z.call", "App.call")),
        },
    ),
    "so does one that a block makes around the last one": (
        "class X; def initialize(a) @a = a; end; def call; @a.call; end; end\n"
        "class Y; def initialize(a) @a = a; end; def call; @a.call; end; end\n"
        "class App; def call; end; end\nclass Stack\n  def use(k) (@all ||= []) << k; end\n"
        "  def build(app)\n    @all.reverse_each { |k| app = k.new(app) }\n    app\n  end\nend\n"
        "s = Stack.new\ns.use(X)\ns.use(Y)\ndef go(app) app.call; end\ngo(s.build(App.new))\n",
        {
            *((M, name) for name in ("Stack.use", "Stack.build", "go")),
            *(("Stack.build", f"{name}.initialize") for name in "XY"),
            *(("go", "X.call"), ("X.call", "Y.call"), ("Y.call", "App.call")),
        },
    ),
    "what an enumerator gives is called by the method that yields it": (
        "class A; def f?; end; def g; end; def h; end; end\n"
        "class Feed\n  include Enumerable\n  def each; yield A.new; end\n"
        "  def all; return to_enum(:all) unless block_given?; yield A.new; end\nend\n"
        "x = Feed.new\ndef one(x) x.lazy.select(&:f?).map(&:g).first; end\n"
        "def two(x) x.all.select(&:f?); end\ndef three(x) x.all.to_a.each(&:h); end\n"
        "one(x)\ntwo(x)\nthree(x)\n",
        {
            *((M, name) for name in ("one", "two", "three")),
            *(("one", "Feed.each"), ("two", "Feed.all"), ("three", "Feed.all")),
            *(("Feed.each", "A.f?"), ("Feed.each", "A.g"), ("Feed.all", "A.f?")),
            ("three", "A.h"),
        },
    ),
    "a method returns what stands before its block is asked for where it is given none": (
        "class Node\n  def initialize(*kids) @kids = kids; end\n"
        "  def walk(&block)\n    return to_enum(:walk) unless block\n    block.call(self)\n"
        "    @kids.each { |kid| kid.walk(&block) }\n  end\n  def leaf?; end\nend\n"
        "Node.new(Node.new).walk.select(&:leaf?)\n",
        {
            *((M, name) for name in ("Node.initialize", "Node.walk")),
            *(("Node.walk", name) for name in ("Node.walk", "Node.leaf?")),
        },
    ),
    "objects that procedures make around each other, and arrays joined with an index": (
        "class X; def initialize(a) @a = a; end; def call; @a.call; end; end\n"
        "class Y; def initialize(a) @a = a; end; def call; @a.call; end; end\n"
        "class App; def call; end; end\nclass Stack\n"
        "  def use(k) (@all ||= []) << proc { |app| k.new(app) }; end\n"
        "  def build(app) @all.reverse.inject(app) { |inner, made| made.call(inner) }; end\nend\n"
        "s = Stack.new\ns.use(X)\ns.use(Y)\ndef go(app) app.call; end\ngo(s.build(App.new))\n"
        "def all\n  %w[a b].flat_map.with_index { |x, i| [App.new] }.each(&:call)\nend\nall\n",
        {
            *((M, name) for name in ("Stack.use", "Stack.build", "go", "all")),
            *(("Stack.use", f"{name}.initialize") for name in "XY"),
            *(("go", "X.call"), ("X.call", "Y.call"), ("Y.call", "App.call")),
            ("all", "App.call"),
        },
    ),
    "a rest that is given nothing is an array": (
        "class A; def f; end; end\nclass L\n  def initialize(*e) @e = e; end\n"
        "  def <<(x) @e << x; end\n  def all; @e.each(&:f); end\nend\n"
        "l = L.new\nl << A.new\nl.all\n",
        {(M, "L.initialize"), (M, "L.<<"), (M, "L.all"), ("L.all", "A.f")},
    ),
    "a block finds what it has assigned when it runs again": (
        "class A; def f; end; end\nclass B; def f; end; end\ndef run(list)\n  it = A.new\n"
        "  list.each do |x|\n    it.f\n    it = B.new if x > 1\n  end\nend\nrun([1, 2])\n",
        {(M, "run"), ("run", "A.f"), ("run", "B.f")},
    ),
    "what TSort puts in order": (
        "require 'tsort'\nclass Plan\n  include TSort\n"
        "  def initialize(step) = @steps = { a: step }\n"
        "  def tsort_each_node(&block) = @steps.values.each(&block)\n"
        "  def tsort_each_child(step, &block) = step.needs.each(&block)\n"
        "  def run = tsort.each { |step| step.go }\n"
        "  def parts = each_strongly_connected_component { |part| part.first.stop }\nend\n"
        "class Step\n  def needs = [Other.new]\n  def go = 1\n  def stop = 2\nend\n"
        "class Other\n  def needs = []\n  def go = 1\nend\n"
        "plan = Plan.new(Step.new)\nplan.run\nplan.parts\n",
        {
            *((M, f"Plan.{name}") for name in ("initialize", "run", "parts")),
            *(("Plan.run", "Step.go"), ("Plan.run", "Other.go"), ("Plan.parts", "Step.stop")),
            *(("Plan.tsort_each_child", f"{kind}.needs") for kind in ("Step", "Other")),
        },
    ),
    "a lazy enumerator runs its each where an element is wanted": (
        "class Source\n  include Enumerable\n  def each\n    yield Line.new\n  end\nend\n"
        "class Line\n  def ok? = true\n  def words = [Word.new]\nend\n"
        "class Word; def go; end; end\n"
        "def begun(all) = all.lazy.select { |line| line.ok? }\n"
        "def made(all) = begun(all).flat_map { |line| line.words }\n"
        "def ended(all) = made(all).first(2).each(&:go)\nended(Source.new)\n",
        {
            *((M, "ended"), ("ended", "made"), ("made", "begun"), ("ended", "Source.each")),
            *(("begun", "Line.ok?"), ("made", "Line.words"), ("ended", "Word.go")),
        },
    ),
    "variables of threads and fibers, under the names that they have": (
        "class A\n  def go; end\n  def keep\n    Thread.current[:a] = self\n"
        "    Thread.current.thread_variable_set(:b, self)\n  end\nend\n"
        "def one = Thread.current[:a].go\n"
        "def two = Thread.current.thread_variable_get(:b).go\n"
        "def three = (Thread.current['c'] ||= A.new).go\n"
        "def four = Thread.current.fetch(:d) { A.new }.go\n"
        "def five\n  thread = Thread.new { 1 }\n  thread[:e] = A.new\n  thread[:e].go\nend\n"
        "def other = (Thread.current[:z] || 'z').go\n"
        "A.new.keep\none\ntwo\nthree\nfour\nfive\nother rescue 0\n",
        {
            *((M, name) for name in ("A.keep", "one", "two", "three", "four", "five", "other")),
            *((name, "A.go") for name in ("one", "two", "three", "four", "five")),
        },
    ),
    "variables of threads, where the project adds to their class": (
        "class Thread\n  def busy? = false\nend\n"
        "module Pool\n  class Thread < ::Thread\n    def task = self[:task]\n  end\n"
        "  class Task\n    def go; end\n    def start = (Thread.current[:task] = self)\n  end\n"
        "  def self.run = Thread.current[:task].go\n"
        "  def self.idle = !Thread.current.busy?\nend\n"
        "Pool::Task.new.start\nPool.run\nPool.idle\n",
        {
            *((M, name) for name in ("Pool.Task.start", "Pool.run", "Pool.idle")),
            *(("Pool.run", "Pool.Task.go"), ("Pool.idle", "Thread.busy?")),
        },
    ),
    "fields of a struct in a list that is taken apart": (
        "class A; def go; end; end\nNAMES = %w[left right].freeze\n"
        "Pair = Struct.new(*%i[a b], keyword_init: true)\nBoth = Struct.new(*NAMES.map(&:to_sym))\n"
        "Sides = Struct.new(:top, *[:low])\n"
        "def one = Pair.new(b: A.new).b.go\ndef two = Sides.new(1, A.new).low.go\none\ntwo\n",
        {(M, "one"), (M, "two"), ("one", "A.go"), ("two", "A.go")},
    ),
    "a format asks its values for what its directives want": (
        "class V\n  def to_s = ''\n  def to_i = 1\n  def to_f = 1.0\n  def inspect = ''\nend\n"
        "class W\n  def to_i = 1\n  def to_int = 1\nend\n"
        "def share(v) = format('%.2f', v)\ndef part(v) = '%i%%' % v\n"
        "def both(v) = format('%s %p', 1, v)\ndef named(v) = '%{a}' % { a: v }\n"
        "def given(form, v) = format(form, v)\ndef spread(*v) = format('%-9s', *v)\n"
        "def whole(w) = [Integer(w), format('%d', w)]\n"
        "share(V.new)\npart(V.new)\nboth(V.new)\nnamed(V.new)\ngiven(ARGV[0], V.new)\n"
        "spread(V.new)\nwhole(W.new)\n",
        {
            *((M, name) for name in ("share", "part", "both", "named", "given", "spread", "whole")),
            *(("share", "V.to_f"), ("part", "V.to_i"), ("both", "V.inspect"), ("named", "V.to_s")),
            *(("given", "V.to_s"), ("spread", "V.to_s"), ("whole", "W.to_int")),
        },
    ),
    "what has an order is not compared by it, unless it is comparable": (
        "class W\n  def <=>(other) = 0\nend\n"
        "class V\n  include Comparable\n  def <=>(other) = 0\nend\n"
        "class N < Numeric\n  def <=>(other) = 0\nend\n"
        "def same(a, b) = [a] == [b]\ndef differ(a, b) = a != b\ndef held(a, b) = [a].include?(b)\n"
        "def less(a, b) = a < b\ndef sorted(a) = [a, a].sort\n"
        "same(W.new, W.new)\nheld(W.new, W.new)\ndiffer(W.new, W.new)\nsorted(W.new)\n"
        "less(V.new, V.new)\ndef like(a, b) = a == b\nlike(V.new, V.new)\n"
        "def other(a, b) = a != b\nother(N.new, N.new)\n",
        {
            *((M, name) for name in ("same", "held", "differ", "sorted", "less", "like", "other")),
            *(("sorted", "W.<=>"), ("less", "V.<=>"), ("like", "V.<=>"), ("other", "N.<=>")),
        },
    ),
    "parts of an array that end where a block or a pattern says": (
        "class L\n  def ok? = true\n  def next?(other) = other.ok?\n  def go; end\nend\n"
        "class P; def ===(other) = other.ok?; end\n"
        "def joined(all) = all.chunk_while { |a, b| a.next?(b) }.each { |part| part.first.go }\n"
        "def begun(all) = all.slice_before(&:ok?).map { |part| part.last.go }\n"
        "def ended(all) = all.slice_after(P.new).to_a.first.first.go\n"
        "def named(all) = all.chunk { |it| it.ok? }.each { |_, part| part.first.go }\n"
        "def any(all) = all.any?(P.new)\ndef chosen(all) = all.grep(P.new)\n"
        "list = [L.new]\njoined(list)\nbegun(list)\nended(list)\nnamed(list)\n"
        "any(list)\nchosen(list)\n",
        {
            *((M, name) for name in ("joined", "begun", "ended", "named", "any", "chosen")),
            *((name, "L.go") for name in ("joined", "begun", "ended", "named")),
            *((name, "L.ok?") for name in ("begun", "named", "L.next?", "P.===")),
            *((name, "P.===") for name in ("ended", "any", "chosen")),
            ("joined", "L.next?"),
        },
    ),
    "behind the hook of clone stands that of every copy": (
        "class A\n  def initialize_copy(other) = keep(other)\n"
        "  def initialize_clone(other, freeze: nil) = super\n  def keep(other) = other\nend\n"
        "def copied = A.new.dup\ndef cloned = A.new.clone\ncopied\ncloned\n",
        {
            *((M, "copied"), (M, "cloned"), ("copied", "A.initialize_copy")),
            *(("cloned", "A.initialize_clone"), ("A.initialize_clone", "A.initialize_copy")),
            ("A.initialize_copy", "A.keep"),
        },
    ),
    "a block that compares has two elements of what its class enumerates": (
        "class T\n  def <=>(other) = 0\n  def near?(other) = other.ok?\n  def ok? = true\nend\n"
        "class R\n  include Enumerable\n  def each\n    yield T.new\n  end\nend\n"
        "def sorted(r) = r.sort { |_, b| b <=> 1 }\n"
        "def joined(r) = r.chunk_while { |a, b| a.near?(b) }.to_a\n"
        "sorted(R.new)\njoined(R.new)\n",
        {
            *((M, "sorted"), (M, "joined"), ("sorted", "R.each"), ("joined", "R.each")),
            *(("sorted", "T.<=>"), ("joined", "T.near?"), ("T.near?", "T.ok?")),
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".rb") == expected
