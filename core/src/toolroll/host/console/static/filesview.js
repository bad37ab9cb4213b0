// Browse a project: pick it, walk its tree, and change its files.

import { decode } from "./bytes.js";
import { Deleted } from "./deleted.js";
import { ask, sure } from "./dialogs.js";
import { button, checkbox, field, fill, h } from "./dom.js";
import { FilePane } from "./filepane.js";
import { count, size } from "./format.js";
import { complain, during, fillLater, placeholder, say } from "./notices.js";
import { ProjectPicker } from "./projects.js";
import { Tree } from "./tree.js";

const REFUSED = /[^A-Za-z0-9_.-]+/g;

export class FilesView {
  title = "Files";

  constructor(app) {
    this.app = app;
    this.store = app.store;
    this.target = ""; // the directory that uploads go to
    this.picker = new ProjectPicker(this.store, (project) => app.router.go("files", { project }));
    this.side = h("div", { class: "side-body" });
    this.detail = h("section", { class: "detail", "aria-label": "Selected file" });
    this.chooser = h("input", {
      type: "file", multiple: true, class: "visually-hidden", tabindex: "-1", "aria-label": "Files to upload",
      on: { change: () => this.#upload([...this.chooser.files]) },
    });
    const aside = h("section", { class: "side", "aria-label": "Project files" }, this.picker.element, this.side);
    this.element = h("div", { class: "split" }, aside, this.detail, this.chooser);
    this.#acceptDrops();
  }

  async show({ project, path, start, end }) {
    await this.picker.show(project);
    this.element.classList.toggle("in-detail", Boolean(path));
    this.element.classList.toggle("is-empty", !this.picker.project);
    if (!this.picker.project) return this.#nothingOpen();
    this.app.project = this.picker.project;
    if (this.picker.project !== this.project) {
      this.project = this.picker.project;
      await this.#side();
    }
    await this.#open(path === undefined || path === "/" ? "" : path, start === undefined ? null : { start: Number(start), end: Number(end) });
  }

  mayLeave() {
    return this.pane?.mayLeave() ?? true;
  }

  get isDirty() {
    return Boolean(this.pane?.isDirty);
  }

  #nothingOpen() {
    fill(this.side);
    const how = this.store.can("file_write")
      ? "Name one with +; it begins with its first file."
      : "A project begins with its first file, and you may write none here.";
    fill(this.detail, placeholder("There is no project yet.", how));
  }

  async #side() {
    const load = (path, cursor) => this.store.children(this.project, path, cursor);
    this.tree = new Tree(`Files of ${this.project}`, load, (entry) =>
      this.app.router.go("files", { project: this.project, path: entry.path }));
    const canWrite = this.store.can("file_write");
    const again = button("Refresh", { glyph: "refresh", quiet: true, on: { click: () => during(again, () => this.#refresh()) } });
    const bar = h(
      "div",
      { class: "row bar" },
      h("div", { class: "row" },
        canWrite ? button("New file", { glyph: "plus", kind: "small", on: { click: () => this.#create("") } }) : null,
        canWrite ? button("Upload", { glyph: "upload", kind: "small", on: { click: () => this.#choose("") } }) : null),
      this.store.can("file_undelete") && this.store.can("file_list_deleted")
        ? button("Deleted files", { glyph: "trash", quiet: true, on: { click: () => this.#deleted() } })
        : null,
      again,
    );
    await fillLater(this.side, async () => {
      await this.tree.refresh();
      return [bar, this.tree.isEmpty ? placeholder("No files yet.") : this.tree.element];
    });
  }

  async #refresh() {
    await this.picker.refresh();
    await this.#side();
    if (this.pane?.path) await this.tree.reveal(this.pane.path);
  }

  async #open(path, range) {
    this.pane = undefined;
    await fillLater(this.detail, async () => {
      const stat = path === "" ? { type: "DIRECTORY", exists: true } : await this.store.stat(this.project, path);
      if (!stat.exists) return placeholder(`${path} does not exist.`, "It may have been moved or deleted.");
      const pane = new FilePane(this.store, this.project, path, stat, {
        create: (where) => this.#create(where),
        upload: (where) => this.#choose(where),
        move: (from) => this.#move(from),
        remove: (what, recursive) => this.#remove(what, recursive),
        saved: () => this.picker.refresh(),
      });
      await pane.show(range);
      this.pane = pane;
      return pane.element;
    });
    this.pane?.reveal();
    await this.tree.reveal(path);
    const isStacked = matchMedia("(max-width: 47.99rem)").matches;
    if (isStacked && this.element.classList.contains("in-detail")) this.pane?.element.querySelector("h2").focus();
  }

  async #changed(path) {
    await this.#refresh();
    if (path === undefined) this.app.router.go("files", { project: this.project });
    else this.app.router.go("files", { project: this.project, path });
  }

  async #create(directory) {
    if (!(await this.mayLeave())) return;
    const input = h("input", { type: "text", value: `${directory}/`, required: true, spellcheck: "false" });
    const act = async () => {
      const path = input.value.trim();
      if ((await this.store.stat(this.project, path)).exists) throw new Error(`${path} exists already.`);
      await this.store.write(this.project, path, "");
      return path;
    };
    const content = field("Path", input, { hint: "Directories come into being with their first file." });
    const path = await ask("New file", content, { confirm: "Create", act });
    if (path) await this.#changed(path);
  }

  async #move(from) {
    if (!(await this.mayLeave())) return;
    const input = h("input", { type: "text", value: from, required: true, spellcheck: "false" });
    const { box, element } = checkbox("Replace a file that is there");
    const act = () => this.store.move(this.project, from, input.value.trim(), box.checked);
    const moved = await ask("Move or rename", [field("New path", input), element], { confirm: "Move", act });
    if (!moved) return;
    say(`Moved ${count(moved.moved_count, "file")} to ${input.value.trim()}.`);
    await this.#changed(input.value.trim());
  }

  async #remove(path, recursive) {
    const what = recursive ? `${path} and everything below it` : path;
    const kept = this.store.can("file_undelete") ? "You can undo this." : "This can't be undone here.";
    if (!(await sure("Delete?", `${what}\n${kept}`, { confirm: "Delete" }))) return;
    const gone = await this.store.remove(this.project, path, recursive).catch(complain);
    if (gone?.deleted_count === undefined) return;
    this.pane = undefined;
    await this.#changed();
    const undo = async () => {
      await this.store.restore(this.project, path);
      await this.#changed(path);
      say(`${path} is back.`);
    };
    const action = this.store.can("file_undelete") ? { label: "Undo", run: undo } : null;
    say(`Deleted ${count(gone.deleted_count, "file")}.`, action);
  }

  async #deleted() {
    const list = new Deleted(this.store, this.project);
    await list.ask();
    if (list.restored) await this.#changed(list.restored);
  }

  #choose(directory) {
    this.target = directory;
    this.chooser.value = "";
    this.chooser.click();
  }

  async #upload(files) {
    if (!files.length || !(await this.mayLeave())) return;
    let last;
    for (const file of files) {
      try {
        last = (await this.#uploadOne(file)) ?? last;
      } catch (error) {
        complain(error);
      }
    }
    if (last) await this.#changed(last);
  }

  async #uploadOne(file) {
    const path = `${this.target}/${file.name.replace(REFUSED, "_")}`;
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (decode(bytes) === null) throw new Error(`${file.name} is not UTF-8 text; only text can be stored.`);
    if ((await this.store.stat(this.project, path)).exists) {
      const over = await sure("Replace it?", `${path} exists already.`, { confirm: "Replace" });
      if (!over) return undefined;
    }
    await this.store.write(this.project, path, bytes);
    say(`Uploaded ${path}, ${size(bytes.length)}.`);
    return path;
  }

  #acceptDrops() {
    const hover = (on) => this.element.classList.toggle("dropping", on);
    const wanted = (event) => this.project && this.store.can("file_write") && event.dataTransfer.types.includes("Files");
    this.element.addEventListener("dragover", (event) => {
      if (!wanted(event)) return;
      event.preventDefault();
      hover(true);
    });
    this.element.addEventListener("dragleave", () => hover(false));
    this.element.addEventListener("drop", (event) => {
      hover(false);
      if (!wanted(event)) return;
      event.preventDefault();
      const isDirectory = this.pane?.stat.type === "DIRECTORY";
      this.target = isDirectory ? this.pane.path : "";
      this.#upload([...event.dataTransfer.files]);
    });
  }
}
