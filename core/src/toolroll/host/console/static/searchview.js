// Search by meaning and words, or by regular expression; a hit opens its file at its bytes.

import { byteLength } from "./bytes.js";
import { fragment, wordMarks } from "./codeview.js";
import { button, checkbox, field, fill, h, uid } from "./dom.js";
import { count } from "./format.js";
import { language } from "./highlight.js";
import { during, fillLater, placeholder } from "./notices.js";
import { ProjectPicker } from "./projects.js";
import { address } from "./router.js";

export class SearchView {
  title = "Search";

  constructor(app) {
    this.app = app;
    this.store = app.store;
    this.picker = new ProjectPicker(this.store, (project) => {
      this.picker.project = app.project = project;
      this.picker.show(project);
    });
    this.query = h("input", { type: "search", required: true, autocomplete: "off", spellcheck: "false" });
    this.prefix = h("input", { type: "text", spellcheck: "false", placeholder: "/" });
    this.limit = h("input", { type: "number", min: "1", max: "20", value: "10" });
    this.caseless = checkbox("Ignore case");
    this.results = h("div", { class: "results" });
    this.summary = h("p", { class: "hint", role: "status" });
    this.element = h("div", { class: "page" }, this.#form(), this.summary, this.results);
  }

  async show({ project, query, mode }) {
    await this.picker.show(project ?? this.app.project);
    if (mode && this.modes[mode]) this.modes[mode].checked = true;
    this.#adapt();
    if (query) {
      this.query.value = query;
      await this.#run();
    } else if (!this.results.hasChildNodes()) {
      fill(this.results, placeholder("Results appear here.", "A hit opens its file at the place found."));
    }
    this.query.focus();
  }

  mayLeave() {
    return true;
  }

  #form() {
    const name = uid("mode");
    this.modes = {};
    const mode = (value, text, tool) => {
      if (!this.store.can(tool)) return null;
      const id = uid("mode");
      const radio = h("input", { type: "radio", name, id, value, on: { change: () => this.#adapt() } });
      if (!Object.keys(this.modes).length) radio.checked = true;
      this.modes[value] = radio;
      return h("div", { class: "check" }, radio, h("label", { for: id }, text));
    };
    const submit = (event) => {
      event.preventDefault();
      this.app.router.note("search", { project: this.picker.project, query: this.query.value, mode: this.mode });
      during(go, () => this.#run());
    };
    const go = button("Search", { glyph: "search", kind: "primary", type: "submit" });
    this.limitField = field("Most hits", this.limit);
    this.label = h("span", {}, "Query");
    const modes = h(
      "fieldset",
      { class: "row" },
      h("legend", {}, "Find by"),
      mode("search", "meaning and words", "file_search"),
      mode("grep", "regular expression", "file_grep"),
    );
    return h(
      "form",
      { class: "card search-form", role: "search", on: { submit } },
      h("div", { class: "wide row grow" }, field(this.label, this.query), go),
      this.picker.element,
      field("Below path", this.prefix, { optional: true }),
      this.limitField,
      modes,
      this.caseless.element,
    );
  }

  get mode() {
    return Object.values(this.modes).find((radio) => radio.checked)?.value ?? "search";
  }

  #adapt() {
    const grep = this.mode === "grep";
    this.label.textContent = grep ? "Pattern" : "Query";
    this.limitField.hidden = grep;
    this.caseless.element.hidden = !grep;
  }

  async #run() {
    fill(this.summary);
    const list = h("ol", { class: "hits" });
    await fillLater(this.results, () => (this.mode === "grep" ? this.#grep(list) : this.#search(list)), "Searching…");
  }

  async #search(list) {
    const query = this.query.value;
    const limit = Math.min(Math.max(Number(this.limit.value) || 10, 1), 20);
    const chunks = await this.store.search(this.picker.project, query, this.prefix.value, limit);
    if (!chunks.length) return this.#none();
    fill(this.summary, count(chunks.length, "hit"));
    for (const chunk of chunks) {
      const score = h("span", { class: "badge" }, `score ${chunk.score.toFixed(3)}`);
      list.append(this.#hit(chunk, score, chunk.chunk_content, wordMarks(chunk.chunk_content, query)));
    }
    return list;
  }

  async #grep(list) {
    const rest = h("div");
    const load = async (cursor) => {
      const prefix = this.prefix.value.replace(/\/+$/, "");
      const page = await this.store.grep(this.picker.project, this.query.value, prefix, this.caseless.box.checked, cursor);
      for (const match of page.matches) {
        list.append(this.#hit(match, h("span", { class: "badge" }, `line ${match.line}`), match.line_content, this.#lineMarks(match)));
      }
      fill(this.summary, `${count(list.children.length, "match", "matches")}${page.next_cursor ? " so far" : ""}`);
      const more = button("Show more", { on: { click: () => during(more, () => load(page.next_cursor)) } });
      fill(rest, page.next_cursor ? more : null);
    };
    await load();
    return list.children.length || rest.hasChildNodes() ? [list, rest] : this.#none();
  }

  /** A match says where it lies in the file, its line only what it holds: find it there by the pattern. */
  #lineMarks({ line_content: line, file_seek_start_bytes: start, file_seek_end_bytes: end }) {
    try {
      const flags = this.caseless.box.checked ? "giu" : "gu";
      for (const found of line.matchAll(new RegExp(this.query.value, flags))) {
        if (byteLength(found[0]) === end - start) return [[found.index, found.index + found[0].length]];
      }
    } catch {
      // RE2 knows patterns that a browser doesn't: the line is shown without a mark
      return [];
    }
    return [];
  }

  #none() {
    fill(this.summary, "Nothing found");
    return placeholder("Nothing found.", "Files written a moment ago appear once they are indexed; try other words or a shorter path.");
  }

  #hit(found, badge, text, marks) {
    const { file_path: path, file_seek_start_bytes: start, file_seek_end_bytes: end } = found;
    const href = address("files", { project: this.picker.project, path, start: String(start), end: String(end) });
    return h(
      "li",
      { class: "card hit" },
      h("div", { class: "row" },
        h("h2", {}, h("a", { href }, path)), badge,
        h("span", { class: "hint" }, `bytes ${start}–${end}`)),
      h("pre", { tabindex: "0", role: "region", "aria-label": `Text found in ${path} at byte ${start}` },
        h("code", {}, fragment(text, language(path).grammar, marks))),
    );
  }
}
