// Short messages: what went well is announced politely, what went wrong at once.

import { button, fill, h } from "./dom.js";
import { ToolFailure } from "./mcp.js";

const SHOWN_MS = 6000;

const polite = h("div", { class: "notices", role: "status", "aria-live": "polite" });
const urgent = h("div", { class: "notices", role: "alert" });

export const noticeArea = h("div", { class: "notice-area" }, polite, urgent);

/** Say that something was done; with `action` (`{label, run}`) the message stays until dismissed. */
export function say(text, action) {
  return show(polite, "good", text, action);
}

/** Say that something failed, and how. */
export function complain(error) {
  if (error?.name === "AbortError") return null;
  return show(urgent, "bad", explain(error), null, true);
}

export function explain(error) {
  if (error instanceof ToolFailure && error.code) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

function show(area, kind, text, action, stays = Boolean(action)) {
  const item = h("div", { class: `notice ${kind}` }, h("p", {}, text));
  const close = () => item.remove();
  if (action) {
    const run = async () => {
      close();
      try {
        await action.run();
      } catch (error) {
        complain(error);
      }
    };
    item.append(button(action.label, { glyph: "undo", kind: "small", on: { click: run } }));
  }
  item.append(button("Dismiss", { glyph: "close", quiet: true, on: { click: close } }));
  area.append(item);
  if (!stays) setTimeout(close, SHOWN_MS);
  return close;
}

/** Run an action of a button: disable it meanwhile, and show what goes wrong. */
export async function during(control, action) {
  control.disabled = true;
  try {
    return await action();
  } catch (error) {
    complain(error);
    return undefined;
  } finally {
    control.disabled = false;
  }
}

/** A placeholder for what is being fetched, or isn't there. */
export function placeholder(text, detail = "") {
  return h("div", { class: "placeholder" }, h("p", {}, text), detail ? h("p", { class: "hint" }, detail) : null);
}

/** Fill an element with what a promise gives: a placeholder first, an error with a retry if it fails. */
export async function fillLater(element, load, waiting = "Loading…") {
  const mark = {};
  element.latest = mark;
  element.setAttribute("aria-busy", "true");
  fill(element, placeholder(waiting));
  try {
    const content = await load();
    if (element.latest === mark) fill(element, content);
  } catch (error) {
    if (element.latest !== mark) return;
    const retry = button("Try again", {
      glyph: "refresh", on: { click: () => fillLater(element, load, waiting) },
    });
    fill(element, h("div", { class: "placeholder", role: "alert" }, h("p", {}, explain(error)), retry));
  } finally {
    if (element.latest === mark) element.removeAttribute("aria-busy");
  }
}
