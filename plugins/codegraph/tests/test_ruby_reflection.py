"""Ruby methods that are reached or defined by their names, and those that are missing."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "what every object does privately is not missing, but to others": (
        "class A\n  def method_missing(name, *) = other\n  def other = nil\n"
        "  def go = [caller(1), Array(1), Integer('1'), select, binding, gets]\nend\n"
        "def outside(a) = a.caller\nA.new.go\noutside A.new\n",
        {
            (M, "A.go"),
            (M, "outside"),
            ("outside", "A.method_missing"),
            ("A.method_missing", "A.other"),
        },
    ),
    "a text that names a class and a method is divided": (
        "class PagesController\n  def show; end\n  def edit; end\n  def other; end\nend\n"
        "class Router\n  def initialize = @routes = {}\n"
        "  def get(path, to:) = @routes[path] = to\n"
        "  def call(path)\n    name, action = @routes[path].split('#')\n"
        '    Object.const_get("#{name.capitalize}Controller").new.send(action)\n  end\nend\n'
        "router = Router.new\nrouter.get '/', to: 'pages#show'\n"
        "router.get '/edit', to: 'pages#edit'\nrouter.call('/')\nrouter.call('/edit')\n",
        {
            *((M, f"Router.{name}") for name in ("initialize", "get", "call")),
            *(("Router.call", f"PagesController.{name}") for name in ("show", "edit")),
        },
    ),
    "what calls define on a class of Ruby's, its literals have": (
        "class Length\n  def self.unit(name, factor)\n"
        "    Integer.define_method(name) { Length.new(self * factor) }\n  end\n"
        "  def initialize(n) = @n = n\n  def +(other) = self\nend\n"
        "def before = 5.mile\nLength.unit(:km, 1000)\nLength.unit(:mile, 1609)\n"
        "1.km + 2.mile\nbefore\n'a'.km rescue nil\n",
        {
            *((M, name) for name in ("Length.unit", "Length.+", "before")),
            ("Length.unit", "Length.initialize"),
        },
    ),
    "what a module that code prepends comes before is reached by way of it": (
        "module Timing\n  def self.wrap(klass, *names)\n    klass.prepend(Module.new do\n"
        "      names.each { |n| define_method(n) { |*a| Timing.note; super(*a) } }\n    end)\n"
        "  end\n  def self.note; end\nend\n"
        "class Job\n  def run = step\n  def step; end\n  def rest; end\nend\n"
        "Timing.wrap(Job, :run, :step)\nJob.new.run\nJob.new.rest\n",
        {
            *((M, name) for name in ("Timing.wrap", "Job.rest")),
            *(("Timing.wrap", f"{name}") for name in ("Timing.note", "Job.run", "Job.step")),
        },
    ),
    "what a hook writes into a class comes before what this inherits": (
        "module Track\n  def self.included(base)\n    base.class_eval do\n"
        "      def save\n        note\n        super\n      end\n    end\n  end\n"
        "  def note; end\nend\nclass Base\n  def save; end\nend\n"
        "class A < Base\n  include Track\nend\nA.new.save\n",
        {
            *((M, name) for name in ("Track.included", "Track.save")),
            *(("Track.save", "Track.note"), ("Track.save", "Base.save")),
        },
    ),
    "what a class gets only where it has nothing replaces nothing": (
        "module Fields\n  def field(name)\n    return if method_defined?(name)\n"
        "    define_method(name) { 1 }\n  end\nend\n"
        "class A\n  def size = count\n  def count; end\n  extend Fields\n"
        "  %i[size].each { |name| field(name) }\nend\nA.new.size\n",
        {(M, "Fields.field"), (M, "A.size"), ("A.size", "A.count")},
    ),
    "what a class without a name gets replaces nothing of what it derives from": (
        "class Base\n  def run; end\nend\nmade = Class.new(Base)\n"
        "made.class_eval do\n  def run = other\n  def other; end\nend\n"
        "def a = Base.new.run\na\n",
        {(M, "a"), ("a", "Base.run"), ("a", "run"), ("run", "other")},
    ),
    "names that are put together behind underscores": (
        'class A\n  def run(kind) = send("_#{kind}")\n  def hook(kind) = send("_#{kind}_hook")\n'
        '  def load(kind) = send("_load_#{kind}")\n  def _go; end\n  def _stop; end\n'
        "  def _my_hook; end\n  def _load_it; end\nend\n"
        "def start(kind)\n  a = A.new\n  a.run(:go)\n  a.hook(kind)\n"
        "  a.load(kind)\nend\nstart(ARGV[0])\n",
        {
            (M, "start"),
            *(("start", f"A.{name}") for name in ("run", "hook", "load")),
            ("A.run", "A._go"),
            ("A.hook", "A._my_hook"),
            ("A.load", "A._load_it"),
        },
    ),
    "methods by text for each of a product, and for lists that variables hold": (
        "class A\n  def line; end\n  def arc; end\n  def fill; end\n  def stroke; end\n"
        "  shapes = %w[line arc].freeze\n  ops = nil\n  ops = %w[fill stroke]\n"
        "  ops.product(shapes).each do |op, shape|\n"
        '    class_eval "def #{op}_#{shape}\\n#{shape}\\n#{op}\\nend"\n  end\n'
        '  def self.unknown(ops) = ops.each { |op| class_eval "def my_#{op} = #{op}" }\nend\n'
        "A.new.fill_line\n",
        {(M, "A.line"), (M, "A.arc"), (M, "A.fill"), (M, "A.stroke")},
    ),
    "method objects of names that are put together, and of a class's own modules": (
        "class A\n  def on_x; end\n  def off; end\n"
        '  def run(e) = method(:"on_#{e.name}").call\nend\n'
        "module Checks\n  def any; end\n  def check = @all << method(:any)\n"
        "  def go = @all.each(&:call)\nend\n"
        "class B\n  @all = []\n  extend Checks\n  check\nend\nA.new.run(1)\nB.go\n",
        {
            (M, "A.run"),
            ("A.run", "A.on_x"),
            (M, "Checks.check"),
            (M, "Checks.go"),
            ("Checks.go", "Checks.any"),
        },
    ),
    "a method object of new, and of an accessor": (
        "class A\n  attr_reader :b\n  def initialize(b) = @b = b\n  def go; end\nend\n"
        "def all(list) = list.map(&A.method(:new)).each(&:go)\n"
        "def read(a) = a.method(:b).call.go\nall([1])\nread(A.new(A.new(1)))\n"
        "A.method(:new).unbind.bind(A).call(1)\n",
        {
            (M, "all"),
            ("all", "A.initialize"),
            ("all", "A.go"),
            (M, "A.initialize"),
            (M, "read"),
            ("read", "A.go"),
        },
    ),
    "methods that are defined on an object that is a module": (
        "class Field < Module\n  def initialize(name)\n"
        '    define_method("#{name}=") { |v| change(name) }\n'
        "    define_method(:kept) { change(1) }\n  end\nend\n"
        "class A\n  include Field.new(:size)\n  def change(name); end\n  def kept; end\nend\n"
        "A.new.size = 1\nA.new.kept\n",
        {(M, "Field.initialize"), ("Field.initialize", "A.change"), (M, "A.kept")},
    ),
    "methods under a literal name on an object that is a module": (
        "class Field < Module\n  def initialize\n    define_method(:drop) { change }\n  end\nend\n"
        "class A\n  include Field.new\n  def change; end\nend\nA.new.drop\n",
        {(M, "Field.initialize"), ("Field.initialize", "A.change")},
    ),
    "what is composed is handed on from one to the other": (
        "class A; def a = B.new; def x; end; end\nclass B; def b; end; end\n"
        "def first(x) = x.a\nclass Last; def self.call(x) = x.b; end\n"
        "(method(:first) >> Last).call(A.new)\n"
        "(->(k, x) { x.b }.curry[1] << method(:first)).(A.new)\n"
        "[:first, :first].map { method(_1) }.reduce(:>>)\n",
        {(M, "first"), ("first", "A.a"), (M, "Last.call"), ("Last.call", "B.b"), (M, "B.b")},
    ),
    "behind `super` stands what every object answers": (
        "class A\n  def freeze; seal; super; end\n  def seal; end\n  def go; end\nend\n"
        "A.new.freeze.go\n",
        {(M, "A.freeze"), ("A.freeze", "A.seal"), (M, "A.go")},
    ),
    "evaluated text that a parameter gives names": (
        "module Events\n  def event(*names)\n    names.each do |name|\n"
        "      class_eval <<~RUBY\n        def on_#{name} = watch(:#{name})\n      RUBY\n"
        "    end\n  end\nend\n"
        "class A\n  extend Events\n  event :x, :y\n  def watch(name) = send(name)\n"
        "  def x; end\n  def y; end\n  def z; end\nend\nA.new.on_x\n",
        {
            (M, "Events.event"),
            ("Events.event", "A.watch"),
            ("A.watch", "A.x"),
            ("A.watch", "A.y"),
        },
    ),
    "what is handed on as it came, and between brackets": (
        "class A; def f; end; end\ndef run(x, k: nil) k.f; yield; end\n"
        "def all(...) run(...); end\ndef one(*, **, &) run(*, **, &); end\n"
        "class R\n  def self.[](k:, &b) b.call(k); end\nend\ndef m(x) x.f; end\n"
        "all(1, k: A.new) { }\none(1, k: A.new) { }\nR[k: A.new, &method(:m)]\n",
        {
            (M, "all"),
            ("all", "run"),
            (M, "one"),
            ("one", "run"),
            ("run", "A.f"),
            (M, "R.[]"),
            ("R.[]", "m"),
            ("m", "A.f"),
        },
    ),
    "objects of next to no class, and copies through text": (
        "class P < BasicObject\n  def initialize(x) @x = x end\n"
        "  def method_missing(name, *a) @x.__send__(name, *a) end\nend\n"
        "class A\n  def each_entry; end\n  def marshal_dump; end\n  def marshal_load(d) end\n"
        "  def f; end\nend\nP.new(A.new).each_entry\nMarshal.load(Marshal.dump(A.new)).f\n",
        {
            (M, "P.initialize"),
            (M, "P.method_missing"),
            ("P.method_missing", "A.each_entry"),
            (M, "A.marshal_dump"),
            (M, "A.marshal_load"),
            (M, "A.f"),
        },
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
    "the methods of a class by their names, and those of a module defined in another": (
        "module M; def f; g; end; end\nclass A\n  def g; end\n"
        "  M.instance_methods.each { |n| define_method(n, M.instance_method(n)) }\nend\nA.new.f\n"
        "class B; def x; end; def y; end; end\n"
        "B.instance_methods(false).each { |n| B.new.send(n) }\n",
        {(M, "M.f"), ("M.f", "A.g"), (M, "B.x"), (M, "B.y")},
    ),
    "methods defined under names that values tell in full": (
        'class A\n  def self.event(name) define_method("#{name}!") { fire } end\n  event :go\n'
        "  def initialize(more)\n    more.each { |k, v| define_singleton_method(k) { show } }\n"
        "  end\n  def fire; end\n  def show; end\nend\nA.new(x: 1).x\nA.new({}).go!\n",
        {(M, "A.event"), (M, "A.initialize"), ("A.event", "A.fire"), ("A.initialize", "A.show")},
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
    "method_missing passes the name on": (
        "class T\n  def ping; end\nend\nclass P\n  def initialize; @t = T.new; end\n"
        "  def method_missing(name, *rest); @t.send(name, *rest); end\nend\nP.new.ping\n",
        {(M, "P.initialize"), (M, "P.method_missing"), ("P.method_missing", "T.ping")},
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
    "what every object answers is missing in none": (
        "class P\n  def method_missing(*) self; end\nend\nx = P.new\ndef one(x) x.dup; end\n"
        "def two(x) x.tap { 1 }; end\ndef three(x) x.__id__; end\ndef four(x) x.itself.go; end\n"
        "one(x)\ntwo(x)\nthree(x)\nfour(x)\n",
        {*((M, name) for name in ("one", "two", "three", "four")), ("four", "P.method_missing")},
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
    "methods under computed aliases, of singleton classes, and behind others": (
        'class A\n  def f; end\n  def self.wrap(n)\n    alias_method "old_#{n}", n\n'
        '    define_method(:g) { send("old_#{n}") }\n  end\n  wrap :f\nend\n'
        "class B < A; def f; method(:f).super_method.call; end; end\nb = B.new\n"
        "b.singleton_class.define_method(:h) { f }\nb.g\nb.h\n",
        {(M, "A.wrap"), ("A.wrap", "A.f"), (M, "B.f"), ("B.f", "A.f")},
    ),
    "the beginning of a name that something is added to": (
        "class A\n  def go(kind) __send__('on_' + kind.tr('-', '_')) end\n  def on_a; end\n"
        "  def on_b; end\n  def off; end\nend\nA.new.go(gets)\n",
        {(M, "A.go"), ("A.go", "A.on_a"), ("A.go", "A.on_b")},
    ),
    "methods under more names than are followed are not missing": (
        "module Fields\n  def field(name)\n    define_method(name) { 1 }\n  end\nend\n"
        "class A\n  extend Fields\n"
        + "".join(f"  field :f{i}\n" for i in range(70))
        + "  def method_missing(name) end\n  def go; f3; self.f66; end\nend\nA.new.go\nA.new.f67\n",
        {(M, "Fields.field"), (M, "A.go")},
    ),
    "a parameter that has a keyword's name": (
        "class A\n  def f; end\nend\n"
        "def run(if:) = binding.local_variable_get(:if).f\nrun(if: A.new)\n",
        {(M, "run"), ("run", "A.f")},
    ),
    "constants that are set or read by names": (
        "class JobA\n  def f; end\nend\nclass Job\n  def f; end\nend\n"
        'def find(kind) = Object.const_get("Job#{kind}")\nfind(gets).new.f\n'
        "module Made\n  %w[One Two].each do |n|\n"
        "    const_set(n, Class.new { def f; g; end\n def g; end })\n  end\nend\nMade::Two.new.f\n",
        {
            (M, "find"),
            (M, "JobA.f"),
            (M, "Made.<class1>.f"),
            ("Made.<class1>.f", "Made.<class1>.g"),
        },
    ),
    "a name that is in a list": (
        "NAMES = %w[start stop].freeze\nBY_KEY = { 'a' => 1, 'b' => 2 }\nclass Console\n"
        "  def run(line)\n    name, *rest = line.split\n"
        "    if NAMES.include?(name)\n      send(name)\n"
        "    else\n      other(name)\n    end\n  end\n"
        "  def pick(name) = [:stop, :a].include?(name.to_sym) && send(name)\n"
        "  def key(name)\n    return send(name) unless BY_KEY.key?(name)\n    b\n  end\n"
        "  def start; end\n  def stop; end\n  def a; end\n  def b; end\n  def other(n); end\nend\n"
        "c = Console.new\nc.run(gets)\nc.pick('a')\nc.pick('start')\nc.key('a')\nc.key('stop')\n",
        {
            *((M, f"Console.{name}") for name in ("run", "pick", "key")),
            *(("Console.run", f"Console.{name}") for name in ("start", "stop", "other")),
            ("Console.pick", "Console.a"),
            *(("Console.key", f"Console.{name}") for name in ("stop", "b")),
        },
    ),
    "a method named as the class that it is handed": (
        "module Tree\n  class IfElse; def x; end; end\n  class Leaf; def y; end; end\n"
        "  class Odd; def z; end; end\nend\n"
        "class Visitor\n"
        "  def visit(node) = send(\"visit_#{node.class.name.tr(':', '_')}\", node)\n"
        "  def visit_tree_if_else(node)\n    node.x\n    node.z\n  end\n"
        "  def visit_leaf(node)\n    node.y\n    node.x\n  end\nend\n"
        "v = Visitor.new\n"
        "[Tree::IfElse.new, Tree::Leaf.new, Tree::Odd.new].each { |n| v.visit(n) }\n",
        {
            (M, "Visitor.visit"),
            ("Visitor.visit", "Visitor.visit_tree_if_else"),
            ("Visitor.visit", "Visitor.visit_leaf"),
            ("Visitor.visit_tree_if_else", "Tree.IfElse.x"),
            ("Visitor.visit_tree_if_else", "Tree.Odd.z"),
            ("Visitor.visit_leaf", "Tree.Leaf.y"),
        },
    ),
    "a name and what it is called with in one array": (
        "class A; def go; end; end\nclass B; def go; end; end\n"
        "class Target\n  def one(a) = a.go\n  def two(a, b) = b.go\n  def three(a); end\nend\n"
        "def pair = [:one, A.new]\n"
        "Target.new.send(*pair)\nTarget.new.send(*[:two, 1, B.new])\n",
        {
            *((M, name) for name in ("pair", "Target.one", "Target.two")),
            *(("Target.one", "A.go"), ("Target.two", "B.go")),
        },
    ),
    "module functions that nobody calls": (
        "module Runs\n  def run(x) = x\n  module_function :run\nend\n"
        "module Doc\n  extend Runs\n  def go(x) = run(x)\n  module_function :go\nend\n",
        {("Doc.go", "Runs.run")},
    ),
    "a class that is asked what it answers": (
        "class A\n  class << self\n    def respond_to_missing?(name, all = false) = known?(name)\n"
        "    def known?(name) = name == :a\n  end\nend\nA.respond_to?(:a)\n",
        {(M, "A.respond_to_missing?"), ("A.respond_to_missing?", "A.known?")},
    ),
    "methods that a prepended module comes before are reached by its `super` alone": (
        "module Memo\n  def memo(*names)\n    around = Module.new do\n      names.each do |n|\n"
        "        define_method(n) { |*a| (@kept ||= {})[n] ||= super(*a) }\n      end\n    end\n"
        "    prepend around\n  end\nend\n"
        "class A\n  extend Memo\n  def f; g; end\n  def g; end\n  def h; f; end\n"
        "  memo :f, :g\nend\n"
        "class B < A; def f; super; end; end\nA.new.h\nB.new.f\n",
        {
            *((M, name) for name in ("Memo.memo", "A.h", "B.f")),
            *(("Memo.memo", name) for name in ("A.f", "A.g")),
        },
    ),
    "names that methods of texts or a form make": (
        "class A\n  [:plain, :rich].each do |name|\n    class_eval <<-EOS\n"
        "      def to_#{name}\n        turn(#{name.to_s.capitalize})\n      end\n"
        "    EOS\n  end\n  def turn(kind) = kind.new\nend\n"
        "class Plain < A\n  def initialize; end\nend\nclass Rich < A\n  def initialize; end\nend\n"
        "module Forms\n  class Form7\n    def initialize; end\n  end\n"
        "  class Other\n    def initialize; end\n  end\nend\n"
        "def make(number) = Forms.const_get('Form%i' % number).new\n"
        "A.new.to_plain\nmake(ARGV[0])\n",
        {
            (M, "A.turn"),
            ("A.turn", "Plain.initialize"),
            ("A.turn", "Rich.initialize"),
            (M, "make"),
            ("make", "Forms.Form7.initialize"),
        },
    ),
    "methods of the class that a hook's block is evaluated for": (
        "module Types\n  def Types.append_features(mod)\n    super\n    mod.module_eval do\n"
        "      class << self\n        include Named\n        def flag(*keys) = named(keys)\n"
        "      end\n    end\n  end\nend\n"
        "module Named\n  def named(keys); end\nend\n"
        "class Font\n  include Types\n  flag :bold\nend\n",
        {
            (M, "Types.append_features"),
            (M, "Types.flag"),
            ("Types.flag", "Named.named"),
        },
    ),
    "an array with methods of its own, kept in a variable of an object": (
        "class Entry\n  def <<(child); end\n  def first; end\nend\n"
        "class Store\n  def load\n    @all = [1, 2].map { Entry.new }\n"
        "    class << @all\n      def tree(index) = self[index] << tree(index + 1)\n    end\n"
        "    @all.tree(0)\n    @all[0].first\n  end\nend\nStore.new.load\n",
        {
            (M, "Store.load"),
            ("Store.load", "Store.load.tree"),
            ("Store.load.tree", "Store.load.tree"),
            ("Store.load.tree", "Entry.<<"),
            ("Store.load", "Entry.first"),
        },
    ),
    "objects that are extended where code runs, and others that are not": (
        "class Coffee\n  def cost = 1\nend\nmodule Milk\n  def cost = super + 1\nend\n"
        "class Shop\n  def initialize = @c = Coffee.new\n  def coffee = @c\n"
        "  def milk = coffee.extend(Milk)\n  def price = coffee.cost\nend\n"
        "shop = Shop.new\nshop.milk\nshop.price\n",
        {
            (M, "Shop.initialize"),
            *((M, f"Shop.{name}") for name in ("milk", "price")),
            *((f"Shop.{name}", "Shop.coffee") for name in ("milk", "price")),
            *(("Shop.price", f"{name}.cost") for name in ("Coffee", "Milk")),
            ("Milk.cost", "Coffee.cost"),
        },
    ),
    "modules that Ruby's own classes get from outside, and one that extends itself": (
        "module Shouts\n  def loud = soft.upcase.softer\n  def soft = self\n"
        "  def softer; end\nend\nString.send :include, Shouts\n"
        "module Path\n  def current = Step.new\n  def ends = current\nend\n"
        "class Step\n  include Path\n  def current = self\nend\n"
        "module Paths\n  extend Path\n  include Path\nend\n'x'.loud\n",
        {
            (M, "Shouts.loud"),
            *(("Shouts.loud", f"Shouts.{name}") for name in ("soft", "softer")),
            *(("Path.ends", f"{name}.current") for name in ("Path", "Step")),
        },
    ),
    "what arrays and hashes ask what is inside, and what a class is compared with": (
        "class Part\n  def eql?(o) = true\n  def hash = 1\n  def ==(o) = true\n"
        "  def <=>(o) = 0\n  def each; end\n  def late; end\nend\n"
        "def same(all) = all.eql?([Part.new])\ndef key(all) = all.hash\n"
        "def put(all) = {}[{ part: all }] ||= 1\ndef order(all) = [1, all[0]] <=> all\n"
        "def names(all) = all == %w[a b]\n"
        "def kind(part)\n  return part.each if part.class == Array\n\n  part.late\nend\n"
        "all = [Part.new]\nsame(all)\nkey(all)\nput(all)\norder(all)\nnames(all)\n"
        "kind(Part.new)\n",
        {
            *((M, name) for name in ("same", "key", "put", "order", "names", "kind")),
            ("same", "Part.eql?"),
            ("key", "Part.hash"),
            ("put", "Part.hash"),
            ("put", "Part.eql?"),
            ("order", "Part.<=>"),
            ("kind", "Part.late"),
        },
    ),
    "names with a gap, of methods that take as many arguments, and classes above one": (
        'class W\n  def go(key)\n    send("write_#{key}")\n    send("read_#{key}", 1, 2)\n  end\n'
        "  def write_a; end\n  def write_b(x); end\n  def write_c(x = 1, *y); end\n"
        "  def write_d(x:); end\n  def read_a; end\n  def read_b(x, y); end\n"
        "  def read_c(x, y, z = 3); end\n  def read_d(*all); end\n  def read_e(x); end\nend\n"
        "module Basic\n  def self.desc; end\nend\n"
        "class Engine\n  include Basic\n  def self.desc; end\nend\n"
        "class Fast < Engine\nend\ndef all(kind) = kind.ancestors.each { |it| it.desc }\n"
        "W.new.go(ARGV[0])\nall(Fast)\n",
        {
            (M, "W.go"),
            *(("W.go", f"W.write_{name}") for name in "acd"),
            *(("W.go", f"W.read_{name}") for name in "bcd"),
            (M, "all"),
            *(("all", f"{name}.desc") for name in ("Basic", "Engine")),
        },
    ),
    "methods that a macro renames, and puts another in the place of": (
        "module Guarded\n  def guard(name)\n"
        '    define_method("#{name}_with_guard") { |*all| send("#{name}_without_guard", *all) }\n'
        '    alias_method "#{name}_without_guard", name\n'
        '    alias_method name, "#{name}_with_guard"\n  end\nend\n'
        "class A\n  extend Guarded\n  def ok? = true\n  def run = 1\n"
        "  guard :ok?\n  guard :run\nend\n"
        "A.new.ok?\nA.new.run\n",
        {
            (M, "Guarded.guard"),
            *(("Guarded.guard", f"A.{name}") for name in ("ok?", "run")),
        },
    ),
    "methods of evaluated text have parameters and a block of their own": (
        "class Inner; def look(key) = key; end\nclass Item; def go; end; end\n"
        "class Outer\n  class_eval(<<~RUBY, __FILE__, __LINE__ + 1)\n"
        "    def method_missing(...)\n      @inner.__send__(...)\n    end\n"
        "    def each\n      yield Item.new\n    end\n  RUBY\n"
        "  def initialize\n    @inner = Inner.new\n  end\nend\n"
        "Outer.new.look(1)\nOuter.new.each { |item| item.go }\n",
        {(M, "Outer.initialize"), (M, "Inner.look"), (M, "Item.go")},
    ),
    "names that a test of their spelling lets through": (
        "class Kinds\n  def run(name)\n    if name =~ /\\Ado_(.*)/\n      send(name)\n"
        "    elsif name.end_with?('!', '?')\n      hear(name)\n"
        "    elsif name.to_s.match?(/^see$/)\n      other(name)\n"
        "    else\n      rest(name)\n    end\n  end\n"
        "  def hear(name) = send(name)\n  def other(name) = send(name)\n"
        "  def rest(name)\n    return if name.start_with?('x')\n    send(name)\n  end\n"
        "  def do_one; end\n  def loud!; end\n  def see; end\n  def seen; end\n"
        "  def xray; end\nend\n"
        "%i[do_one loud! see seen xray].each { |name| Kinds.new.run(name) }\n",
        {
            *((M, "Kinds.run"), ("Kinds.run", "Kinds.do_one"), ("Kinds.run", "Kinds.hear")),
            *(("Kinds.run", "Kinds.other"), ("Kinds.run", "Kinds.rest")),
            *(("Kinds.hear", "Kinds.loud!"), ("Kinds.other", "Kinds.see")),
            ("Kinds.rest", "Kinds.seen"),
        },
    ),
    "names of two parts, of which a variable has the first": (
        "class Visitor\n  def initialize(receiver, message)\n    @receiver = receiver\n"
        "    @message = message\n  end\n  def visit(thing)\n"
        "    thing.class.ancestors.each do |kind|\n"
        "      name = :\"#{@message}_#{kind.name.split('::').last}\"\n"
        "      return @receiver.send(name, thing) if @receiver.respond_to?(name)\n"
        "    end\n  end\nend\n"
        "class Doing\n  def run(x) = Visitor.new(self, 'do').visit(x)\n"
        "  def do_Base(x) = x.one\n  def do_Array(x) = x.map { |it| it.two }\n"
        "  def do_Other(x) = x.one\n  def show_Base(x) = x.two\nend\n"
        "class Base; def one; end; def two; end; end\nclass Own < Base; end\n"
        "class Other; def one; end; end\n"
        "Doing.new.run(Own.new)\nDoing.new.run([Own.new])\nDoing.new.run(Other.new)\n",
        {
            *(
                (M, "Doing.run"),
                ("Doing.run", "Visitor.initialize"),
                ("Doing.run", "Visitor.visit"),
            ),
            *(("Visitor.visit", f"Doing.do_{name}") for name in ("Base", "Array", "Other")),
            *(("Doing.do_Base", "Base.one"), ("Doing.do_Array", "Base.two")),
            ("Doing.do_Other", "Other.one"),
        },
    ),
    "names of two parts that are both known": (
        'class Switch\n  def set(kind, state) = send("#{kind}_#{state}")\n'
        "  def lamp_on = 1\n  def fan_on = 2\nend\n"
        "Switch.new.set(:lamp, :on)\nSwitch.new.set(:fan, :on)\n",
        {
            *((M, "Switch.set"), ("Switch.set", "Switch.lamp_on"), ("Switch.set", "Switch.fan_on")),
        },
    ),
    "an object that is a module, included where code runs": (
        "class Eq < Module\n  def included(by)\n    by.module_eval { include Methods }\n  end\n"
        "  module Methods\n    def same = compare\n    def compare; end\n  end\nend\n"
        "class A\n  def self.keys(*names) = names.each { |name| include Eq.new }\n  keys :a\nend\n"
        "class B; end\ndef add(to) = to.instance_exec { include Eq.new }\nadd(B)\n"
        "def one = A.new.same\ndef two = B.new.same\none\ntwo\n",
        {
            *((M, name) for name in ("A.keys", "add", "one", "two")),
            *(("A.keys", "Eq.included"), ("add", "Eq.included")),
            *(("one", "Eq.Methods.same"), ("two", "Eq.Methods.same")),
            ("Eq.Methods.same", "Eq.Methods.compare"),
        },
    ),
    "a singleton method of what runs a block": (
        "class K\n  def go; end\n  def self.add(to)\n    one = new\n"
        "    to.instance_exec { define_singleton_method(:k) { one } }\n  end\n"
        "  def put(to)\n    one = self\n"
        "    to.instance_exec { define_singleton_method(:l) { one } }\n  end\nend\n"
        "class A; end\nclass B; end\nK.add(A)\nK.new.put(B)\n"
        "def one = A.k.go\ndef two = B.l.go\ndef three = (B.new.l rescue 0)\none\ntwo\nthree\n",
        {
            *((M, name) for name in ("K.add", "K.put", "one", "two", "three")),
            *(("one", "K.go"), ("two", "K.go")),
        },
    ),
    "methods under computed names that numbers and arrays have from a module": (
        "class Len; def go; end; end\n"
        "module Units\n  { mm: 1 }.each { |name, _| define_method(name) { Len.new } }\nend\n"
        "class Numeric; include Units; end\n"
        "class Array\n  %w[best worst].each { |name| define_method(name) { Len.new } }\nend\n"
        "def number = 2.mm.go\ndef list = [1].best.go\nnumber\nlist\n",
        {(M, "number"), (M, "list"), ("number", "Len.go"), ("list", "Len.go")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".rb") == expected


def test_what_tests_replace_is_called_all_the_same(edges) -> None:
    clock = "class Clock\n  def now; end\n  def read = now\nend\nClock.new.read\n"
    fix = "def fix(it) = it.prepend(Fixed)\nfix(Clock)\n"
    patch, files = "module Fixed\n  def now = 1\nend\n" + fix, {"lib/clock.rb": clock}
    read = "lib/clock.rb::Clock.read"
    found = edges({**files, "spec/clock_spec.rb": patch})
    assert (read, "lib/clock.rb::Clock.now") in found
    found = edges({**files, "lib/patch.rb": patch})
    assert (read, "lib/clock.rb::Clock.now") not in found
    assert (read, "lib/patch.rb::Fixed.now") in found
