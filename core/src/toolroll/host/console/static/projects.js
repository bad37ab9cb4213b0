// Choosing a project: from the host's list where it has one, by name otherwise.

import { ask } from "./dialogs.js";
import { button, field, fill, h, uid } from "./dom.js";
import { count, size } from "./format.js";

export class ProjectPicker {
  constructor(store, choose) {
    this.store = store;
    this.choose = choose;
    this.project = "";
    this.extra = new Set();
    this.select = h("select", { id: uid("project"), on: { change: () => choose(this.select.value) } });
    this.totals = h("p", { class: "hint" });
    const add = button("Open or begin a project", { glyph: "plus", quiet: true, on: { click: () => this.#name() } });
    this.element = h(
      "div",
      { class: "picker" },
      h("label", { for: this.select.id }, "Project"),
      h("div", { class: "row" }, this.select, add),
      this.totals,
    );
  }

  /** Show `wanted`, or the first project there is. */
  async show(wanted) {
    if (wanted) this.extra.add(wanted);
    if (this.listed === undefined || (wanted && !this.#names().includes(wanted))) await this.refresh();
    this.project = wanted || this.project || this.#names()[0] || "";
    this.#render();
  }

  async refresh() {
    this.listed = (await this.store.projects()) ?? [];
    this.#render();
  }

  #names() {
    return [...new Set([...(this.listed ?? []).map((item) => item.project), ...this.extra])].sort();
  }

  #render() {
    const names = this.#names();
    const options = names.map((name) => h("option", { value: name, selected: name === this.project }, name));
    fill(this.select, names.length ? options : h("option", { value: "" }, "none yet"));
    this.select.disabled = !names.length;
    const found = this.listed.find((item) => item.project === this.project);
    fill(this.totals, found ? `${count(found.file_count, "file")} · ${size(found.total_bytes)}` : "");
  }

  async #name() {
    const input = h("input", {
      type: "text", required: true, maxlength: "128", pattern: "[A-Za-z0-9_.\\-]+", spellcheck: "false", autocomplete: "off",
    });
    const content = field("Project", input, { hint: "Letters, digits, _ - and . — up to 128." });
    const name = await ask("Open or begin a project", content, { confirm: "Open", act: async () => input.value.trim() });
    if (name) this.choose(name);
  }
}
