// The address of what is shown, in the URL's fragment: `#files?project=p&path=/a.txt`.

export function parse(hash) {
  const [view, query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { view: view || "", params: Object.fromEntries(new URLSearchParams(query)) };
}

export function address(view, params = {}) {
  const kept = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(kept).toString();
  return query ? `#${view}?${query}` : `#${view}`;
}

export class Router {
  /** `show(route)` renders; `mayLeave()` is asked first and may veto by resolving to false. */
  constructor(show, mayLeave) {
    this.show = show;
    this.mayLeave = mayLeave;
    this.current = location.hash;
    addEventListener("hashchange", () => this.#changed());
  }

  go(view, params) {
    const target = address(view, params);
    if (target === location.hash) this.show(parse(target));
    else location.hash = target;
  }

  /** Change the address without showing anything anew. */
  note(view, params) {
    history.replaceState(null, "", address(view, params));
    this.current = location.hash;
  }

  async #changed() {
    if (location.hash === this.current) return;
    const target = location.hash;
    if (!(await this.mayLeave())) {
      history.replaceState(null, "", this.current || "#");
      return;
    }
    this.current = target;
    this.show(parse(target));
  }
}
