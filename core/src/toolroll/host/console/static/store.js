// The project files of a host, through whichever of the file tools it serves.

import { decode, encode, parts } from "./bytes.js";
import { ToolFailure } from "./mcp.js";

const PAGE = 200;
const READ_BYTES = 1 << 20;
const LEAST_READ_BYTES = 1 << 12;
const WRITE_BYTES = 500_000;
const NEEDED = ["file_stat", "file_read", "file_list"];

export class FileStore {
  constructor(session) {
    this.session = session;
  }

  /** Whether the host serves what browsing takes. */
  get available() {
    return NEEDED.every((name) => this.session.has(name));
  }

  can(tool) {
    return this.session.has(tool);
  }

  /** Return every project with its totals, or null where the host can't list them. */
  async projects() {
    if (!this.can("file_list_projects")) return null;
    const found = [];
    let cursor;
    do {
      const page = await this.session.tool("file_list_projects", { limit: PAGE, cursor });
      found.push(...page.projects);
      cursor = page.next_cursor;
    } while (cursor);
    return found;
  }

  /** Return how far search is behind the files of a project, or null where the host can't say. */
  async indexStatus(project) {
    return this.can("file_index_status") ? this.session.tool("file_index_status", { project }) : null;
  }

  /** Return one page of a directory, `{entries, cursor, truncated}`, directories first. */
  async children(project, path, cursor) {
    let entries, next = "", truncated = false;
    if (this.can("file_list_page")) {
      const page = await this.session.tool("file_list_page", {
        project, path, depth: 1, limit: PAGE, cursor,
      });
      [entries, next] = [page.entries, page.next_cursor];
    } else {
      const page = await this.session.tool("file_list", { project, path, depth: 1, limit: PAGE });
      [entries, truncated] = [page.entries, page.has_more];
    }
    const rank = (entry) => (entry.type === "DIRECTORY" ? 0 : 1);
    entries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    return { entries, cursor: next, truncated };
  }

  stat(project, path) {
    return this.session.tool("file_stat", { project, path });
  }

  /** Read a whole file in as many pieces as the host's output bound asks for. */
  async read(project, path, size, progress = () => {}) {
    let text = "";
    let length = READ_BYTES;
    for (let offset = 0; offset < size; ) {
      try {
        const part = await this.session.tool("file_read", { project, path, offset, length });
        text += part.content;
        offset += length;
        progress(Math.min(offset, size), size);
      } catch (error) {
        const tooLarge = error instanceof ToolFailure && error.code === "PAYLOAD_TOO_LARGE";
        if (!tooLarge || length <= LEAST_READ_BYTES) throw error;
        length = Math.max(LEAST_READ_BYTES, length >> 1);
      }
    }
    return text;
  }

  /** Replace a file's content. Larger ones go in pieces: the first clears, the rest append. */
  async write(project, path, content, progress = () => {}) {
    const bytes = typeof content === "string" ? encode(content) : content;
    let done = 0;
    let mode = "TRUNCATE";
    for (const part of bytes.length ? parts(bytes, WRITE_BYTES) : [bytes]) {
      await this.session.tool("file_write", {
        project, path, mode, offset: 0, content: decode(part), content_encoding: "utf-8",
      });
      mode = "APPEND";
      done += part.length;
      progress(done, bytes.length);
    }
    return done;
  }

  remove(project, path, recursive) {
    return this.session.tool("file_delete", { project, path, recursive });
  }

  move(project, from, to, overwrite) {
    return this.session.tool("file_rename", {
      project, from_path: from, to_path: to, overwrite,
    });
  }

  restore(project, path) {
    return this.session.tool("file_undelete", { project, path });
  }

  deleted(project, cursor) {
    return this.session.tool("file_list_deleted", { project, path: "", limit: 100, cursor });
  }

  async search(project, query, prefix, limit) {
    const found = await this.session.tool("file_search", {
      project, query, path_prefix: prefix, limit,
    });
    return found.chunks;
  }

  grep(project, pattern, path, ignoreCase, cursor) {
    return this.session.tool("file_grep", {
      project, pattern, path, ignore_case: ignoreCase, limit: 50, cursor,
    });
  }
}
