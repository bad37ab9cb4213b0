// The console: connects, then shows one of its views at a time.

import { ActivityView } from "./activity.js";
import { connect } from "./connect.js";
import { button, fill, h, icon } from "./dom.js";
import { FilesView } from "./filesview.js";
import { Unauthorised } from "./mcp.js";
import { complain, noticeArea } from "./notices.js";
import { Router, parse } from "./router.js";
import { SearchView } from "./searchview.js";
import { FileStore } from "./store.js";
import { ToolsView } from "./toolsview.js";

const ENDPOINT = new URL("mcp", document.baseURI);
const SCHEMES = ["light dark", "light", "dark"];
const SCHEME_NAMES = { "light dark": "as the system", light: "light", dark: "dark" };

class App {
  constructor() {
    this.nav = h("nav", { "aria-label": "Views", class: "views" });
    this.main = h("main", { id: "main", tabindex: "-1" });
    this.leave = button("Disconnect", { glyph: "leave", quiet: true, on: { click: () => this.#disconnect() } });
    this.leave.hidden = true;
    const skip = h("a", { class: "skip", href: "#main", on: { click: (event) => this.#skip(event) } }, "Skip to content");
    const brand = h("span", { class: "brand" }, h("img", { src: "console/icon.svg", alt: "", width: "24", height: "24" }), "Toolroll");
    document.body.append(
      skip,
      h("header", { class: "top" }, brand, this.nav, h("div", { class: "row" }, this.#themeButton(), this.leave)),
      this.main,
      noticeArea,
    );
    addEventListener("beforeunload", (event) => {
      if (this.view?.isDirty) event.preventDefault();
    });
  }

  async start(reason) {
    this.session = await connect(this.main, ENDPOINT, (call) => this.views?.activity.record(call), reason);
    this.store = new FileStore(this.session);
    const hasSearch = this.store.can("file_search") || this.store.can("file_grep");
    this.views = {
      ...(this.store.available ? { files: new FilesView(this) } : {}),
      ...(hasSearch ? { search: new SearchView(this) } : {}),
      tools: new ToolsView(this),
      activity: new ActivityView(this),
    };
    this.leave.hidden = false;
    this.router ??= new Router((route) => this.#show(route), async () => (await this.view?.mayLeave()) ?? true);
    await this.#show(parse(location.hash));
  }

  async #show({ view, params }) {
    if (!this.views) return; // disconnected: shown once there is a key
    const name = Object.hasOwn(this.views, view) ? view : Object.keys(this.views)[0];
    this.view = this.views[name];
    document.title = `${this.view.title} · Toolroll`;
    this.#navigation(name);
    if (!this.view.element.isConnected) fill(this.main, h("h1", { class: "visually-hidden" }, this.view.title), this.view.element);
    try {
      await this.view.show(params);
    } catch (error) {
      if (error instanceof Unauthorised) await this.#disconnect("The host no longer accepts this key.");
      else complain(error);
    }
  }

  #navigation(current) {
    const glyphs = { files: "folder", search: "search", tools: "tool", activity: "pulse" };
    fill(this.nav, Object.entries(this.views).map(([name, view]) =>
      h("a", { href: `#${name}`, "aria-current": name === current ? "page" : null }, icon(glyphs[name]), h("span", {}, view.title))));
  }

  async #disconnect(reason = "Disconnected; the key is forgotten.") {
    if (!((await this.view?.mayLeave()) ?? true)) return;
    this.session = this.store = this.views = this.view = undefined;
    this.project = undefined;
    this.leave.hidden = true;
    document.title = "Toolroll";
    fill(this.nav);
    await this.start(reason);
  }

  #skip(event) {
    event.preventDefault();
    this.main.focus();
  }

  #themeButton() {
    let at = 0;
    const turn = () => {
      at = (at + 1) % SCHEMES.length;
      document.documentElement.style.colorScheme = SCHEMES[at];
      const label = `Colours: ${SCHEME_NAMES[SCHEMES[at]]}`;
      control.setAttribute("aria-label", label);
      control.title = label;
    };
    const control = button("Colours: as the system", { glyph: "theme", quiet: true, on: { click: turn } });
    return control;
  }
}

await new App().start();
