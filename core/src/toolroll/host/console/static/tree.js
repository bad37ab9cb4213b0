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
    const open = [...this.element.querySelectorAll('[aria-expanded="true"]')].map((i) => i.dataset.path);
    await this.#fill(this.element, "", 1);
    for (const path of open.sort((a, b) => a.length - b.length)) await this.#expand(this.#item(path));
    this.mark(this.current);
  }

  /** Open every directory above `path`, and mark it as the chosen one. */
  async reveal(path) {
    for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1))
      await this.#expand(this.#item(path.slice(0, end)));
    this.mark(path);
  }

  mark(path) {
    this.current = path;
    for (const item of this.#items()) item.setAttribute("aria-selected", String(item.dataset.path === path));
    this.#rove(this.#item(path) ?? this.#items()[0]);
  }

  get isEmpty() {
    return this.#items().length === 0;
  }

  #items() {
    return [...this.element.querySelectorAll('[role="treeitem"]')].filter(
      (item) => !item.parentElement.closest('[aria-expanded="false"]'),
    );
  }

  #item(path) {
    return this.#items().find((item) => item.dataset.path === path);
  }

  #rove(item) {
    for (const other of this.element.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    if (item) item.tabIndex = 0;
  }

  #focus(item) {
    if (!item) return;
    this.#rove(item);
    item.focus();
  }

  async #fill(list, path, level, cursor) {
    let page;
    try {
      page = await this.load(path, cursor);
    } catch (error) {
      page = { entries: [], cursor: "", truncated: false, problem: explain(error) };
    }
    if (!cursor) fill(list);
    for (const entry of page.entries) list.append(this.#make(entry, level));
    if (page.cursor) list.append(this.#more(list, path, level, page.cursor));
    if (page.truncated) list.append(note("More entries; search to find them", level));
    if (page.problem) list.append(note(page.problem, level));
    if (!this.element.querySelector('[tabindex="0"]')) this.#rove(this.#items()[0]);
  }

  #make(entry, level) {
    const isDirectory = entry.type === "DIRECTORY";
    const item = h(
      "li",
      {
        role: "treeitem", tabindex: "-1", "aria-level": level, "aria-selected": "false",
        "aria-expanded": isDirectory ? "false" : null, "aria-label": entry.name,
        data: { path: entry.path },
      },
      h(
        "div",
        { class: "tree-row", on: { click: (event) => this.#clicked(event, item, entry) } },
        isDirectory ? h("span", { class: "twisty" }, icon("chevron")) : null,
        icon(isDirectory ? "folder" : "file"),
        h("span", { class: "tree-name" }, entry.name),
      ),
    );
    item.entry = entry;
    item.style.setProperty("--level", level);
    if (isDirectory) item.append(h("ul", { role: "group" }));
    return item;
  }

  #more(list, path, level, cursor) {
    const show = async () => {
      const before = item.previousElementSibling;
      item.remove();
      await this.#fill(list, path, level, cursor);
      this.#focus(before?.nextElementSibling);
    };
    const item = note("Show more…", level, show);
    item.activate = show;
    return item;
  }

  #clicked(event, item, entry) {
    event.stopPropagation();
    this.#focus(item);
    if (entry.type === "DIRECTORY" && event.target.closest(".twisty")) this.#toggle(item);
    else this.#choose(item);
  }

  #choose(item) {
    if (item.activate) return void item.activate();
    if (item.entry.type === "DIRECTORY") this.#expand(item);
    this.mark(item.dataset.path);
    this.select(item.entry);
  }

  #toggle(item) {
    if (item.getAttribute("aria-expanded") === "true") item.setAttribute("aria-expanded", "false");
    else this.#expand(item);
  }

  async #expand(item) {
    if (item?.getAttribute("aria-expanded") !== "false") return;
    item.setAttribute("aria-expanded", "true");
    const group = item.querySelector(':scope > [role="group"]');
    if (!group.hasChildNodes()) await this.#fill(group, item.dataset.path, Number(item.ariaLevel) + 1);
  }

  #key(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = this.#items();
    const at = items.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    const moves = {
      ArrowDown: () => this.#focus(items[at + 1]),
      ArrowUp: () => this.#focus(items[at - 1]),
      Home: () => this.#focus(items[0]),
      End: () => this.#focus(items.at(-1)),
      ArrowRight: () => (expanded === "false" ? this.#expand(item) : expanded && this.#focus(items[at + 1])),
      ArrowLeft: () =>
        expanded === "true"
          ? item.setAttribute("aria-expanded", "false")
          : this.#focus(item.parentElement.closest('[role="treeitem"]')),
      Enter: () => this.#choose(item),
      " ": () => this.#choose(item),
    };
    const move = moves[event.key] ?? (event.key.length === 1 ? () => this.#type(items, at, event.key) : null);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  #type(items, at, letter) {
    const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    this.#focus(order.find((item) => item.ariaLabel?.toLowerCase().startsWith(letter.toLowerCase())));
  }
}

function note(text, level, activate = null) {
  const item = h(
    "li",
    { role: "treeitem", tabindex: "-1", "aria-level": level, "aria-label": text, data: { path: "" } },
    h("div", { class: "tree-row note", on: { click: () => activate?.() } }, h("span", { class: "tree-name" }, text)),
  );
  item.activate = activate ?? (() => {});
  item.style.setProperty("--level", level);
  return item;
}
