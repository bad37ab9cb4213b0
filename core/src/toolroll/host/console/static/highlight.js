// A small tokeniser: text in, spans of [start, end, kind] out. It never builds markup.

const number = { kind: "number", re: /\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b/iy };
const doubled = { kind: "string", re: /"(?:[^"\\\n]|\\.)*"?/y };
const single = { kind: "string", re: /'(?:[^'\\\n]|\\.)*'?/y };
const hash = { kind: "comment", re: /#.*/y };
const slashes = { kind: "comment", re: /\/\/.*/y };
const block = { kind: "comment", re: /\/\*[\s\S]*?(?:\*\/|$)/y };
const call = { kind: "call", re: /[A-Za-z_$][\w$]*(?=\s*\()/y };
const word = { kind: "", re: /[A-Za-z_$][\w$]*/y };

function words(list, kind = "keyword", flags = "y") {
  return { kind, re: new RegExp(`\\b(?:${list.trim().split(/\s+/).join("|")})\\b`, flags) };
}

const C_WORDS = words(`
  abstract as async await auto bool boolean break byte case catch char class const continue default
  defer delete do double else enum export extends extern final finally float fn for from func
  function go if implements import in instanceof int interface let long loop map match mod mut new
  package private protected pub public range return self short sizeof static struct super switch
  this throw throws trait try type typedef typeof union unsafe use var void where while yield`);
const C_VALUES = words("true false null undefined nil None NaN Infinity", "literal");
const C_LIKE = [
  block, slashes, doubled, single, { kind: "string", re: /`(?:[^`\\]|\\[\s\S])*`?/y },
  { kind: "meta", re: /@[\w.]+|#\[[^\]\n]*\]|#(?:include|define|if\w*|endif|pragma)\b.*/y },
  number, C_WORDS, C_VALUES, call, word,
];

const GRAMMARS = {
  c: C_LIKE,
  python: [
    { kind: "string", re: /[rbuf]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))/iy },
    { kind: "string", re: /[rbuf]{0,2}(?:"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)/iy },
    hash, { kind: "meta", re: /@[\w.]+/y }, number,
    words(`and as assert async await break case class continue def del elif else except finally for
      from global if import in is lambda match nonlocal not or pass raise return try while with yield`),
    words("True False None self cls", "literal"), call, word,
  ],
  json: [
    { kind: "property", re: /"(?:[^"\\\n]|\\.)*"(?=\s*:)/y },
    doubled, { kind: "number", re: /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/iy },
    words("true false null", "literal"),
  ],
  config: [
    hash, { kind: "comment", re: /^;.*/my }, { kind: "heading", re: /^\s*\[{1,2}[^\]\n]*\]{1,2}/my },
    { kind: "property", re: /^[ \t]*(?:- )?[\w."-]+(?=\s*[:=])/my },
    doubled, single, number, words("true false null yes no on off", "literal", "iy"), word,
  ],
  shell: [
    hash, doubled, { kind: "string", re: /'[^']*'?/y },
    { kind: "property", re: /\$\{[^}\n]*\}|\$[\w@*#?!-]+/y },
    words(`if then elif else fi for while until do done case esac in function return exit export local
      set unset cd echo test`), { kind: "meta", re: /(?<=\s)--?[\w-]+/y }, number, word,
  ],
  sql: [
    { kind: "comment", re: /--.*/y }, block, single, { kind: "property", re: /"[^"\n]*"/y }, number,
    words(`add all alter and as asc begin between by case check column commit constraint create default
      delete desc distinct drop else end exists foreign from group having if in index inner insert into
      is join key left like limit not null on or order outer primary references returning right
      rollback select set table then union unique update using values view when where with`,
      "keyword", "iy"), call, word,
  ],
  css: [
    block, doubled, single, { kind: "meta", re: /@[\w-]+/y },
    { kind: "property", re: /--[\w-]+|[\w-]+(?=\s*:)/y },
    { kind: "number", re: /#[\da-f]{3,8}\b|-?\d*\.?\d+(?:%|[a-z]+)?/iy },
    { kind: "", re: /[\w-]+/y },
  ],
  markup: [
    { kind: "comment", re: /<!--[\s\S]*?(?:-->|$)/y }, { kind: "meta", re: /<[!?][^>]*>/y },
    { kind: "keyword", re: /<\/?[\w:-]+|\/?>/y }, { kind: "property", re: /\b[\w:-]+(?==["'])/y },
    { kind: "string", re: /(?<==)(?:"[^"]*"|'[^']*')/y }, { kind: "literal", re: /&#?\w+;/y },
    { kind: "", re: /\w+/y },
  ],
  markdown: [
    { kind: "string", re: /^(`{3,}|~{3,})[\s\S]*?(?:^\1|(?![\s\S]))/my },
    { kind: "heading", re: /^#{1,6} .*/my }, { kind: "string", re: /`[^`\n]+`/y },
    { kind: "keyword", re: /^\s*(?:[-*+]|\d+\.) /my }, { kind: "comment", re: /^> .*/my },
    { kind: "strong", re: /\*\*[^*\n]+\*\*/y }, { kind: "call", re: /!?\[[^\]\n]*\]\([^)\n]*\)/y },
    { kind: "", re: /\w+/y },
  ],
};

const LANGUAGES = {
  python: ["Python", "py pyi pyw"],
  c: ["", "js mjs cjs jsx ts tsx go rs java kt c h cc cpp hpp cs swift php scala dart proto"],
  json: ["JSON", "json jsonl ipynb webmanifest"],
  config: ["", "toml yaml yml ini cfg conf properties env lock"],
  shell: ["Shell", "sh bash zsh fish"],
  sql: ["SQL", "sql"],
  css: ["CSS", "css scss less"],
  markup: ["", "html htm xml svg vue rss xhtml"],
  markdown: ["Markdown", "md markdown mdx"],
};
const NAMES = {
  js: "JavaScript", mjs: "JavaScript", ts: "TypeScript", tsx: "TypeScript", go: "Go", rs: "Rust",
  java: "Java", c: "C", h: "C", cc: "C++", cpp: "C++", cs: "C#", toml: "TOML", yaml: "YAML",
  yml: "YAML", ini: "INI", html: "HTML", xml: "XML", svg: "SVG",
};

/** Return `{grammar, label}` for a file name; grammar is "" for plain text. */
export function language(name) {
  const file = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const extension = file.includes(".") ? file.slice(file.lastIndexOf(".") + 1) : "";
  if (/^(makefile|dockerfile|justfile)$/.test(file)) return { grammar: "shell", label: "Shell" };
  for (const [grammar, [label, extensions]] of Object.entries(LANGUAGES)) {
    if (extensions.split(" ").includes(extension))
      return { grammar, label: label || NAMES[extension] || extension.toUpperCase() };
  }
  return { grammar: "", label: "Plain text" };
}

/** Yield `[start, end, kind]` for every token that has a kind; what lies between is plain. */
export function* tokens(text, grammar) {
  const rules = GRAMMARS[grammar] ?? [];
  let position = 0;
  outer: while (rules.length && position < text.length) {
    for (const { kind, re } of rules) {
      re.lastIndex = position;
      const found = re.exec(text);
      if (!found || found[0].length === 0) continue;
      const end = position + found[0].length;
      if (kind) yield [position, end, kind];
      position = end;
      continue outer;
    }
    position += 1;
  }
}
