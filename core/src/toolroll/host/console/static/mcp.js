// An MCP client over streamable HTTP, protocol 2026-07-28: stateless, one POST for each request.
// The key lives in a private field of the session and nowhere else.

const PROTOCOL = "2026-07-28";
const META = "io.modelcontextprotocol";
const REFUSED = "The host refused this key.";

/** The host refused the key, or wants one. */
export class Unauthorised extends Error {}

/** The host could not be reached, or did not answer as MCP says. */
export class Unreachable extends Error {}

/** A tool answered with an error; `code` is of its pack's contract. */
export class ToolFailure extends Error {
  constructor(tool, { code = "", message, retryable = false }) {
    super(message);
    this.tool = tool;
    this.code = code;
    this.retryable = retryable;
  }
}

export class Session {
  #key;
  #endpoint;
  #next = 1;

  /** `observe({tool, outcome, duration})` is told of every call once it has ended. */
  constructor(endpoint, key, observe = () => {}) {
    this.#endpoint = endpoint;
    this.#key = key;
    this.observe = observe;
    this.tools = new Map();
  }

  /** Fetch the host's name and every tool, page by page. */
  async open() {
    const found = await this.#request("server/discover", {});
    this.server = found._meta?.[`${META}/serverInfo`] ?? { name: "MCP host", version: "" };
    this.tools.clear();
    let cursor;
    do {
      const page = await this.#request("tools/list", cursor ? { cursor } : {});
      for (const tool of page.tools) this.tools.set(tool.name, tool);
      cursor = page.nextCursor;
    } while (cursor);
  }

  has(name) {
    return this.tools.has(name);
  }

  /** Keep of `args` what the tool's schema knows, so that older packs understand newer pages. */
  fit(name, args) {
    const known = this.tools.get(name)?.inputSchema?.properties ?? {};
    return Object.fromEntries(
      Object.entries(args).filter(([key, value]) => key in known && value !== undefined),
    );
  }

  /** Call a tool; returns `{text, structured, isError, duration}` for successes and failures alike. */
  async call(name, args, { signal, progress } = {}) {
    const started = performance.now();
    let outcome = "unreachable";
    try {
      const result = await this.#request(
        "tools/call",
        { name, arguments: args },
        { signal, progress, name },
      );
      const text = result.content.map((part) => part.text ?? "").join("");
      const isError = Boolean(result.isError);
      const structured = isError ? parsed(text) : result.structuredContent;
      outcome = isError ? (structured?.code ?? "error") : "ok";
      return { text, structured, isError, duration: performance.now() - started };
    } catch (error) {
      if (error.name === "AbortError") outcome = "stopped";
      throw error;
    } finally {
      this.observe({ tool: name, outcome, duration: performance.now() - started });
    }
  }

  /** Call a tool and return its payload; throws a `ToolFailure` for an error. */
  async tool(name, args, options) {
    const { structured, isError } = await this.call(name, this.fit(name, args), options);
    if (isError) throw failure(name, structured);
    return structured;
  }

  async #request(method, params, { signal, progress, name } = {}) {
    const id = this.#next++;
    const meta = {
      [`${META}/protocolVersion`]: PROTOCOL,
      [`${META}/clientInfo`]: { name: "toolroll-console", version: "1" },
      [`${META}/clientCapabilities`]: {},
    };
    if (progress) meta.progressToken = id;
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": PROTOCOL,
      "Mcp-Method": method,
    };
    if (name) headers["Mcp-Name"] = name;
    if (/[^ -~]/.test(this.#key)) throw new Unauthorised(REFUSED); // no header can carry it
    if (this.#key) headers.Authorization = `Bearer ${this.#key}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } });
    const response = await this.#post(headers, body, signal);
    const message = await answer(response, id, progress);
    if (message.error) throw new Unreachable(message.error.message);
    return message.result;
  }

  async #post(headers, body, signal) {
    let response;
    try {
      response = await fetch(this.#endpoint, {
        method: "POST",
        headers,
        body,
        signal,
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Unreachable("The host does not answer. Is it running?");
    }
    if (response.status === 401) throw new Unauthorised(REFUSED);
    if (response.status === 413) throw new Unreachable("The request is larger than the host allows.");
    if (response.status === 403 || response.status === 421)
      throw new Unreachable("The host refuses this address; add it to [http] allowed_hosts.");
    return response;
  }
}

/** The envelope of an error, which has no `structuredContent`; undefined where it is none. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failure(tool, payload) {
  const message = payload?.message ?? payload?.error ?? "The tool failed.";
  return new ToolFailure(tool, { ...payload, message });
}

async function answer(response, id, progress) {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    for await (const message of events(response.body)) {
      if (message.id === id) return message;
      if (message.method === "notifications/progress") progress?.(message.params);
    }
    throw new Unreachable("The connection ended before the answer.");
  }
  if (!type.startsWith("application/json"))
    throw new Unreachable(`The host answered ${response.status} ${response.statusText}.`);
  return response.json();
}

/** Yield the JSON messages of an event stream. */
async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer = (buffer + value).replaceAll("\r\n", "\n"); // a piece may end between the two
    let end;
    while ((end = buffer.indexOf("\n\n")) >= 0) {
      const data = buffer
        .slice(0, end)
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n");
      buffer = buffer.slice(end + 2);
      if (data) yield JSON.parse(data);
    }
  }
}
