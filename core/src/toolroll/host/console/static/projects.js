// Choosing a project: from the host's list where it has one, by name otherwise.

import { ask } from "./dialogs.js";
import { button, field, fill, h, uid } from "./dom.js";
import { count, size } from "./format.js";

const LOOK_AGAIN = 2000; // milliseconds, while changes wait for the index

export class ProjectPicker {
  constructor(store, choose) {
    this.store = store;
    this.choose = choose;
    this.project = "";
    this.extra = new Set();
    this.select = h("select", { id: uid("project"), on: { change: () => choose(this.select.value) } });
    this.totals = h("p", { class: "hint" });
    this.index = h("p", { class: "hint" });
    const add = button("Open or begin a project", { glyph: "plus", quiet: true, on: { click: () => this.#name() } });
    this.element = h(
      "div",
      { class: "picker" },
      h("label", { for: this.select.id }, "Project"),
      h("div", { class: "row" }, this.select, add),
      this.totals,
      this.index,
    );
  }

  /** Show `wanted`, or the first project there is. */
  async show(wanted) {
    if (wanted) this.extra.add(wanted);
    if (this.listed === undefined || (wanted && !this.#names().includes(wanted))) await this.refresh();
    const before = this.project;
    this.project = wanted || this.project || this.#names()[0] || "";
    this.#render();
    if (before && before !== this.project) await this.refresh();
  }

  async refresh() {
    this.listed = (await this.store.projects()) ?? [];
    this.#render();
    this.#showIndex().catch(() => fill(this.index, "")); // a hint: nothing waits for it
  }

  /** Say how far search is behind, and look again until it is not. */
  async #showIndex() {
    clearTimeout(this.again);
    const project = this.project || this.#names()[0];
    const status = project ? await this.store.indexStatus(project) : null;
    if (!status) return fill(this.index, "");
    const said = [];
    if (status.jobs_waiting) {
      const changes = count(status.jobs_waiting, "change waits", "changes wait");
      said.push(`${changes} for the index, ${Math.ceil(status.lag_seconds)} s behind`);
      this.again = setTimeout(() => this.element.isConnected && this.refresh(), LOOK_AGAIN);
    }
    if (status.jobs_failed) said.push(`${count(status.jobs_failed, "index job")} failed`);
    fill(this.index, said.join(" · ") || "search is up to date");
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
