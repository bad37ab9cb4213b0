// A form made from a tool's JSON Schema. The host validates; the form only spares typing slips.

import { checkbox, field, h } from "./dom.js";

const LONG_TEXT = /^(content|text|body|artifact|description|message)$/;

export class SchemaForm {
  constructor(schema) {
    this.schema = schema;
    const required = new Set(schema.required ?? []);
    const properties = Object.entries(schema.properties ?? {});
    const first = ([name]) => (required.has(name) ? 0 : 1);
    properties.sort((a, b) => first(a) - first(b));
    this.inputs = properties.map(([name, raw]) => input(name, resolve(raw, schema), required.has(name)));
    this.element = h(
      "div",
      { class: "schema-form" },
      this.inputs.map((item) => item.element),
      this.inputs.length ? null : h("p", { class: "hint" }, "This tool takes no arguments."),
    );
  }

  /** Return the arguments as typed; throws an Error that names the field that isn't JSON. */
  read() {
    const found = {};
    for (const { name, read } of this.inputs) {
      const value = read();
      if (value !== undefined) found[name] = value;
    }
    return found;
  }

  /** Show arguments, as far as the form has fields for them. */
  write(values) {
    for (const { name, write } of this.inputs) write(values[name]);
  }
}

/** Follow `$ref` and take the one branch of `anyOf` that isn't null. */
function resolve(schema, root) {
  let found = schema;
  for (let depth = 0; depth < 8 && found?.$ref; depth += 1) {
    const target = found.$ref.replace(/^#\//, "").split("/").reduce((node, step) => node?.[step], root);
    const { $ref, ...rest } = found;
    found = { ...target, ...rest };
  }
  const branches = (found.anyOf ?? found.oneOf ?? []).filter((branch) => branch.type !== "null");
  if (branches.length === 1) return resolve({ ...found, anyOf: undefined, oneOf: undefined, ...branches[0] }, root);
  return found;
}

function input(name, schema, required) {
  const type = Array.isArray(schema.type) ? schema.type.find((item) => item !== "null") : schema.type;
  const choices = schema.enum ?? (schema.const === undefined ? null : [schema.const]);
  if (choices) return choice(name, schema, required, choices);
  if (type === "boolean") return flag(name, schema, required);
  if (type === "integer" || type === "number") return numeric(name, schema, required, type);
  if (type === "string") return text(name, schema, required);
  return json(name, schema, required);
}

function describe(schema) {
  const facts = [];
  if (schema.default !== undefined && schema.default !== null && schema.default !== "")
    facts.push(`default ${JSON.stringify(schema.default)}`);
  if (schema.minimum !== undefined || schema.maximum !== undefined)
    facts.push(`${schema.minimum ?? "…"} to ${schema.maximum ?? "…"}`);
  const range = facts.length ? `${schema.description ? " · " : ""}${facts.join(" · ")}` : "";
  return `${schema.description ?? ""}${range}`;
}

function wrap(name, control, schema, required) {
  control.dataset.name = name;
  if (required) control.setAttribute("aria-required", "true");
  return field(name, control, { hint: describe(schema), optional: !required });
}

function choice(name, schema, required, choices) {
  const none = required ? null : h("option", { value: "" }, "—");
  const options = choices.map((value, at) => h("option", { value: String(at) }, String(value)));
  const control = h("select", {}, none, options);
  return {
    name,
    element: wrap(name, control, schema, required),
    read: () => (control.value === "" ? undefined : choices[Number(control.value)]),
    write: (value) => (control.value = choices.includes(value) ? String(choices.indexOf(value)) : ""),
  };
}

function flag(name, schema, required) {
  if (required || typeof schema.default === "boolean") {
    const { box, element } = checkbox(name, { checked: schema.default === true });
    box.dataset.name = name;
    const hint = schema.description ? h("p", { class: "hint" }, schema.description) : null;
    return {
      name,
      element: h("div", { class: "field" }, element, hint),
      read: () => (!required && box.checked === schema.default ? undefined : box.checked),
      write: (value) => (box.checked = value ?? schema.default === true),
    };
  }
  return choice(name, schema, required, [true, false]);
}

function numeric(name, schema, required, type) {
  const control = h("input", { type: "number", step: type === "integer" ? "1" : "any", min: schema.minimum, max: schema.maximum });
  return {
    name,
    element: wrap(name, control, schema, required),
    read: () => (control.value === "" ? undefined : Number(control.value)),
    write: (value) => (control.value = value ?? ""),
  };
}

function text(name, schema, required) {
  const long = LONG_TEXT.test(name) && !schema.format;
  const control = long
    ? h("textarea", { rows: "4", spellcheck: "false" })
    : h("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  return {
    name,
    element: wrap(name, control, schema, required),
    read: () => (control.value === "" && !required ? undefined : control.value),
    write: (value) => (control.value = value ?? ""),
  };
}

function json(name, schema, required) {
  const control = h("textarea", { rows: "3", spellcheck: "false", class: "mono", placeholder: schema.type === "array" ? "[]" : "{}" });
  const hinted = { ...schema, description: [schema.description, "JSON"].filter(Boolean).join(" · ") };
  const read = () => {
    control.removeAttribute("aria-invalid");
    if (control.value.trim() === "") return undefined;
    try {
      return JSON.parse(control.value);
    } catch (error) {
      control.setAttribute("aria-invalid", "true");
      control.focus();
      throw new Error(`${name} is not JSON: ${error.message}`);
    }
  };
  return {
    name,
    element: wrap(name, control, hinted, required),
    read,
    write: (value) => (control.value = value === undefined ? "" : JSON.stringify(value, null, 2)),
  };
}
