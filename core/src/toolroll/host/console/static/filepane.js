// One file or directory: what it is, its content, and what can be done with it.

import { byteLength, indexOfByte } from "./bytes.js";
import { codeView } from "./codeview.js";
import { sure } from "./dialogs.js";
import { button, fill, h, icon, uid } from "./dom.js";
import { ago, count, isTime, size, time } from "./format.js";
import { language } from "./highlight.js";
import { during, say } from "./notices.js";
import { address } from "./router.js";

/** Texts above this are cut in the view until asked for: a browser lays out every line. */
const SHOWN_AT_FIRST = 200_000;

export class FilePane {
  /** `actions` are those of the view around it: create, upload, move, remove, saved. */
  constructor(store, project, path, stat, actions) {
    Object.assign(this, { store, project, path, stat, actions });
    this.name = path.slice(path.lastIndexOf("/") + 1) || project;
    this.headingId = uid("pane");
    this.body = h("div", { class: "pane-body" });
    this.tools = h("div", { class: "row tools" });
    this.facts = h("p", { class: "facts" });
    this.element = h(
      "article",
      { class: "pane", "aria-labelledby": this.headingId },
      h("header", { class: "pane-head" }, this.#crumbs(), this.#title(), this.tools),
      this.body,
    );
  }

  get isDirty() {
    return this.editor !== undefined && this.editor.value !== this.shown;
  }

  async show(range) {
    if (this.stat.type === "DIRECTORY" || this.path === "") return this.#directory();
    this.text = await this.store.read(this.project, this.path, this.stat.size);
    this.#view(range);
  }

  #crumbs() {
    const steps = this.path.split("/").slice(1, -1);
    const link = (text, path) =>
      h("li", {}, h("a", { href: address("files", { project: this.project, path }) }, text));
    return h(
      "nav",
      { "aria-label": "Location", class: "crumbs" },
      h(
        "ol",
        {},
        h("li", { class: "up" },
          h("a", { href: address("files", { project: this.project }), "aria-label": "All files" }, icon("back"))),
        this.path ? link(this.project, "/") : null,
        steps.map((step, at) => link(step, `/${steps.slice(0, at + 1).join("/")}`)),
      ),
    );
  }

  #title() {
    const isDirectory = this.stat.type === "DIRECTORY";
    return h(
      "div",
      { class: "pane-title" },
      icon(isDirectory ? "folder" : "file"),
      h("div", {}, h("h2", { id: this.headingId, tabindex: "-1" }, this.name), this.facts),
    );
  }

  #describe() {
    const parts = this.stat.type === "DIRECTORY" ? ["Directory"] : [size(this.stat.size)];
    if (this.text !== undefined) {
      parts.push(count(this.text.split("\n").length, "line"), language(this.path).label);
    }
    const changed = isTime(this.stat.updated_at)
      ? h("time", { datetime: this.stat.updated_at, title: time(this.stat.updated_at) }, `changed ${ago(this.stat.updated_at)}`)
      : null;
    fill(this.facts, parts.join(" · "), changed ? [" · ", changed] : null);
  }

  #common(recursive) {
    return this.path
      ? [
          this.store.can("file_rename")
            ? button("Move or rename", { glyph: "move", quiet: true, on: { click: () => this.actions.move(this.path) } })
            : null,
          this.store.can("file_delete")
            ? button("Delete", { glyph: "trash", quiet: true, on: { click: () => this.actions.remove(this.path, recursive) } })
            : null,
        ]
      : [];
  }

  #directory() {
    this.#describe();
    const canWrite = this.store.can("file_write");
    fill(
      this.tools,
      canWrite ? button("New file", { glyph: "plus", on: { click: () => this.actions.create(this.path) } }) : null,
      canWrite ? button("Upload", { glyph: "upload", on: { click: () => this.actions.upload(this.path) } }) : null,
      this.#common(true),
    );
    const list = h("ul", { class: "listing" });
    const load = async (cursor) => {
      const page = await this.store.children(this.project, this.path, cursor);
      for (const entry of page.entries) list.append(this.#entry(entry));
      if (page.cursor) {
        const more = button("Show more", { on: { click: () => during(more, () => load(page.cursor).then(() => more.remove())) } });
        this.body.append(more);
      }
      if (page.truncated) this.body.append(h("p", { class: "hint" }, "There are more entries than the host lists at once."));
    };
    fill(this.body, list);
    if (canWrite) this.body.append(h("p", { class: "hint drop-hint" }, "Drop text files here to upload them."));
    return load();
  }

  #entry(entry) {
    const isDirectory = entry.type === "DIRECTORY";
    return h(
      "li",
      {},
      h("a", { href: address("files", { project: this.project, path: entry.path }) },
        icon(isDirectory ? "folder" : "file"), h("span", {}, entry.name)),
      h("span", { class: "hint" }, isDirectory ? "" : size(entry.size)),
      h("span", { class: "hint when" }, isTime(entry.updated_at) ? ago(entry.updated_at) : ""),
    );
  }

  #view(range) {
    this.editor = undefined;
    this.#describe();
    fill(
      this.tools,
      this.store.can("file_write")
        ? button("Edit", { glyph: "edit", kind: "primary", on: { click: () => this.#edit() } })
        : null,
      button("Download", { glyph: "download", on: { click: () => this.#download() } }),
      this.#common(false),
    );
    if (this.text === "") {
      fill(this.body, h("div", { class: "placeholder" }, h("p", {}, "This file is empty.")));
      return;
    }
    const marks = range ? [[indexOfByte(this.text, range.start), indexOfByte(this.text, range.end)]] : [];
    const cut = this.text.length > SHOWN_AT_FIRST && !(marks[0]?.[1] > SHOWN_AT_FIRST);
    this.#content(cut ? this.text.slice(0, SHOWN_AT_FIRST) : this.text, marks, cut);
  }

  #content(text, marks, cut) {
    const view = codeView(text, { name: this.path, label: `Content of ${this.name}`, marks });
    const all = cut
      ? button(`Show all ${size(this.stat.size)}`, { on: { click: () => this.#content(this.text, marks, false) } })
      : null;
    fill(this.body, view, all);
  }

  /** Scroll to what is marked; call it once the pane is in the page. */
  reveal() {
    const mark = this.body.querySelector("mark");
    if (!mark) return;
    const view = mark.closest(".code");
    const [found, frame] = [mark.getBoundingClientRect(), view.getBoundingClientRect()];
    view.scrollTop += found.top - frame.top - view.clientHeight / 4;
    if (found.left > frame.right) view.scrollLeft += found.left - frame.left - view.clientWidth / 2;
  }

  #edit() {
    const id = uid("editor");
    const state = h("span", { class: "hint", role: "status" });
    this.editor = h("textarea", {
      id, class: "editor", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
      "aria-label": `Content of ${this.name}`, wrap: "off",
      on: {
        input: () => (state.textContent = this.isDirty ? "Unsaved changes" : ""),
        keydown: (event) => {
          if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
            event.preventDefault();
            during(save, () => this.#save());
          }
        },
      },
    });
    this.editor.value = this.text;
    this.shown = this.editor.value;
    if (this.#lineEnds() === "mixed") state.textContent = "Mixed line ends: saving makes them all \\n.";
    const save = button("Save", { glyph: "save", kind: "primary", on: { click: () => during(save, () => this.#save()) } });
    const cancel = button("Cancel", { on: { click: () => this.#stopEditing() } });
    const { scrollTop = 0, scrollLeft = 0 } = this.body.querySelector(".code") ?? {};
    fill(this.tools, save, cancel, state);
    fill(this.body, this.editor);
    this.#begin(scrollLeft, scrollTop);
  }

  /** Go on where the reader was, with the caret on the first line in sight. */
  #begin(left, top) {
    const line = Math.ceil(top / parseFloat(getComputedStyle(this.editor).lineHeight));
    const start = this.editor.value.split("\n", line).reduce((sum, text) => sum + text.length + 1, 0);
    this.editor.setSelectionRange(start, start);
    this.editor.focus({ preventScroll: true });
    this.editor.scrollTo(left, top);
  }

  /** A text area hands back \n for every line end; a file with \r\n throughout gets it again. */
  #lineEnds() {
    if (!this.text.includes("\r")) return "lf";
    return /\r(?!\n)|(^|[^\r])\n/.test(this.text) ? "mixed" : "crlf";
  }

  async #stopEditing() {
    if (await this.mayLeave()) this.#view();
  }

  /** Ask before unsaved text is lost. */
  async mayLeave() {
    if (!this.isDirty) return true;
    return sure("Discard your changes?", `What you changed in ${this.name} has not been saved.`, { confirm: "Discard" });
  }

  async #save() {
    const before = await this.store.stat(this.project, this.path);
    if (before.updated_at !== this.stat.updated_at) {
      const text = before.exists
        ? `${this.name} was changed by somebody else ${ago(before.updated_at)}.\nSaving replaces what they wrote.`
        : `${this.name} was deleted or moved meanwhile. Saving makes it anew.`;
      if (!(await sure("Save over it?", text, { confirm: "Save anyway" }))) return;
    }
    const unix = this.editor.value;
    const text = this.#lineEnds() === "crlf" ? unix.replaceAll("\n", "\r\n") : unix;
    await this.store.write(this.project, this.path, text);
    this.text = text;
    this.stat = await this.store.stat(this.project, this.path);
    this.#view();
    say(`Saved ${this.name}, ${size(byteLength(text))}.`);
    this.actions.saved(this.path);
  }

  #download() {
    const url = URL.createObjectURL(new Blob([this.text], { type: "application/octet-stream" }));
    const link = h("a", { href: url, download: this.name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}
