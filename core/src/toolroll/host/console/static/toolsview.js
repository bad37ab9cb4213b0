// Every tool of every pack, with a form to try it.

import { fill, h, uid } from "./dom.js";
import { placeholder } from "./notices.js";
import { address } from "./router.js";
import { ToolPane } from "./toolpane.js";

const OTHERS = "other";

export class ToolsView {
  title = "Tools";

  constructor(app) {
    this.app = app;
    this.tools = [...app.session.tools.values()];
    this.panes = new Map();
    this.filter = h("input", {
      type: "search", id: uid("filter"), placeholder: "Filter by name or text", spellcheck: "false",
      on: { input: () => this.#list() },
    });
    this.count = h("p", { class: "hint", role: "status" });
    this.list = h("div", { class: "side-body" });
    this.detail = h("section", { class: "detail", "aria-label": "Selected tool" });
    this.element = h(
      "div",
      { class: "split" },
      h(
        "section",
        { class: "side", "aria-label": "Tools of all packs" },
        h("div", { class: "picker" }, h("label", { for: this.filter.id }, "Tools"), this.filter, this.count),
        this.list,
      ),
      this.detail,
    );
    this.#list();
  }

  async show({ name }) {
    this.name = name;
    this.element.classList.toggle("in-detail", Boolean(name));
    this.#list();
    const tool = this.app.session.tools.get(name);
    if (!tool) {
      const text = name ? `No tool is named ${name}.` : "Choose a tool to try it.";
      fill(this.detail, placeholder(text));
      return;
    }
    if (!this.panes.has(name)) this.panes.set(name, new ToolPane(this.app.session, tool));
    const pane = this.panes.get(name);
    fill(this.detail, pane.element);
    pane.element.querySelector("h2").focus();
  }

  mayLeave() {
    return true;
  }

  #list() {
    const wanted = this.filter.value.trim().toLowerCase();
    const shown = this.tools.filter((tool) =>
      `${tool.name} ${tool.title ?? ""} ${tool.description ?? ""}`.toLowerCase().includes(wanted));
    const packs = Map.groupBy
      ? Map.groupBy(shown, packOf)
      : shown.reduce((all, tool) => all.set(packOf(tool), [...(all.get(packOf(tool)) ?? []), tool]), new Map());
    this.count.textContent = `${shown.length} of ${this.tools.length}`;
    fill(
      this.list,
      [...packs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([pack, tools]) => this.#group(pack, tools)),
      shown.length ? null : placeholder("No tool matches."),
    );
  }

  #group(pack, tools) {
    const id = uid("pack");
    return h(
      "section",
      { "aria-labelledby": id, class: "pack" },
      h("h2", { id }, pack),
      h("ul", { class: "tool-list" }, tools.map((tool) => this.#item(tool))),
    );
  }

  #item(tool) {
    const current = tool.name === this.name ? "true" : null;
    return h(
      "li",
      {},
      h("a", { href: address("tools", { name: tool.name }), "aria-current": current },
        h("span", {}, tool.name),
        tool.annotations?.readOnlyHint ? null : h("span", { class: "badge warn" }, "writes")),
    );
  }
}

function packOf(tool) {
  return tool._meta?.["toolroll/pack"] ?? OTHERS;
}
