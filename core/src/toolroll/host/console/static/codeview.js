// Shows text with line numbers, coloured tokens and marked ranges.

import { h } from "./dom.js";
import { language, tokens } from "./highlight.js";

/** What makes code read otherwise than it runs, where a page obeys it ("Trojan Source"). */
const DIRECTION = /([\u202a-\u202e\u2066-\u2069])/;

/** Longer texts are shown without colours: building hundreds of thousands of spans freezes a page. */
const MOST_COLOURED = 300_000;

/**
 * Return an element that shows a text.
 * `marks` are sorted, disjoint `[start, end)` string indices.
 */
export function codeView(text, { name = "", grammar, label, marks = [], numbers = true } = {}) {
  const kind = grammar ?? language(name).grammar;
  const code = h("code");
  code.append(fragment(text, text.length > MOST_COLOURED ? "" : kind, marks));
  const lines = text.split("\n").length;
  const gutter = Array.from({ length: lines }, (_, line) => line + 1).join("\n");
  return h(
    "div",
    { class: "code", role: "region", "aria-label": label, tabindex: "0" },
    numbers ? h("div", { class: "gutter", "aria-hidden": "true" }, gutter) : null,
    h("pre", {}, code),
  );
}

/** Return a text as nodes, its tokens and marks as elements. */
export function fragment(text, grammar, marks = []) {
  const output = document.createDocumentFragment();
  const ranges = marks.filter(([start, end]) => start < end);
  let position = 0;
  const plain = (end) => {
    if (position < end) emit(output, text, position, end, "", ranges);
    position = end;
  };
  for (const [start, end, kind] of tokens(text, grammar)) {
    plain(start);
    emit(output, text, start, end, kind, ranges);
    position = end;
  }
  plain(text.length);
  return output;
}

/** Append `text[start, end)`, split where marks begin and end. */
function emit(output, text, start, end, kind, marks) {
  let position = start;
  for (const [from, to] of marks) {
    if (to <= position || from >= end) continue;
    if (from > position) output.append(piece(text.slice(position, from), kind));
    const stop = Math.min(to, end);
    output.append(h("mark", {}, piece(text.slice(Math.max(from, position), stop), kind)));
    position = stop;
  }
  if (position < end) output.append(piece(text.slice(position, end), kind));
}

function piece(text, kind) {
  if (DIRECTION.test(text)) {
    const parts = text.split(DIRECTION).map((part, place) => (place % 2 ? shown(part) : part));
    return h("span", { class: kind && `t-${kind}` }, ...parts);
  }
  return kind ? h("span", { class: `t-${kind}` }, text) : document.createTextNode(text);
}

/** Return a character that turns the direction of text, shut in so that it turns nothing, named. */
function shown(character) {
  const code = character.codePointAt(0).toString(16).toUpperCase();
  return h("bdi", { class: "direction", data: { code: `U+${code}` } }, character);
}

/** Return the `[start, end)` ranges of a query's words in a text, sorted and disjoint. */
export function wordMarks(text, query) {
  const found = query.match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  if (!found.length) return [];
  const longest = [...new Set(found)].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longest.join("|"), "giu");
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);
}
