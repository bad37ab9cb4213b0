"""Components of Vue, Svelte and Astro: their scripts are modules, their markup is a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges, Project

SETUP = (
    "<script setup>\nimport Row from './Row.vue';\nimport { format } from './format';\n"
    "const emit = defineEmits(['done']);\nfunction save() { emit('done'); }\n"
    "const ready = () => true;\nfunction rows() { return [new Item()]; }\n"
    "class Item { show() {} }\n</script>\n"
)
ROW = {"Row.vue": "<template><b/></template>\n"}
FORMAT = {"format.js": "export function format() {}\n"}

VUE: dict[str, tuple[dict[str, str], set[tuple[str, str]]]] = {
    "interpolations, conditions and properties call": (
        {
            "main.vue": SETUP
            + "<template>\n <p v-if='ready()' :title='format(1)'>{{ save() }}</p>\n"
            " <!-- {{ nothing() }} -->\n</template>\n",
            **FORMAT,
        },
        {("main", "ready"), ("main", "format.js::format"), ("main", "save")},
    ),
    "a handler that is run calls, one by name is handed over": (
        {"main.vue": SETUP + "<template><a @click='save(1)' @blur='ready'/></template>\n"},
        {("main", "save")},
    ),
    "handlers of several statements are functions of their own": (
        {"main.vue": SETUP + "<template><a v-on:click.prevent='open = 1; save()'/></template>\n"},
        {("main.<lambda1>", "save")},
    ),
    "elements of what is looped over": (
        {
            "main.vue": "<template>\n<ul><li v-for='(item, i) of rows()' :key='i'>"
            "{{ item.show() }}<br></li></ul>\n{{ item.show() }}</template>\n" + SETUP
        },
        {("main", "rows"), ("main", "Item.show")},
    ),
    "a name of the template hides that of the script": (
        {
            "main.vue": SETUP + "<template><i v-for='save in []' @click='save()'/>"
            "<Row v-slot='{ ready }'>{{ ready() }}</Row></template>\n",
            **ROW,
        },
        {("main", "Row.vue::Row")},
    ),
    "components are shown by either spelling, and know themselves": (
        {
            "main.vue": SETUP + "<template><Row/><row/></template>\n",
            "Row.vue": "<template><RowPart/></template>\n<script setup>\n"
            "import RowPart from './RowPart.vue';\n</script>\n",
            "RowPart.vue": "<template><row-part v-if='x'/></template>\n",
        },
        {
            ("main", "Row.vue::Row"),
            ("Row.vue::Row", "RowPart.vue::RowPart"),
            ("RowPart.vue::RowPart", "RowPart.vue::RowPart"),
        },
    ),
    "what a component emits calls the handler": (
        {
            "main.vue": SETUP + "<template><Row @row-done='save' :find='ready' /></template>\n",
            "Row.vue": "<script setup lang='ts'>\n"
            "const props = defineProps<{ find: () => void }>();\n"
            "const emit = defineEmits<{ rowDone: [] }>();\n"
            "function go() { emit('rowDone', 1); props.find(); }\n</script>\n"
            "<template><b @click=\"$emit('row-done')\" /></template>\n",
        },
        {
            ("main", "Row.vue::Row"),
            ("Row.vue::go", "save"),
            ("Row.vue::go", "ready"),
            ("Row.vue::Row", "save"),
        },
    ),
    "two scripts are one module, which others import": (
        {
            "main.js": "import Box, { size } from './Box.vue';\nexport const a = () => size();\n",
            "Box.vue": "<script lang='ts'>\nexport function size(): number { return measure(); }\n"
            "</script>\n<script setup lang='ts'>\nconst measure = <T>(it?: T) => 1;\nsize();\n"
            "</script>\n",
        },
        {
            ("a", "Box.vue::size"),
            ("Box.vue::size", "Box.vue::measure"),
            ("Box.vue::<module>", "Box.vue::size"),
        },
    ),
    "options have one receiver": (
        {
            "main.vue": "<script>\nimport { format } from './format';\nexport default {\n"
            "  data() { return { box: new Box() }; },\n"
            "  computed: { total() { return this.count(); } },\n"
            "  watch: { total() { this.load(); } },\n  mounted() { this.load(); },\n"
            "  methods: { load() { this.box.open(this.total); },"
            " count() { format(); }, save() {} },\n"
            "};\nclass Box { open() {} }\nfunction save() {}\n</script>\n"
            "<template><p @click='save()'>{{ total }} {{ box.open() }}</p></template>\n",
            **FORMAT,
        },
        {
            ("default.computed.total", "default.methods.count"),
            ("default.watch.total", "default.methods.load"),
            ("default.mounted", "default.methods.load"),
            ("default.methods.load", "Box.open"),
            ("default.methods.load", "default.computed.total"),
            ("default.methods.count", "format.js::format"),
            ("main", "default.methods.save"),
            ("main", "default.computed.total"),
            ("main", "Box.open"),
        },
    ),
    "whoever shows a component with options runs its hooks": (
        {
            "main.vue": SETUP + "<template><Row @saved='save'/></template>\n",
            "Row.vue": "<script lang='ts'>\nimport { defineComponent, ref } from 'vue';\n"
            "import part from './part';\nexport default defineComponent({\n  mixins: [part],\n"
            "  setup() { const box = ref({ open }); return { box, load }; },\n"
            "  created() { this.load(); this.box.open(); this.mixed(); this.$emit('saved'); },\n"
            "});\nfunction load() {}\nfunction open() {}\n</script>\n"
            "<template><b @click='mixed(load())'/></template>\n",
            "part.js": "export default { methods: { mixed() { this.own(); }, own() {} } };\n",
        },
        {
            ("main", "Row.vue::Row"),
            ("main", "Row.vue::setup"),
            ("main", "Row.vue::created"),
            ("Row.vue::created", "Row.vue::load"),
            ("Row.vue::created", "Row.vue::open"),
            ("Row.vue::created", "part.js::default.methods.mixed"),
            ("Row.vue::created", "save"),
            ("Row.vue::Row", "Row.vue::load"),
            ("Row.vue::Row", "part.js::default.methods.mixed"),
            ("part.js::default.methods.mixed", "part.js::default.methods.own"),
        },
    ),
    "a component that is loaded when it is shown": (
        {
            "main.vue": "<script setup>\nimport { defineAsyncComponent } from 'vue';\n"
            "const One = defineAsyncComponent(() => import('./Row.vue'));\n"
            "const Two = defineAsyncComponent({ loader: () => import('./Box.vue') });\n"
            "</script>\n<template><One/><Two/></template>\n",
            "Row.vue": "<template><b/></template>\n",
            "Box.vue": "<template><b/></template>\n",
        },
        {("main", "Row.vue::Row"), ("main", "Box.vue::Box")},
    ),
    "what is provided under a key is injected": (
        {
            "main.vue": "<script setup>\nimport { provide } from 'vue';\n"
            "import { KEY } from './key';\nfunction save() {}\nfunction load() {}\n"
            "provide(KEY, { save });\nprovide('load', load);\n</script>\n",
            "key.js": "export const KEY = Symbol('save');\n",
            "Row.vue": "<script setup>\nimport { inject } from 'vue';\n"
            "import { KEY } from './key';\nconst { save } = inject(KEY);\n"
            "const load = inject('load', other), none = inject('none', other);\n"
            "function other() {}\n</script>\n"
            "<template><b @click='save()' @blur='none()' /></template>\n",
        },
        {("Row.vue::Row", "save"), ("Row.vue::Row", "Row.vue::other")},
    ),
    "a script in another file, and a component by its variable": (
        {
            "main.vue": "<template><component :is='Row' @x='go()'/></template>\n"
            "<script src='./main-script.ts' />\n",
            "main-script.ts": "import Row from './Row.vue';\n"
            "export default { components: { Row }, methods: { go() {} } };\n",
            "Row.vue": "<script setup>\nimport Box from './Box.vue';\n</script>\n"
            "<template><component :is='Box'/></template>\n",
            "Box.vue": "<template><b/></template>\n",
        },
        {("main", "main-script.ts::default.methods.go"), ("Row.vue::Row", "Box.vue::Box")},
    ),
    "a component that is a class": (
        {
            "main.vue": "<script setup>\nimport Row from './Row.vue';\n</script>\n"
            "<template><Row/></template>\n",
            "Row.vue": "<script lang='ts'>\nimport { Vue } from 'vue-class-component';\n"
            "export default class Row extends Vue { save() {} }\n</script>\n"
            "<template><b @click='save()'/></template>\n",
        },
        {("main", "Row.vue::Row"), ("Row.vue::Row", "Row.vue::Row.save")},
    ),
    "a component that a function is given": (
        {
            "main.js": "import { createApp, h } from 'vue';\n"
            "import { mount } from '@vue/test-utils';\nimport Row from './Row.vue';\n"
            "import Box from './Box.vue';\ncreateApp(Row).mount('#app');\n"
            "const show = () => h(Row, { find });\nfunction find() {}\nfunction look() {}\n"
            "const test = () => mount(Box, { props: { look } });\n",
            "Row.vue": "<script setup>\nconst props = defineProps(['find']);\n</script>\n"
            "<template><b @x='props.find()'/></template>\n",
            "Box.vue": "<script>\nimport Vue from 'vue';\n"
            "export default Vue.extend({ created() { this.go(); }, methods: { go() {} } });\n"
            "</script>\n<template><b/></template>\n",
        },
        {
            ("<module>", "Row.vue::Row"),
            ("show", "Row.vue::Row"),
            ("Row.vue::Row", "find"),
            ("test", "Box.vue::Box"),
            ("test", "Box.vue::created"),
            ("Box.vue::created", "Box.vue::methods.go"),
        },
    ),
    "a reference is what is in it": (
        {
            "main.vue": "<script setup>\nimport { ref } from 'vue';\nclass Box { open() {} }\n"
            "const box = ref(new Box());\n</script>\n<template>{{ box.open() }}</template>\n"
        },
        {("main", "Box.open")},
    ),
}

SVELTE: dict[str, tuple[dict[str, str], set[tuple[str, str]]]] = {
    "expressions, blocks and directives call": (
        {
            "main.svelte": "<script module>\nexport function size() {}\n</script>\n"
            "<script lang='ts'>\nimport { format } from './format';\n"
            "let rows: Row[] = [new Row()];\nclass Row { show() {} }\nfunction ok() {}\n"
            "function find() { return new Row(); }\nfunction drag() {}\n</script>\n"
            "{#if ok()}<b>{format(1)} it's {'}'}</b>"
            "{:else if size()}<i/>{/if}\n"
            "{#each rows as row, i (row)}<p class='a {row.show()}'>"
            "{row.show()}</p>{:else}-{/each}\n"
            "{#await find() then found}{found.show()}{/await}\n<p use:drag={{ go: ok() }}/>\n"
            "<style>p { color: nothing() }</style>\n",
            **FORMAT,
        },
        {
            ("main", "ok"),
            ("main", "size"),
            ("main", "find"),
            ("main", "Row.show"),
            ("main", "format.js::format"),
        },
    ),
    "snippets are functions": (
        {
            "main.svelte": "<script>\nfunction show() {}\n</script>\n"
            "{#snippet line(item)}<b>{show(item)}</b>{/snippet}\n{@render line(1)}\n"
        },
        {("main.line", "show"), ("main", "main.line")},
    ),
    "a snippet in a component is a property of it": (
        {
            "main.svelte": "<script>\nimport Row from './Row.svelte';\nfunction show() {}\n"
            "</script>\n<Row>{#snippet line(item)}{show(item)}{/snippet}</Row>\n",
            "Row.svelte": "<script>\nlet { line } = $props();\n</script>\n{@render line(1)}\n",
        },
        {("main", "Row.svelte::Row"), ("main.line", "show"), ("Row.svelte::Row", "main.line")},
    ),
    "contexts, and components that are awaited": (
        {
            "main.svelte": "<script>\nimport { setContext } from 'svelte';\n"
            "function save() {}\nsetContext('save', { save });\n</script>\n"
            "{#await import('./Row.svelte') then { default: Row }}<Row/>{/await}\n",
            "Row.svelte": "<script>\nimport { getContext } from 'svelte';\n"
            "const { save } = getContext('save');\n</script>\n<b onclick={() => save()}>x</b>\n",
        },
        {("main", "Row.svelte::Row"), ("Row.svelte::Row.<lambda1>", "save")},
    ),
    "components with properties, and what they dispatch": (
        {
            "main.svelte": "<script>\nimport Row from './Row.svelte';\n"
            "import Old from './Old.svelte';\n"
            "function save() {}\nfunction load() {}\n</script>\n"
            "<Row onsave={save} />\n<Old on:saved={() => save(1)} {load}>x</Old>\n",
            "Row.svelte": "<script>\nlet { onsave } = $props();\nfunction go() { onsave(); }\n"
            "</script>\n"
            "<button onclick={() => go()}>x</button>\n",
            "Old.svelte": "<script>\nimport { createEventDispatcher } from 'svelte';\n"
            "export let load;\nconst dispatch = createEventDispatcher();\n"
            "function go() { dispatch('saved'); load(); }\n</script>\n<a on:click={go}>x</a>\n",
        },
        {
            ("main", "Row.svelte::Row"),
            ("main", "Old.svelte::Old"),
            ("Row.svelte::go", "save"),
            ("Row.svelte::Row.<lambda1>", "Row.svelte::go"),
            ("main.<lambda1>", "save"),
            ("Old.svelte::go", "load"),
            ("Old.svelte::go", "main.<lambda1>"),
        },
    ),
    "a component by its variable": (
        {
            "main.svelte": "<script>\nimport Row from './Row.svelte';\n</script>\n"
            "<svelte:component this={Row} on:x={() => 1} />\n",
            "Row.svelte": "<slot/>\n",
        },
        {("main", "Row.svelte::Row")},
    ),
    "a slot's names are its own": (
        {
            "main.svelte": "<script>\nimport Row from './Row.svelte';\nfunction item() {}\n"
            "</script>\n"
            "<Row let:item>{item()}</Row>\n",
            "Row.svelte": "<slot/>\n",
        },
        {("main", "Row.svelte::Row")},
    ),
}

ASTRO: dict[str, tuple[dict[str, str], set[tuple[str, str]]]] = {
    "the fence, the markup and its scripts": (
        {
            "main.astro": "---\nimport Row from './Row.astro';\n"
            "import { format } from './format';\n"
            "interface Props { title: string }\nconst rows: string[] = list();\n"
            "function list(): string[] { return []; }\nif (!rows) return list();\n"
            "function one() {}\n---\n"
            "<!doctype html>\n<html><body class:list={[one()]}>\n"
            "{rows.map((row) => <li>Don't <br> {format(row)}<Row {...row} /></li>)}\n"
            "{list().length > 0 && (<Row title={`a ${one()}`} />)}\n</body></html>\n"
            "<script>\nfunction click() { go(); }\nfunction go() {}\n</script>\n"
            "<style>a { b: c }</style>\n",
            "Row.astro": "<b>{Astro.props.title}</b>\n",
            **FORMAT,
        },
        {
            ("<module>", "list"),
            ("main", "one"),
            ("main", "list"),
            ("main.<lambda1>", "Row.astro::Row"),
            ("main", "main.<lambda1>"),
            ("main.<lambda1>", "format.js::format"),
            ("main", "Row.astro::Row"),
            ("click", "go"),
        },
    ),
    "a component without a fence": ({"main.astro": "<p>{1 + 1}</p>\n"}, set()),
}


@pytest.mark.parametrize("case", VUE)
def test_vue(case: str, edges: Edges) -> None:
    files, expected = VUE[case]
    assert edges(files) == expected


@pytest.mark.parametrize("case", SVELTE)
def test_svelte(case: str, edges: Edges) -> None:
    files, expected = SVELTE[case]
    assert edges(files) == expected


@pytest.mark.parametrize("case", ASTRO)
def test_astro(case: str, edges: Edges) -> None:
    files, expected = ASTRO[case]
    assert edges(files) == expected


BROKEN = {
    "an unclosed script": "<template><p>{{ f() }}</p></template><script>\nfunction f() {}\nf();\n",
    "an unclosed comment": "<script>\nfunction f() {}\nf();\n</script>\n<!-- <template>{{ g(",
    "a script in a comment": "<!-- <script>no(</script> -->\n<script>\nfunction f() {}\nf();\n"
    "</script>\n",
    "an unclosed tag": "<script>\nfunction f() {}\nf();\n</script>\n<template><p @click='",
    "an unclosed brace": "<script>\nfunction f() {}\nf();\n</script>\n<template>{{ f( </template>",
    "one wrong expression": "<script setup>\nfunction f() {}\nf();\n</script>\n"
    "<template><i :a='b c('/>{{ f() }}<i v-for='x y'/></template>",
    "templates in templates": "<script setup>\nfunction f() {}\n</script>\n<template><template #a>"
    "<template/></template><b @click='f()'/></template>",
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("suffix", ["vue", "svelte", "astro"])
def test_what_is_broken_leaves_the_rest(case: str, suffix: str, edges: Edges) -> None:
    found = edges({f"main.{suffix}": BROKEN[case]})
    assert {callee for _, callee in found} <= {"f"}
    if suffix == "vue":
        assert found


def test_components_count_as_the_language_of_their_scripts(project: Project) -> None:
    project.write("App.vue", "<template>{{ go() }}</template>\n<script setup lang='ts'>\n"
                             "import { go } from './go';\n</script>\n")  # fmt: skip
    project.write(
        "Old.vue", "<!-- <script lang='ts'> -->\n<script>\nexport default {}\n</script>\n"
    )
    project.write("Box.svelte", "<p>x</p>\n")
    project.write("Page.astro", "---\nconst a = 1\n---\n")
    project.write("App.spec.vue", "<script>\nconst a = 1\n</script>\n")
    project.write("go.ts", "export function go() {}\n")
    stats = project.index("javascript", include_tests=False)
    assert (stats["files_indexed"], stats["files_not_read"], stats["tests_left_out"]) == (
        2, {"typescript": 3}, 1,
    )  # fmt: skip
    stats = project.index("javascript", "typescript")
    assert (stats["files_indexed"], stats["files_not_read"]) == (6, {})
    assert project.callers("go") == ["App.vue::App"]


def test_an_edited_component_is_told_anew(project: Project) -> None:
    script = "<script setup>\nimport { go } from './go';\n</script>\n"
    project.write("go.ts", "export function go() {}\n")
    project.write("App.vue", script + "<template>{{ go() }}</template>\n")
    assert project.index("typescript")["files_not_read"] == {"javascript": 1}
    assert project.callers("go") == []
    project.write("App.vue", (script + "<template>{{ go() }}</template>\n").replace(
        "setup", "setup lang='ts'"))  # fmt: skip
    assert project.index("typescript")["files_not_read"] == {}
    assert project.callers("go") == ["App.vue::App"]
    project.write("App.vue", script.replace("setup", "lang='ts' setup"))
    project.index("typescript")
    assert project.callers("go") == []


def test_handlers_are_handed_over_as_those_of_elements_are(project: Project) -> None:
    project.write("App.vue", "<script setup>\nimport Row from './Row.vue';\nfunction save() {}\n"
                             "</script>\n<template>\n  <b\n    @click='save' />\n"
                             "  <Row @gone='save' />\n  <el-box @x='save' />\n</template>\n"
                             "")  # fmt: skip
    project.write("Row.vue", "<template><b/></template>\n")
    project.index("javascript")
    context = project.call("get_function_context", function_name="save")["context"]
    assert context["callers"] == []
    assert [(item["name"], item["lines"]) for item in context["references"]] == [("App", [7, 8, 9])]


def test_a_call_is_told_in_its_line(project: Project) -> None:
    project.write("a.svelte", "<script>\nfunction f() {}\n</script>\n\n<p\n  class={f()}\n>\n"
                              "{\n  f()\n}</p>\n")  # fmt: skip
    project.index("javascript")
    context = project.call("get_function_context", function_name="f")["context"]
    assert [(item["line"], item["call_lines"]) for item in context["callers"]] == [(5, [6, 9])]


def test_a_loop_changes_no_line_of_its_element(project: Project) -> None:
    project.write("App.vue", "<script setup>\nimport Row from './Row.vue';\nfunction f() {}\n"
                             "</script>\n<template>\n  <Row\n    v-for='a in rows'\n"
                             "    :b='f(a)'/>\n</template>\n")  # fmt: skip
    project.write("Row.vue", "<template><b/></template>\n")
    project.index("javascript")
    for name, line in (("f", 8), ("Row", 6)):
        context = project.call("get_function_context", function_name=name)["context"]
        assert [item["call_lines"] for item in context["callers"]] == [[line]]


def test_aliases_that_frameworks_have_without_saying(project: Project) -> None:
    project.write("a/package.json", '{"devDependencies": {"@sveltejs/kit": "2"}}')
    project.write("a/src/lib/go.ts", "export function go() {}\n")
    project.write("a/src/routes/+page.svelte", "<script>\nimport { go } from '$lib/go';\n"
                                               "</script>\n{go()}\n")  # fmt: skip
    project.write("b/package.json", '{"dependencies": {"nuxt": "4"}}')
    project.write("b/app/go.ts", "export function run() {}\n")
    project.write("b/app/pages/index.vue", "<script setup>\nimport { run } from '~/go';\n"
                                           "run();\n</script>\n")  # fmt: skip
    project.index("javascript", "typescript")
    assert project.callers("go") == ["a/src/routes/+page.svelte::+page"]
    assert project.callers("run") == ["b/app/pages/index.vue::<module>"]


NUXT = {
    "package.json": '{"devDependencies": {"nuxt": "4"}}',
    "app/composables/useCart.ts": "export function useCart() { const n = ref({ add });"
    " return { n, empty: () => inner() }; }\nfunction add() {}\nfunction inner() {}\n",
    "app/composables/deep/part.ts": "export function usePart() {}\n",
    "app/composables/wide/index.ts": "export const useWide = () => 1;\n",
    "app/composables/use-own.ts": "export default function () {}\n",
    "app/utils/format.ts": "export const format = () => parse();\nexport const parse = () => 1;\n",
    "app/components/base/Button.vue": "<template><b/></template>\n",
    "app/components/base/BaseBox.vue": "<template><base-button/></template>\n",
    "app/app.vue": "<script setup lang='ts'>\nconst { n, empty } = useCart();\nempty();\n"
    "n.value.add(); usePart(); useWide(); useOwn(); format(1);\n</script>\n"
    "<template><LazyBaseButton/><BaseBox/><BaseBaseBox/></template>\n",
    "other/package.json": '{"name": "other"}',
}


def test_nuxt_imports_by_itself(project: Project) -> None:
    for path, text in NUXT.items():
        project.write(path, text)
    project.index("javascript", "typescript")
    for name, callers in {
        "useCart": ["app/app.vue::<module>"], "useWide": ["app/app.vue::<module>"],
        "usePart": [], "format": ["app/app.vue::<module>"], "add": ["app/app.vue::<module>"],
        "app/composables/use-own.ts::default": ["app/app.vue::<module>"],
        "parse": ["app/utils/format.ts::format"], "BaseBox": ["app/app.vue::app"],
        "Button": ["app/app.vue::app", "app/components/base/BaseBox.vue::BaseBox"],
    }.items():  # fmt: skip
        assert project.callers(name) == callers, name
    project.write("package.json", "{}")
    project.index("javascript", "typescript")
    assert project.callers("useCart") == []
