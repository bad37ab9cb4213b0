// What this page has asked of the host: newest first, names and times only, never arguments.

import { fill, h } from "./dom.js";
import { milliseconds } from "./format.js";
import { placeholder } from "./notices.js";

const KEPT = 200;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

export class ActivityView {
  title = "Activity";

  constructor(app) {
    this.app = app;
    this.calls = [];
    this.rows = h("tbody");
    this.summary = h("p", { class: "hint" });
    this.table = h("div", { class: "card scroll", tabindex: "0", role: "region", "aria-label": "Calls of this page" },
      h("table", {},
        h("thead", {}, h("tr", {}, ["Time", "Tool", "Outcome", "Duration"].map((text) => h("th", { scope: "col" }, text)))),
        this.rows));
    this.host = h("dl", { class: "card facts-list" });
    this.body = h("div");
    this.element = h("div", { class: "page" }, h("h2", {}, "Host"), this.host, h("h2", {}, "Calls of this page"), this.summary, this.body);
  }

  record(call) {
    this.calls.unshift({ ...call, at: new Date() });
    this.calls.length = Math.min(this.calls.length, KEPT);
    if (this.element.isConnected) this.#render();
  }

  async show() {
    const { server, tools } = this.app.session;
    const packs = new Set([...tools.values()].map((tool) => tool._meta?.["toolroll/pack"]).filter(Boolean));
    const facts = {
      Host: `${server.title ?? server.name} ${server.version}`,
      Packs: [...packs].sort().join(", ") || "none",
      Tools: String(tools.size),
      Protocol: "MCP 2026-07-28, streamable HTTP",
    };
    fill(this.host, Object.entries(facts).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    this.#render();
  }

  mayLeave() {
    return true;
  }

  #render() {
    if (!this.calls.length) {
      fill(this.summary);
      fill(this.body, placeholder("No calls yet."));
      return;
    }
    const failed = this.calls.filter((call) => call.outcome !== "ok").length;
    const times = this.calls.map((call) => call.duration).sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    fill(this.summary, `Last ${this.calls.length}, ${failed} failed, median ${milliseconds(median)}`);
    fill(this.rows, this.calls.map(({ at, tool, outcome, duration }) => h("tr", {},
      h("td", {}, clock.format(at)), h("td", { class: "mono" }, tool),
      h("td", {}, h("span", { class: `badge ${outcome === "ok" ? "good" : "bad"}` }, outcome)),
      h("td", { class: "number" }, milliseconds(duration)))));
    fill(this.body, this.table);
  }
}
