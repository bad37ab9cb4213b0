"""Pinia's stores: who uses one calls its actions, which have the store as `this`."""

from __future__ import annotations


def test_actions_and_getters_of_a_store_have_the_store(edges) -> None:
    found = edges(
        "import { defineStore, storeToRefs } from 'pinia';\n"
        "export const useCart = defineStore('cart', {\n"
        "  state: () => ({ items: [], count: make }),\n"
        "  getters: { total(state) { return sum(state.count()); },\n"
        "    twice() { return this.check() },\n    handler: () => sum },\n"
        "  actions: { async load() { this.check(); this.count(); }, check() {} },\n"
        "});\nfunction make() {}\nfunction sum() {}\n"
        "function a() { const cart = useCart(); cart.load(); cart.handler(); }\n",
        suffix=".ts",
    )
    assert found == {
        ("getters.total", "sum"), ("getters.total", "make"), ("getters.twice", "actions.check"),
        ("actions.load", "actions.check"), ("actions.load", "make"), ("a", "actions.load"),
        ("a", "sum"),
    }  # fmt: skip


def test_a_store_that_a_function_makes_is_what_that_returns(edges) -> None:
    found = edges(
        "import { defineStore } from 'pinia';\n"
        "const useUser = defineStore('user', () => {\n"
        "  function rename() {}\n  const reset = () => rename();\n  return { rename, reset };\n"
        "});\nfunction a() { const { reset } = useUser(); reset(); useUser().rename(); }\n",
        suffix=".js",
    )
    inner = "<lambda1>."
    assert found == {
        (inner + "reset", inner + "rename"), ("a", inner + "reset"), ("a", inner + "rename"),
    }  # fmt: skip


def test_actions_of_a_store_are_methods_of_a_component(edges) -> None:
    found = edges(
        {
            "main.vue": "<script>\nimport { mapActions } from 'pinia';\n"
            "import { useCart } from './cart';\nexport default {\n"
            "  methods: { ...mapActions(useCart, ['add']), go() { this.add(); } },\n"
            "};\n</script>\n",
            "cart.js": "import { defineStore } from 'pinia';\nexport const useCart ="
            " defineStore('cart', { actions: { add() {}, drop() {} } });\n",
        }
    )
    assert found == {("default.methods.go", "cart.js::actions.add")}
