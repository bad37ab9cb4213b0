// One tool: what it says of itself, its form, and what it answers.

import { codeView } from "./codeview.js";
import { sure } from "./dialogs.js";
import { button, fill, h, uid } from "./dom.js";
import { byteLength } from "./bytes.js";
import { milliseconds, size } from "./format.js";
import { complain, explain, say } from "./notices.js";
import { SchemaForm } from "./schemaform.js";

export class ToolPane {
  constructor(session, tool) {
    this.session = session;
    this.tool = tool;
    this.form = new SchemaForm(tool.inputSchema);
    this.raw = h("textarea", { class: "mono", rows: "8", spellcheck: "false", id: uid("raw") });
    this.rawField = h("div", { class: "field", hidden: true }, h("label", { for: this.raw.id }, "Arguments as JSON"), this.raw);
    this.output = h("div", { class: "output" });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.run = button("Run", { glyph: "play", kind: tool.annotations?.destructiveHint ? "danger" : "primary", type: "submit" });
    this.stop = button("Stop", { glyph: "stop", on: { click: () => this.abort?.abort() } });
    this.stop.hidden = true;
    this.swap = button("Edit as JSON", { on: { click: () => this.#swap() } });
    const heading = uid("tool");
    this.element = h(
      "article",
      { class: "pane", "aria-labelledby": heading },
      h(
        "header",
        { class: "pane-head" },
        h("nav", { class: "crumbs", "aria-label": "Location" },
          h("ol", {}, h("li", {}, h("a", { href: "#tools" }, "All tools")))),
        h("h2", { id: heading, tabindex: "-1" }, tool.name),
        h("p", { class: "badges" }, badges(tool)),
      ),
      h("div", { class: "description" }, (tool.description ?? "").split(/\n{2,}/).map((text) => h("p", {}, text))),
      h(
        "form",
        {
          class: "card", novalidate: true,
          on: {
            submit: (event) => this.#submit(event),
            keydown: (event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
            },
          },
        },
        this.form.element,
        this.rawField,
        this.problem,
        h("div", { class: "row" }, this.run, this.stop, this.swap),
      ),
      this.output,
      schemas(tool),
    );
  }

  #swap() {
    try {
      if (this.rawField.hidden) this.raw.value = JSON.stringify(this.form.read(), null, 2);
      else this.form.write(this.#arguments());
    } catch (error) {
      this.#refuse(error);
      return;
    }
    this.problem.hidden = true;
    this.rawField.hidden = !this.rawField.hidden;
    this.form.element.hidden = !this.form.element.hidden;
    this.swap.lastChild.textContent = this.rawField.hidden ? "Edit as JSON" : "Edit as form";
  }

  #arguments() {
    if (this.rawField.hidden) return this.form.read();
    let value;
    try {
      value = JSON.parse(this.raw.value || "{}");
    } catch (error) {
      throw new Error(`The arguments are not JSON: ${error.message}`);
    }
    if (value === null || typeof value !== "object" || Array.isArray(value))
      throw new Error("The arguments must be a JSON object, like {\"path\": \"/a.txt\"}.");
    return value;
  }

  #refuse(error) {
    this.problem.textContent = explain(error);
    this.problem.hidden = false;
  }

  async #submit(event) {
    event.preventDefault();
    this.problem.hidden = true;
    let args;
    try {
      args = this.#arguments();
    } catch (error) {
      this.#refuse(error);
      return;
    }
    if (this.tool.annotations?.destructiveHint) {
      const text = `${this.tool.name} can lose what is there now.`;
      if (!(await sure("Run it?", text, { confirm: "Run" }))) return;
    }
    await this.#call(args);
  }

  async #call(args) {
    const bar = h("progress", { "aria-label": "Progress" });
    const message = h("p", { class: "hint", role: "status" }, "Running…");
    fill(this.output, h("div", { class: "card" }, bar, message));
    this.abort = new AbortController();
    this.run.disabled = true;
    this.stop.hidden = false;
    const progress = ({ progress: done, total, message: text }) => {
      if (total) [bar.max, bar.value] = [total, done];
      message.textContent = [text, total ? `${done} of ${total}` : done].filter(Boolean).join(" · ");
    };
    try {
      const answer = await this.session.call(this.tool.name, args, { signal: this.abort.signal, progress });
      fill(this.output, this.#answer(answer));
    } catch (error) {
      fill(this.output, error.name === "AbortError" ? h("p", { class: "hint", role: "status" }, "Stopped.") : null);
      complain(error);
    } finally {
      this.run.disabled = false;
      this.stop.hidden = true;
    }
  }

  #answer({ text, structured, isError, duration }) {
    const pretty = parse(text);
    const shown = pretty === undefined ? text : JSON.stringify(pretty, null, 2);
    const copy = button("Copy", { glyph: "copy", kind: "small", on: { click: () => this.#copy(shown) } });
    const code = isError ? (structured?.code ?? "error") : "ok";
    const view = codeView(shown, {
      grammar: pretty === undefined ? "markdown" : "json", label: "Payload", numbers: pretty !== undefined,
    });
    return h(
      "section",
      { class: `card answer ${isError ? "bad" : "good"}`, "aria-label": "Answer" },
      h("div", { class: "row" },
        h("span", { class: `badge ${isError ? "bad" : "good"}`, role: "status" }, isError ? `failed: ${code}` : "done"),
        h("span", { class: "hint" }, `${milliseconds(duration)} · ${size(byteLength(text))}`),
        copy),
      view,
    );
  }

  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch {
      complain(new Error("The browser does not allow copying here; select the text instead."));
    }
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badges(tool) {
  const hints = tool.annotations ?? {};
  const pack = tool._meta?.["toolroll/pack"];
  return [
    pack ? h("span", { class: "badge" }, `pack ${pack}`) : null,
    h("span", { class: `badge ${hints.readOnlyHint ? "good" : "warn"}` }, hints.readOnlyHint ? "read-only" : "writes"),
    hints.destructiveHint ? h("span", { class: "badge bad" }, "destructive") : null,
    hints.idempotentHint ? h("span", { class: "badge" }, "idempotent") : null,
    hints.openWorldHint ? h("span", { class: "badge warn" }, "open world") : null,
  ];
}

function schemas(tool) {
  const part = (title, schema) => {
    if (!schema) return null;
    const view = codeView(JSON.stringify(schema, null, 2), { grammar: "json", label: title, numbers: false });
    return h("details", {}, h("summary", {}, title), view);
  };
  return h("div", { class: "schemas" }, part("Input schema", tool.inputSchema), part("Output schema", tool.outputSchema));
}
