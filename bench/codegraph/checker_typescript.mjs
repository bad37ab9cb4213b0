// What TypeScript's own checker says that each call of a project calls, as lines of JSON.
//
//     node checker_typescript.mjs DIRECTORY < files.json      ([path…], relative to DIRECTORY)
//
// `typescript@5` is taken from the working directory. A row is one call, `new`, tagged template, JSX element or
// read of an accessor: {file, lines, name, kind, status, targets, below}. `status` says whether the checker knows the
// one definition of the project that is called ("known"), knows only a type that others implement ("open"), something
// outside of the project ("outside") or nothing ("unknown"). `below` are definitions in classes derived from it.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const require = createRequire(path.join(process.cwd(), "index.js"));
const ts = require("typescript");
const root = fs.realpathSync(process.argv[2]);
const paths = JSON.parse(fs.readFileSync(0, "utf8")).map((one) => path.join(root, one));
const inside = new Set(paths);

function options() {
  const found = ["tsconfig.json", "jsconfig.json"].map((name) => path.join(root, name)).find(fs.existsSync);
  let own = {};
  if (found) {
    const read = ts.readConfigFile(found, ts.sys.readFile);
    const { compilerOptions = {} } = read.config ?? {};
    own = ts.convertCompilerOptionsFromJson(compilerOptions, root).options;
  }
  const aliases = { ...(own.paths ?? {}) };
  for (const [name, directory] of packages()) {
    const entry = ["src/index.ts", "src/index.tsx", "index.ts", "src/index.js", "index.js"]
      .map((one) => path.join(directory, one)).find(fs.existsSync);
    if (entry) aliases[name] ??= [entry];
    aliases[`${name}/*`] ??= [path.join(directory, "src/*"), path.join(directory, "*")];
  }
  return {
    lib: ["lib.esnext.full.d.ts"], jsx: ts.JsxEmit.Preserve, strict: true,
    ...(own.experimentalDecorators ? { experimentalDecorators: true } : {}),
    ...(own.baseUrl ? { baseUrl: own.baseUrl } : {}),
    paths: aliases, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler, allowJs: true, checkJs: true, noEmit: true,
    skipLibCheck: true, maxNodeModuleJsDepth: 0, allowImportingTsExtensions: true, esModuleInterop: true,
    noImplicitAny: true, resolveJsonModule: true, allowArbitraryExtensions: true,
  };
}

function* packages() {
  const seen = new Set();
  for (const file of paths) {
    for (let at = path.dirname(file); at.startsWith(root) && !seen.has(at); at = path.dirname(at)) {
      seen.add(at);
      const manifest = path.join(at, "package.json");
      if (!fs.existsSync(manifest)) continue;
      const { name } = JSON.parse(fs.readFileSync(manifest, "utf8"));
      if (name) yield [name, at];
    }
  }
}

const program = ts.createProgram(paths, options());
const checker = program.getTypeChecker();
const K = ts.SyntaxKind;
const sources = paths.map((one) => program.getSourceFile(one)).filter(Boolean);

function line(node, position) {
  return node.getSourceFile().getLineAndCharacterOfPosition(position).line + 1;
}

function isFunction(node) {
  return ts.isFunctionLike(node) && node.body !== undefined;
}

function isInside(node) {
  return inside.has(node.getSourceFile().fileName);
}

/** The definition that a symbol's declarations have a body for. */
function written(declarations) {
  return (declarations ?? []).filter((one) => isFunction(one) || ts.isClassLike(one));
}

function unwrapped(node) {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node) ||
    ts.isSatisfiesExpression(node) || ts.isTypeAssertionExpression(node))) node = node.expression;
  return node;
}

/** What a symbol's own initializer is, where that is a function or a class. */
function initialized(symbol) {
  const found = [];
  for (const one of symbol?.declarations ?? []) {
    if (isFunction(one) || ts.isClassLike(one)) found.push(one);
    const constant = ts.isVariableDeclaration(one) && one.parent.flags & ts.NodeFlags.Const;
    if (constant || ts.isPropertyDeclaration(one) || ts.isPropertyAssignment(one)) {
      const value = unwrapped(one.initializer);
      if (value && (isFunction(value) || ts.isClassLike(value))) found.push(value);
      else if (value && constant && ts.isIdentifier(value)) found.push(...initialized(followed(value)));
    }
    if (ts.isShorthandPropertyAssignment(one)) {
      found.push(...initialized(aliased(checker.getShorthandAssignmentValueSymbol(one))));
    }
    if (ts.isBinaryExpression(one.parent ?? one) && one.parent.left === one) {
      const value = unwrapped(one.parent.right);
      if (value && (isFunction(value) || ts.isClassLike(value))) found.push(value);
    }
  }
  return found;
}

function aliased(symbol) {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function followed(node) {
  node = unwrapped(node);
  const at = ts.isPropertyAccessExpression(node) ? node.name : node;
  return aliased(checker.getSymbolAtLocation(at));
}

function place(node) {
  const name = node.name ?? (node.parent && "name" in node.parent ? node.parent.name : undefined);
  const starts = new Set([line(node, node.getStart())]);
  if (name) starts.add(line(node, name.getStart()));
  for (const one of node.modifiers ?? []) starts.add(line(node, one.getEnd()));
  let label = name?.getText() ?? "";
  if (node.kind === K.Constructor) label = "constructor";
  return {
    file: path.relative(root, node.getSourceFile().fileName), lines: [...starts], name: label,
    kind: ts.isClassLike(node) ? "class" : "function",
  };
}

/** Class or interface symbol → those derived from it. */
const derived = new Map();
function collect(node) {
  if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) {
    const own = checker.getTypeAtLocation(node).symbol;
    for (const clause of node.heritageClauses ?? []) {
      for (const one of clause.types) {
        const base = checker.getTypeAtLocation(one);
        for (const symbol of [base.symbol, ...(base.isIntersection() ? base.types.map((it) => it.symbol) : [])]) {
          if (symbol && own) derived.set(symbol, (derived.get(symbol) ?? new Set()).add(own));
        }
      }
    }
  }
  ts.forEachChild(node, collect);
}
sources.forEach(collect);

function* descendants(symbol, seen = new Set()) {
  for (const one of derived.get(symbol) ?? []) {
    if (seen.has(one)) continue;
    seen.add(one);
    yield one;
    yield* descendants(one, seen);
  }
}

/** Definitions of the same member in the classes derived from the declaration's own. */
function below(declaration) {
  const member = declaration.name ? checker.getSymbolAtLocation(declaration.name) : declaration.symbol;
  const owner = member?.parent ?? declaration.parent?.symbol;
  if (!owner || !member) return [];
  const found = [];
  for (const one of descendants(owner)) {
    found.push(...initialized(one.members?.get(member.escapedName)));
  }
  return found.filter(isInside);
}

/** What a member is in each class of a union that it is read from. */
function ofUnion(callee) {
  const node = unwrapped(callee);
  if (!ts.isPropertyAccessExpression(node)) return [];
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node.expression));
  if (!type.isUnion()) return [];
  const members = type.types.map((one) => checker.getPropertyOfType(one, node.name.text));
  return members.every(Boolean) ? [...new Set(members)] : [];
}

/** Whether a type outside of the project may be one that the project implements. */
function isOpen(declaration) {
  return !program.isSourceFileDefaultLibrary(declaration.getSourceFile()) && !ts.isClassLike(declaration.parent);
}

function classOf(type) {
  return (type?.symbol?.declarations ?? []).filter(ts.isClassLike);
}

/** [status, definitions, open declaration] of a call. */
function answer(node, callee) {
  const signature = checker.getResolvedSignature(node);
  let declaration = signature?.declaration;
  if (!declaration?.getSourceFile()) declaration = undefined; // what the checker made for an element
  const creates = ts.isNewExpression(node) || callee.kind === K.SuperKeyword;
  const type = checker.getTypeAtLocation(callee);
  if (creates || (ts.isJsxOpeningLikeElement(node))) {
    const told = declaration && program.isSourceFileDefaultLibrary(declaration.getSourceFile());
    const classes = classOf(type).length ? classOf(type)
      : creates && !told ? classOf(signature && checker.getReturnTypeOfSignature(signature)) : [];
    for (const one of classes) {
      const known = constructorOf(one);
      if (known && isInside(known)) return ["known", [known]];
      if (isInside(one)) return callee.kind === K.SuperKeyword ? ["outside", []] : ["known", [one]];
    }
  }
  if (type.flags & ts.TypeFlags.Any && !declaration) return ["unknown", []];
  const union = ofUnion(callee);
  if (union.length > 1) {
    const found = union.flatMap(initialized).filter(isInside);
    return found.length ? ["known", found] : ["unknown", []];
  }
  if (declaration && !isFunction(declaration)) {
    const bodies = written(declaration.symbol?.declarations).filter((one) => !ts.isClassLike(one));
    if (bodies.length) declaration = bodies[0];
  }
  if (declaration && isFunction(declaration)) {
    return isInside(declaration) ? ["known", [declaration]] : ["outside", []];
  }
  const symbol = followed(callee);
  const own = symbol ? initialized(symbol).filter(isInside) : [];
  if (own.length === 1) return ["known", own];
  if (!declaration) return ["unknown", []];
  const member = symbol?.valueDeclaration ?? declaration;
  if (isInside(member) || isInside(declaration)) return ["open", [], member];
  return [isOpen(declaration) ? "unknown" : "outside", []];
}

function constructorOf(node) {
  for (let one = node, depth = 0; one && depth < 30; depth += 1) {
    const own = one.members.find((member) => ts.isConstructorDeclaration(member) && member.body);
    if (own) return own;
    const clause = one.heritageClauses?.find((it) => it.token === K.ExtendsKeyword);
    const base = clause && classOf(checker.getTypeAtLocation(clause.types[0]));
    one = base?.[0];
  }
  return undefined;
}

/** The innermost function or module that a node's code runs in. */
function caller(node) {
  let one = node, from = node;
  for (;;) {
    from = one;
    one = one.parent;
    if (!one || ts.isSourceFile(one)) return undefined;
    if (isFunction(one) && (from === one.body || ts.isParameter(from))) return place(one);
  }
}

function emit(node, callee, kind, [status, targets, declaration]) {
  const start = ts.isPropertyAccessExpression(unwrapped(callee)) ? unwrapped(callee).name : callee;
  const lines = new Set([line(node, node.getStart()), line(node, start.getStart())]);
  const members = [...targets, ...(declaration ? [declaration] : [])].filter((one) => one.kind !== K.Constructor);
  console.log(JSON.stringify({
    file: path.relative(root, node.getSourceFile().fileName), lines: [...lines], kind, status,
    name: start.getText().slice(0, 60), caller: caller(node) ?? null, targets: targets.map(place),
    below: [...new Set(members.flatMap(below))].map(place),
  }));
}

function visit(node) {
  if (ts.isCallExpression(node)) {
    if (node.expression.kind !== K.ImportKeyword) emit(node, node.expression, "call", answer(node, node.expression));
  } else if (ts.isNewExpression(node)) emit(node, node.expression, "new", answer(node, node.expression));
  else if (ts.isTaggedTemplateExpression(node)) emit(node, node.tag, "call", answer(node, node.tag));
  else if (ts.isDecorator(node) && !ts.isCallExpression(node.expression)) {
    emit(node, node.expression, "decorator", answer(node, node.expression));
  } else if (ts.isJsxOpeningLikeElement(node)) {
    if (!ts.isIdentifier(node.tagName) || /^[A-Z_$]/.test(node.tagName.text)) {
      emit(node, node.tagName, "element", answer(node, node.tagName));
    }
  } else if (ts.isPropertyAccessExpression(node)) accessor(node);
  ts.forEachChild(node, visit);
}

function accessor(node) {
  const symbol = checker.getSymbolAtLocation(node.name);
  if (!symbol || !(symbol.flags & ts.SymbolFlags.Accessor)) return;
  const parent = node.parent;
  const assigned = ts.isBinaryExpression(parent) && parent.left === node &&
    parent.operatorToken.kind >= K.FirstAssignment && parent.operatorToken.kind <= K.LastAssignment;
  const wanted = assigned && parent.operatorToken.kind === K.EqualsToken ? ts.isSetAccessor : ts.isGetAccessor;
  const targets = (symbol.declarations ?? []).filter((one) => wanted(one) && isFunction(one) && isInside(one));
  if (targets.length) emit(node, node, "accessor", ["known", targets]);
}

sources.forEach(visit);
