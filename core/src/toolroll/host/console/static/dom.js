// Builds elements. The one way content gets onto the page: strings become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 * `props`: `on` maps events to listeners, `data` sets data-*, a key that is a writable property of
 * forms (`value`, `checked`, …) is set as one, everything else is an attribute. `false`, `null` and
 * `undefined` leave it out.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) set(element, name, value);
  append(element, children);
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
  } else if (name === "data") {
    Object.assign(element.dataset, value);
  } else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") {
    element[name] = value;
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
}

/** Replace everything inside an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Make a unique id, for labels and descriptions. */
export function uid(prefix) {
  uid.next = (uid.next ?? 0) + 1;
  return `${prefix}-${uid.next}`;
}

const PATHS = {
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  folder: "M3 6h6l2 2h10v11H3z",
  tool: "M14 6a4 4 0 0 1 5-3l-3 3 2 2 3-3a4 4 0 0 1-5 5l-8 8-3-3 8-8z",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21",
  pulse: "M3 12h4l3-8 4 16 3-8h4",
  plus: "M12 5v14M5 12h14",
  upload: "M12 16V4M7 9l5-5 5 5M4 20h16",
  download: "M12 4v12M7 11l5 5 5-5M4 20h16",
  edit: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  save: "M5 13l4 4L19 7",
  move: "M4 12h14M13 6l6 6-6 6",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6",
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  close: "M6 6l12 12M18 6 6 18",
  back: "M15 5l-7 7 7 7",
  chevron: "M9 5l7 7-7 7",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  key: "M14 10a4 4 0 1 0-3.5 4L12 15.500h2v2h2v2h4v-3.500L14 10z",
  play: "M7 5l12 7-12 7z",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  refresh: "M20 11a8 8 0 1 0-2 6M20 5v6h-6",
  leave: "M10 4H5v16h5M15 8l4 4-4 4M19 12H9",
};

/** A decorative icon; the text beside it, or the button's label, says what it means. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon. `quiet` shows the icon alone and the label to assistive technology only. */
export function button(label, { glyph, kind = "", quiet = false, type = "button", ...props } = {}) {
  return h(
    "button",
    {
      type,
      class: `button ${kind} ${quiet ? "quiet" : ""}`.trim(),
      "aria-label": quiet ? label : null,
      title: quiet ? label : null,
      ...props,
    },
    glyph ? icon(glyph) : null,
    quiet ? null : h("span", {}, label),
  );
}

/** A labelled control. `hint` and `problem` describe it to assistive technology too. */
export function field(label, control, { hint = "", optional = false } = {}) {
  control.id ||= uid("field");
  const hintId = hint ? uid("hint") : null;
  if (hintId) control.setAttribute("aria-describedby", hintId);
  return h(
    "div",
    { class: "field" },
    h("label", { for: control.id }, label, optional ? h("span", { class: "optional" }, " optional") : null),
    control,
    hint ? h("p", { class: "hint", id: hintId }, hint) : null,
  );
}

/** A labelled checkbox. */
export function checkbox(label, props = {}) {
  const id = uid("check");
  const box = h("input", { type: "checkbox", id, ...props });
  return { box, element: h("div", { class: "check" }, box, h("label", { for: id }, label)) };
}
