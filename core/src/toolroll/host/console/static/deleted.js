// What was deleted and can still come back.

import { ask } from "./dialogs.js";
import { button, fill, h } from "./dom.js";
import { ago, size, time } from "./format.js";
import { during, fillLater, placeholder } from "./notices.js";

export class Deleted {
  constructor(store, project) {
    this.store = store;
    this.project = project;
    this.restored = undefined;
    this.running = new Set();
  }

  /** Show the list until it is closed and all is taken back; `restored` is the last path. */
  async ask() {
    const body = h("div", { class: "deleted" });
    fillLater(body, () => this.#list());
    await ask("Deleted files", body, { confirm: "Done" });
    await Promise.all(this.running);
  }

  async #list() {
    const list = h("ul", { class: "listing" });
    const rest = h("div");
    const load = async (cursor) => {
      const page = await this.store.deleted(this.project, cursor);
      for (const file of page.files) list.append(this.#item(file));
      const more = button("Show more", { on: { click: () => during(more, () => load(page.next_cursor)) } });
      fill(rest, page.next_cursor ? more : null);
    };
    await load();
    return list.hasChildNodes() ? [list, rest] : placeholder("Nothing was deleted lately.");
  }

  #item(file) {
    const restore = async () => {
      await this.store.restore(this.project, file.path);
      this.restored = file.path;
      item.remove();
    };
    const start = () => {
      const work = during(back, restore).finally(() => this.running.delete(work));
      this.running.add(work);
    };
    const back = button("Restore", { glyph: "undo", kind: "small", on: { click: start } });
    back.setAttribute("aria-label", `Restore ${file.path}`);
    const kept = `deleted ${ago(file.deleted_at)}, kept until ${time(file.purged_after)}`;
    const item = h(
      "li",
      {},
      h("div", {}, h("strong", {}, file.path), h("p", { class: "hint" }, `${size(file.size)}, ${kept}`)),
      back,
    );
    return item;
  }
}
