// A lazy directory tree with the keyboard of the ARIA tree pattern.

import { fill, h, icon } from "./dom.js";
import { explain } from "./notices.js";

export class Tree {
  /** `load(path, cursor)` returns a page of entries; `select(entry)` is told what was chosen. */
  constructor(label, load, select) {
    this.load = load;
    this.select = select;
    this.element = h("ul", {
      role: "tree", "aria-label": label, class: "tree", on: { keydown: (event) => this.#key(event) },
    });
  }

  /** Show the top level anew, with what was open still open. */
  async refresh() {
    const open = [...this.element.querySelectorAll('[aria-expanded="true"]')].map((row) => row.dataset.path);
    await this.#fill(this.element, "", 1);
    for (const path of open.sort((a, b) => a.length - b.length)) await this.#expand(this.#row(path));
    this.mark(this.current);
  }

  /** Open every directory above `path`, and mark it as the chosen one. */
  async reveal(path) {
    for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1))
      await this.#expand(this.#row(path.slice(0, end)));
    this.mark(path);
  }

  mark(path) {
    this.current = path;
    for (const row of this.#rows()) row.setAttribute("aria-selected", String(row.dataset.path === path));
    this.#rove(this.#row(path) ?? this.#rows()[0]);
  }

  get isEmpty() {
    return this.#rows().length === 0;
  }

  /** The rows one can see, in order. */
  #rows() {
    const rows = [...this.element.querySelectorAll('[role="treeitem"]')];
    return rows.filter((row) => !row.closest("[hidden]"));
  }

  #row(path) {
    return this.#rows().find((row) => row.dataset.path === path);
  }

  /** Exactly one row can be reached with Tab. */
  #rove(row) {
    for (const other of this.element.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    if (row) row.tabIndex = 0;
  }

  #focus(row) {
    if (!row) return;
    this.#rove(row);
    row.focus();
  }

  async #fill(list, path, level, cursor) {
    let page;
    try {
      page = await this.load(path, cursor);
    } catch (error) {
      page = { entries: [], cursor: "", truncated: false, problem: explain(error) };
    }
    if (!cursor) fill(list);
    for (const entry of page.entries) list.append(this.#entry(entry, level));
    if (page.cursor) list.append(this.#more(list, path, level, page.cursor));
    if (page.truncated) list.append(note("More entries; search to find them", level));
    if (page.problem) list.append(note(page.problem, level));
    if (!this.element.querySelector('[tabindex="0"]')) this.#rove(this.#rows()[0]);
  }

  #entry(entry, level) {
    const isDirectory = entry.type === "DIRECTORY";
    const row = rowOf(
      level,
      { "aria-expanded": isDirectory ? "false" : null, "aria-selected": "false", data: { path: entry.path } },
      isDirectory ? h("span", { class: "twisty" }, icon("chevron")) : null,
      icon(isDirectory ? "folder" : "file"),
      h("span", { class: "tree-name" }, entry.name),
    );
    row.entry = entry;
    row.addEventListener("click", (event) => {
      this.#focus(row);
      if (isDirectory && event.target.closest(".twisty")) this.#toggle(row);
      else this.#choose(row);
    });
    const group = isDirectory ? h("ul", { role: "group", "aria-label": entry.name, hidden: true }) : null;
    return h("li", { role: "none" }, row, group);
  }

  #more(list, path, level, cursor) {
    const show = async () => {
      const before = item.previousElementSibling;
      item.remove();
      await this.#fill(list, path, level, cursor);
      this.#focus(before?.nextElementSibling?.firstElementChild);
    };
    const item = note("Show more…", level, show);
    return item;
  }

  #choose(row) {
    if (!row.entry) return void row.activate?.();
    if (row.entry.type === "DIRECTORY") this.#expand(row);
    this.mark(row.dataset.path);
    this.select(row.entry);
  }

  #toggle(row) {
    if (row.ariaExpanded === "true") this.#collapse(row);
    else this.#expand(row);
  }

  #collapse(row) {
    row.ariaExpanded = "false";
    row.nextElementSibling.hidden = true;
  }

  async #expand(row) {
    if (row?.ariaExpanded !== "false") return;
    row.ariaExpanded = "true";
    const group = row.nextElementSibling;
    group.hidden = false;
    if (!group.hasChildNodes()) await this.#fill(group, row.dataset.path, Number(row.ariaLevel) + 1);
  }

  #key(event) {
    const row = event.target.closest('[role="treeitem"]');
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.#rows();
    const at = rows.indexOf(row);
    const expanded = row.ariaExpanded;
    const parent = row.closest('[role="group"]')?.previousElementSibling;
    const moves = {
      ArrowDown: () => this.#focus(rows[at + 1]),
      ArrowUp: () => this.#focus(rows[at - 1]),
      Home: () => this.#focus(rows[0]),
      End: () => this.#focus(rows.at(-1)),
      ArrowRight: () => (expanded === "false" ? this.#expand(row) : expanded && this.#focus(rows[at + 1])),
      ArrowLeft: () => (expanded === "true" ? this.#collapse(row) : this.#focus(parent)),
      Enter: () => this.#choose(row),
      " ": () => this.#choose(row),
    };
    const move = moves[event.key] ?? (event.key.length === 1 ? () => this.#type(rows, at, event.key) : null);
    if (!move) return;
    event.preventDefault();
    move();
  }

  #type(rows, at, letter) {
    const order = [...rows.slice(at + 1), ...rows.slice(0, at + 1)];
    this.#focus(order.find((row) => row.entry?.name.toLowerCase().startsWith(letter.toLowerCase())));
  }
}

function rowOf(level, props, ...children) {
  const row = h("div", { role: "treeitem", tabindex: "-1", "aria-level": level, class: "tree-row", ...props }, children);
  row.style.setProperty("--level", level);
  return row;
}

function note(text, level, activate = null) {
  const row = rowOf(level, { data: { path: "" } }, h("span", { class: "tree-name note" }, text));
  if (activate) row.addEventListener("click", activate);
  row.activate = activate;
  return h("li", { role: "none" }, row);
}
