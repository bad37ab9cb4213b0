// The way in: a key, asked for only where the host wants one.

import { button, field, fill, h } from "./dom.js";
import { Session, Unauthorised } from "./mcp.js";
import { explain } from "./notices.js";

/** Return an open session; shows a form in `place` until a key fits. */
export async function connect(place, endpoint, observe, reason = "") {
  let problem = reason;
  if (!reason) {
    const session = new Session(endpoint, "", observe);
    try {
      await session.open();
      return session;
    } catch (error) {
      if (!(error instanceof Unauthorised)) problem = explain(error);
    }
  }
  return new Promise((resolve) => {
    const key = h("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const alert = h("p", { class: "problem", role: "alert", hidden: !problem }, problem);
    const enter = button("Connect", { glyph: "key", kind: "primary", type: "submit" });
    const submit = async (event) => {
      event.preventDefault();
      enter.disabled = true;
      alert.hidden = true;
      const session = new Session(endpoint, key.value.trim(), observe);
      try {
        await session.open();
        key.value = "";
        resolve(session);
      } catch (error) {
        alert.textContent = explain(error);
        alert.hidden = false;
        key.select();
      } finally {
        enter.disabled = false;
      }
    };
    const form = h(
      "form",
      { class: "card connect", on: { submit } },
      h("h1", {}, "Toolroll"),
      h("p", {}, "This host asks for a key. Whoever runs it makes one with ", h("code", {}, "toolroll keys new NAME"), "."),
      field("Key", key, { hint: "Kept in this page's memory only; reloading forgets it." }),
      alert,
      h("div", { class: "row end" }, enter),
    );
    fill(place, h("div", { class: "centre" }, form));
    key.focus();
  });
}
