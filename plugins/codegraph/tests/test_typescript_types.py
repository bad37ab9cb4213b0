"""What TypeScript's types tell where no value flows: interfaces, aliases, object types."""

from __future__ import annotations

import pytest

from toolroll_codegraph.languages.registry import extract

SERVICES = (
    "interface Linker { link(): void }\n"
    "class DefaultLinker implements Linker { link() {} }\n"
    "class Scope { find() {} }\n"
)

CASES = {
    "interfaces, through parameters and arrays": (
        "interface Shape { area(): number }\n"
        "class Circle implements Shape { area() { return 1; } }\n"
        "class Store { constructor(private shape: Circle) {} go() { this.shape.area(); } }\n"
        "function total(shapes: Shape[]) { for (const s of shapes) s.area(); }\n",
        {("Store.go", "Circle.area"), ("total", "Circle.area")},
    ),
    "object types, in interfaces and under a name": (
        SERVICES + "interface Outer { inner: { linker: Linker } }\n"
        "type Core = { readonly refs: { readonly scope: Scope } };\n"
        "class User {\n"
        "  constructor(private outer: Outer, private core: Core) {}\n"
        "  a() { this.outer.inner.linker.link(); }\n"
        "  b() { this.core.refs.scope.find(); }\n"
        "}\n",
        {("User.a", "DefaultLinker.link"), ("User.b", "Scope.find")},
    ),
    "intersections, unions, promises and conditional types": (
        SERVICES + "type Both = { name: string } & { scope: Scope };\n"
        "type Either<T> = Scope | Promise<DefaultLinker> | null;\n"
        "type Chosen<T> = [T] extends [never] ? { scope: Scope } : { linker: Linker };\n"
        "function both(it: Both) { it.scope.find(); }\n"
        "async function either(it: Either<string>) { it.find(); (await it).link(); }\n"
        "function chosen(it: Chosen<string>) { it.scope.find(); it.linker.link(); }\n",
        {
            ("both", "Scope.find"),
            ("either", "Scope.find"),
            ("either", "DefaultLinker.link"),
            ("chosen", "Scope.find"),
            ("chosen", "DefaultLinker.link"),
        },
    ),
    "what methods of interfaces return that nobody implements": (
        SERVICES
        + "interface Registry { get(name: string): { linker: Linker }; all: () => Scope }\n"
        "function run(r: Registry) { r.get('a').linker.link(); r.all().find(); }\n",
        {("run", "DefaultLinker.link"), ("run", "Scope.find")},
    ),
    "objects that are written where an interface is asked for": (
        "interface Source { subscribe(): void; map(): Source }\n"
        "interface Subject extends Source { next(): void }\n"
        "function create(): Source { const self: Source = {\n"
        "  subscribe() { start(); }, map() { return create(); } }; return self; }\n"
        "function subject(): Subject { return {\n"
        "  subscribe() { stop(); }, map: () => subject(), next() {} }; }\n"
        "function start() {}\nfunction stop() {}\n"
        "function run(s: Source) { s.map().subscribe(); }\n",
        {
            ("create.self.subscribe", "start"),
            ("create.self.map", "create"),
            ("subject.subscribe", "stop"),
            ("subject.map", "subject"),
            ("run", "create.self.map"),
            ("run", "subject.map"),
            ("run", "create.self.subscribe"),
            ("run", "subject.subscribe"),
        },
    ),
    "what a method says of its receiver": (
        "type Mixed = Engine & Helper;\nclass Helper { help() {} }\n"
        "class Engine { run(this: Mixed) { this.help(); this.own(); } own() {} }\n",
        {("Engine.run", "Helper.help"), ("Engine.run", "Engine.own")},
    ),
    "types that are declared behind, and generic bases": (
        "interface Late<T> extends Base<T> { own: Helper }\n"
        "interface Base<T> { base: Helper }\n"
        "const early: Worker = make();\nearly.work();\n"
        "function run(late: Late<string>) { late.own.help(); late.base.help(); }\n"
        "class Helper { help() {} }\nclass Worker { work() {} }\n"
        "declare function make(): any;\n",
        {("<module>", "Worker.work"), ("run", "Helper.help")},
    ),
    "what a function returns": (
        "type Manager = ReturnType<typeof manage>;\n"
        "function manage() { return { get() {}, set() {} }; }\n"
        "function one(m: Manager) { m.get(); }\nfunction two(m?: Manager) { m?.set(); }\n"
        "async function three(m: Awaited<ReturnType<typeof manage>>) { m.get(); }\n",
        {("one", "manage.get"), ("two", "manage.set"), ("three", "manage.get")},
    ),
    "types of values, and parts of types": (
        SERVICES
        + "const made = { scope: make() };\nfunction make(): Scope { return null as any; }\n"
        "type Core = { scope: Scope; all: Scope[] };\n"
        "function one(it: typeof made) { it.scope.find(); }\n"
        "function two(it: Core['scope']) { it.find(); }\n"
        "function three(it: Core['all'][number]) { it.find(); }\n"
        "class Op { kind = Scope; handle(it: InstanceType<typeof this.kind>) { it.find(); } }\n",
        {("<module>", "make")}
        | {(name, "Scope.find") for name in ("one", "two", "three", "Op.handle")},
    ),
    "what is inside of tuples, dictionaries and containers with a name": (
        SERVICES + "interface Scopes { [name: string]: Scope }\ntype List = Scope[];\n"
        "function one([first]: [Scope, string], rest: [string, ...Scope[]]) {\n"
        "  first.find(); rest[1].find(); }\n"
        "function two(all: { [name: string]: Scope }, key: string) { all[key].find(); }\n"
        "function three(all: Scopes) { Object.values(all).map(it => it.find()); }\n"
        "function four(all: Readonly<Record<'alpha', Scope>>) { all.alpha.find(); }\n"
        "function five(all: List) { for (const it of all) it.find(); }\n"
        "function six(all: Generator<Scope, void, string>) { for (const it of all) it.find(); }\n",
        {("three", "three.<lambda1>"), ("three.<lambda1>", "Scope.find")}
        | {(name, "Scope.find") for name in ("one", "two", "four", "five", "six")},
    ),
    "a namespace names its class in types": (
        "class Widget { show() { new Widget.Child(this).go(); Widget.detach(); } }\n"
        "namespace Widget {\n"
        "  export class Child { owner: Widget; constructor(w: Widget) { this.owner = w; }\n"
        "    go() { this.owner.show(); } }\n  export function detach() {}\n}\n",
        {
            ("Widget.show", "Widget.Child.constructor"),
            ("Widget.show", "Widget.Child.go"),
            ("Widget.show", "Widget.detach"),
            ("Widget.Child.go", "Widget.show"),
        },
    ),
    "who makes a class makes no namespace of its name": (
        "class Panel { }\nnamespace Panel { export const size = 1; }\n"
        "function make() { return new Panel(); }\n",
        set[tuple[str, str]](),
    ),
    "properties whose value nothing tells": (
        SERVICES + "interface Base { inner?: Scope }\n"
        "interface Options extends Base { scope: Scope; name: string }\n"
        "declare function load(): any;\n"
        "function run({ scope, inner }: Options) { scope.find(); inner?.find(); }\n"
        "run({ scope: load(), name: '' });\n",
        {("<module>", "run"), ("run", "Scope.find")},
    ),
    "a value has the name of a type": (
        "type Config = { size: number };\nconst Config = { make() { return build(); } };\n"
        "function build() {}\nfunction run() { Config.make(); }\nrun();\n",
        {("<module>", "run"), ("run", "Config.make"), ("Config.make", "build")},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_types_tell(edges, case: str) -> None:
    code, expected = CASES[case]
    assert edges(code, suffix=".ts") == expected


def test_a_variable_named_exports_is_none_of_a_module_with_imports(edges) -> None:
    found = edges(
        {
            "all.ts": "export * from './first';\nexport * from './second';\n",
            "first.ts": "export function collect() { const exports: any[] = [];\n"
            "  exports.push(1); return exports; }\n",
            "second.ts": "export function help() {}\n",
            "main.ts": "import { help } from './all';\nhelp();\n",
        }
    )
    assert found == {("<module>", "second.ts::help")}


def test_a_decorator_that_wraps_a_method_takes_its_place(edges) -> None:
    found = edges(
        "function logged(target: object, key: string, descriptor: PropertyDescriptor) {\n"
        "  const before = descriptor.value;\n"
        "  descriptor.value = function (...args: any[]) { return before.apply(this, args); };\n}\n"
        "function noted(target: object, key: string) {}\n"
        "class A {\n  @logged go() {}\n  @noted stay() {}\n}\nnew A().go();\nnew A().stay();\n",
        suffix=".ts",
    )
    assert {edge for edge in found if "A." in edge[1] or "value" in edge[1]} == {
        ("<module>", "logged.descriptor.value"), ("logged.descriptor.value", "A.go"),
        ("<module>", "A.stay"),
    }  # fmt: skip


def test_an_accessor_may_override_another_and_have_modifiers(edges) -> None:
    found = edges(
        "class Base { get size() { return 1; } protected static async load() {} }\n"
        "class Box extends Base {\n"
        "  protected override get size() { return super.size; }\n"
        "  public static override async load() { }\n  show() { return this.size; }\n}\n"
        "new Box().show();\nBox.load();\n",
        suffix=".ts",
    )
    assert found == {
        ("<module>", "Box.show"), ("<module>", "Box.load"), ("Box.show", "Box.size"),
        ("Box.size", "Base.size"),
    }  # fmt: skip


def test_a_cast_leaves_objects_of_the_class_alone(edges) -> None:
    code = (
        "class Layout { fit() {} }\nclass Box extends Layout { fit() {} }\n"
        "class Grid extends Layout { fit() {} rows() {} }\n"
        "class Panel { constructor(protected layout: Layout) {} }\n"
        "class BoxPanel extends Panel { constructor() { super(new Box()); }\n"
        "  one() { (this.layout as Box).fit(); (<Box | null>this.layout)!.fit(); } }\n"
        "class GridPanel extends Panel { constructor() { super(new Grid()); }\n"
        "  two() { (this.layout as unknown as Grid).rows(); return this.layout as Grid; }\n"
        "  three() { this.two().fit(); } }\n"
        "function four() { const it = { rows() {} } as Grid; it.rows(); }\n"
    )
    assert {edge for edge in edges(code, suffix=".ts") if "constructor" not in edge[1]} == {
        ("BoxPanel.one", "Box.fit"), ("GridPanel.two", "Grid.rows"), ("four", "four.rows"),
        ("GridPanel.three", "GridPanel.two"), ("GridPanel.three", "Grid.fit"),
    }  # fmt: skip


def test_what_overrides_a_method_is_called_where_nobody_makes_its_class(edges) -> None:
    below = "".join(f"class S{number} extends Base {{ run() {{}} }}\n" for number in range(2))
    code = (
        "class Base { run() {} }\nclass Made { run() {} }\nclass Under extends Made { run() {} }\n"
        f"{below}new Made();\nfunction one(b: Base) {{ b.run(); }}\n"
        "function two(m: Made) { m.run(); }\n"
    )
    assert edges(code, suffix=".ts") == {
        ("one", "Base.run"), ("one", "S0.run"), ("one", "S1.run"), ("two", "Made.run"),
    }  # fmt: skip


def test_abstract_methods_are_those_of_the_classes_that_have_them(edges) -> None:
    found = edges(
        "abstract class Store { abstract load(): void; open() {} }\n"
        "abstract class Cached extends Store { warm() {} abstract load(): void; }\n"
        "class Redis extends Cached { load() { this.warm(); } }\n"
        "interface Read { read(): void }\ninterface Both extends Read { write(): void }\n"
        "class File implements Both { read() {} write() {} }\n"
        "class Use { constructor(private store: Store, private file: Read) {}\n"
        "  go() { this.store.load(); this.store.open(); this.file.read(); } }\n",
        suffix=".ts",
    )
    assert found == {
        ("Use.go", "Redis.load"),
        ("Use.go", "Store.open"),
        ("Use.go", "File.read"),
        ("Redis.load", "Cached.warm"),
    }


def test_comments_stand_anywhere_in_a_list(edges) -> None:
    code = (
        "class Job { go() {} }\n"
        "function run<\n  // what runs\n  T extends Job, // a job\n>(job: T) { job.go(); }\n"
        "async function load() { (await import(/* by name */ './late')).late(); }\n"
    )
    files = {"main.ts": code, "late.ts": "export function late() {}\n"}
    assert edges(files) == {("run", "Job.go"), ("load", "late.ts::late")}


def test_function_types_and_type_arguments_tell_classes(edges) -> None:
    source = (
        "class Thing { go() {} }\ntype Make = () => Thing;\ninterface Made { (): Thing }\n"
        "function a(f: () => Thing) { f().go(); }\nfunction b(f: Make) { f().go(); }\n"
        "function c(f: Made) { f().go(); }\n"
        "class Kept {\n  things = new Map<string, Thing>();\n"
        "  run(key: string) { this.things.get(key)!.go(); }\n}\n"
    )
    callers = ("a", "b", "c", "Kept.run")
    assert edges(source, suffix=".ts") == {(caller, "Thing.go") for caller in callers}


def test_overloads_in_place_share_what_tells_what_they_return(edges) -> None:
    overloads = "{ (key: string): string; <T>(key: T): Thing }"
    source = "class Thing { go() {} }\n"
    source += "".join(f"function f{i}(make: {overloads}) {{ make(1).go(); }}\n" for i in range(3))
    assert edges(source, suffix=".ts") == {(f"f{i}", "Thing.go") for i in range(3)}
    told = extract("main.ts", "typescript", source.encode())
    assert [told.names[row[1]] for row in told.scopes].count("<type>") == 1


APPLIED = {
    "methods and fields of a class tell what it was made for": (
        "class Stack<T> { private held: T[] = []; last!: T;\n"
        "  push(it: T) { this.held.push(it); } pop(): T | undefined { return this.held.pop(); }\n"
        "  async wait(): Promise<T> { return this.held[0]; } all(): T[] { return this.held; } }\n"
        "const items = new Stack<Item>(), others = new Stack<Other>();\n"
        "items.push(new Item()); others.push(new Other());\n"
        "async function one() { items.pop()!.use(); (await items.wait()).use(); }\n"
        "function two(stack: Stack<Other>) { stack.last.use(); return stack.pop()!.use(); }\n"
        "two(others);\n",
        {("one", "Item.use"), ("two", "Other.use")},
    ),
    "bases that are given arguments, over several levels": (
        "abstract class Base<K, V extends Item = Item> {\n"
        "  key!: K; value!: V; get(): V { return load(); } }\n"
        "class Middle<V extends Item> extends Base<Other, V> {}\n"
        "class Leaf extends Middle<Special> { a() { this.get().only(); this.key.use(); } }\n"
        "class Plain extends Base<string> { b() { this.value.use(); } }\n",
        {("Leaf.a", "Special.only"), ("Leaf.a", "Other.use"), ("Plain.b", "Item.use")},
    ),
    "a parameter is no more than what it extends, in the class itself": (
        "class View<T extends Item = Item> { held!: T; }\n"
        "class Own<T extends Special = Special> extends View<T> {\n"
        "  run() { this.held.only(); } }\n",
        {("Own.run", "Special.only")},
    ),
    "interfaces and names of types with parameters, and their defaults": (
        "interface Cache<V, K = string> { get(key: K): V | undefined; first: V }\n"
        "type Source<T = Item> = { current: T; make: () => T };\ntype Maybe<T> = T | null;\n"
        "function one(it: Cache<Other>) { it.get('a')!.use(); }\n"
        "function two(it: Maybe<Source>) { it!.current.use(); }\n"
        "function three(it: Source<Maybe<Other>>) { it.make()!.use(); }\n",
        {("one", "Other.use"), ("two", "Item.use"), ("three", "Other.use")},
    ),
    "functions by type arguments and by what they are given": (
        "declare const all: any;\nfunction read<T>(): T { return all[0]; }\n"
        "function only<T>(list: T[]): T { return all[1]; }\n"
        "class Store { get<T>(): T { return all[2]; } }\n"
        "function one() { read<Item>().use(); }\n"
        "function two(list: Other[]) { only(list).use(); }\n"
        "function three(store: Store) { store.get<Other>().use(); }\n",
        {("one", "Item.use"), ("two", "Other.use"), ("three", "Other.use")},
    ),
    "parts of types by a key that is given, and mapped types": (
        "interface Shown { size: Item; color: Other }\n"
        "class Box<T> { open(): T { return load(); } }\n"
        "class Values<P> { get<S extends keyof P>(name: S): P[S] { return load(); } }\n"
        "type Boxed<T> = { [K in keyof T]: Box<T[K]> };\n"
        "function one(it: Values<Shown>) { it.get('size').use(); }\n"
        "function two(it: Boxed<Shown>) { it.color.open().use(); }\n"
        "function three(it: Readonly<Partial<Shown>>) { it.color!.use(); }\n",
        {("one", "Item.use"), ("two", "Other.use"), ("three", "Other.use")},
    ),
    "implementations of an interface with other arguments are no objects of it": (
        "interface Repo<T> { find(): T }\n"
        "class Items implements Repo<Item> { find() { return new Item(); } }\n"
        "class Others implements Repo<Other> { find() { return new Other(); } }\n"
        "function one(repo: Repo<Item>) { repo.find().use(); }\n",
        {("one", "Items.find"), ("one", "Item.use")},
    ),
    "a class hides what its base has with arguments": (
        "class Base<T> { held!: T; }\n"
        "class Own extends Base<Item> { declare held: Special; run() { this.held.only(); } }\n",
        {("Own.run", "Special.only")},
    ),
}  # fmt: skip
THINGS = (
    "class Item { use() {} }\nclass Other { use() {} }\nclass Special extends Item { only() {} }\n"
    "function load(): any {}\n"
)


@pytest.mark.parametrize("case", APPLIED)
def test_type_arguments_tell(edges, case: str) -> None:
    code, expected = APPLIED[case]
    found = edges(THINGS + code, suffix=".ts")
    things = ("Item.", "Other.", "Special.", "Items.", "Others.")
    assert {edge for edge in found if edge[1].startswith(things)} == expected


def test_an_annotation_holds_where_no_object_of_a_class_comes(edges) -> None:
    code = (
        "class Box { open() {} }\nfunction make(): Box { const it: any = { a: 1 }; return it; }\n"
        "function run() { make().open(); }\n"
    )
    assert edges(code, suffix=".ts") == {("run", "make"), ("run", "Box.open")}


def test_a_type_that_is_named_as_its_value_leaves_the_value_alone(edges) -> None:
    code = (
        "export type Kind = typeof Kind;\nexport const Kind = 'run' as const;\n"
        "const table = { run() {}, stop() {} };\ntable[Kind]();\n"
    )
    assert edges(code, suffix=".ts") == {("<module>", "table.run")}


def test_a_call_with_type_arguments_behind_an_operator_has_its_receiver(edges) -> None:
    code = (
        "class A { own = 1; get<T>(it: T) { return this.own; } }\n"
        "function make<T>() { return new A(); }\n"
        "function one(a: A) { return 1 + a.get<number>(1); }\n"
        "function two(a: A) { return !a.get<number>(1); }\n"
        "async function three(a: A) { return (await a.get<number>(1)) as number; }\n"
        "function four(a: A) { return a.get(2) - make<number>().get(3); }\n"
    )
    assert edges(code, suffix=".ts") == {
        *((name, "A.get") for name in ("one", "two", "three", "four")),
        ("four", "make"),
    }
