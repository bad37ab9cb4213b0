// Modal questions, on the browser's own <dialog>: it traps focus, closes on Escape, returns focus.

import { button, h, uid } from "./dom.js";
import { explain } from "./notices.js";

/**
 * Ask with a form. `content` goes above the buttons; `act()` runs on confirm, and while it throws
 * the dialog stays open and says why. Resolves to what `act` returns, or undefined when dismissed.
 */
export function ask(title, content, { confirm, kind = "primary", act = async () => true }) {
  return new Promise((resolve) => {
    const heading = uid("dialog");
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    const accept = button(confirm, { kind, type: "submit" });
    const cancel = button("Cancel", { on: { click: () => dialog.close() } });
    let result;
    const submit = async (event) => {
      event.preventDefault();
      accept.disabled = true;
      try {
        result = await act();
        dialog.close();
      } catch (error) {
        problem.textContent = explain(error);
        problem.hidden = false;
      } finally {
        accept.disabled = false;
      }
    };
    const closed = () => {
      dialog.remove();
      resolve(result);
    };
    const dialog = h(
      "dialog",
      { "aria-labelledby": heading, on: { close: closed } },
      h(
        "form",
        { on: { submit } },
        h("h2", { id: heading }, title),
        content,
        problem,
        h("div", { class: "row end" }, cancel, accept),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input, textarea, select")?.focus();
  });
}

/** Ask for a yes; resolves to true or false. */
export async function sure(title, text, { confirm, kind = "danger" }) {
  const lines = text.split("\n").map((line) => h("p", {}, line));
  return Boolean(await ask(title, lines, { confirm, kind }));
}
