import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Ranges } from "./ranges.ts";
import { type Interest, type Language, parseSyntax, type SyntaxNode } from "./syntax.ts";

/** A specifier in JavaScript or TypeScript code. */
export interface ScriptImport {
  readonly specifier: string;
  /** Starts at 1. */
  readonly line: number;
  /** True when the code handles the absence of the package, or imports only types. */
  readonly optional: boolean;
}

/**
 * The imports of a script, even when other parts have syntax errors; undefined when parsing exceeds its
 * limits.
 */
export async function readScriptImports(
  language: Exclude<Language, "python" | "bash">,
  text: string,
): Promise<readonly ScriptImport[] | undefined> {
  if (!/import|require|export/.test(text)) return [];
  const key = `${language}:${createHash("sha256").update(text, "utf16le").digest("base64")}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const imports = await parseImports(language, text);
  // A text that exceeds its limits is parsed again, because time is one of them.
  if (imports === undefined) return imports;
  // A copy, because a slice of the text would keep all of it in memory.
  kept.set(key, structuredClone(imports));
  return imports;
}

const BYTES_PER_IMPORT = 100;
const MAX_BYTES = 4 * 1024 * 1024;

/** The imports of the last texts, because skills share files. */
const kept = new LRUCache<string, readonly ScriptImport[]>({
  maxSize: MAX_BYTES,
  sizeCalculation: (imports) =>
    imports.reduce((sum, { specifier }) => sum + BYTES_PER_IMPORT + 2 * specifier.length, BYTES_PER_IMPORT),
});

async function parseImports(
  language: Exclude<Language, "python" | "bash">,
  text: string,
): Promise<readonly ScriptImport[] | undefined> {
  const imports: ScriptImport[] = [];
  const isParsed = await parseSyntax(language, interestIn(language, text), text, (nodes) => {
    const guarded = new Ranges();
    const shadowed = new Ranges();
    for (const node of nodes) addRanges(guarded, shadowed, node);
    for (const node of nodes) {
      const found = node.type === "call_expression" ? fromCall(node, shadowed) : fromStatement(node);
      if (found === undefined) continue;
      const optional = found.isType || guarded.has(node.startIndex);
      imports.push({ specifier: found.specifier, line: node.startPosition.row + 1, optional });
    }
  });
  return isParsed ? imports : undefined;
}

const STATEMENTS = ["import_statement", "export_statement"];
/** The nodes in which `import("x").A` is a type. */
const TYPES = [
  "ambient_declaration",
  "type_annotation",
  "type_alias_declaration",
  "interface_declaration",
  "type_arguments",
  "type_query",
];
const FUNCTIONS = ["function_declaration", "function_expression", "arrow_function", "method_definition"];

const ATOP: Interest = { find: STATEMENTS, into: ["program", "ERROR"] };
/** Imports in `declare module "x" { import … }` are types. */
const ATOP_OF_TYPES: Interest = {
  find: [...STATEMENTS, "ambient_declaration"],
  into: ["program", "ERROR", "ambient_declaration", "module", "statement_block"],
};

/**
 * Import statements are at the top level. Calls can be anywhere, so they are searched only when the text can
 * contain one.
 */
function interestIn(language: Language, text: string): Interest {
  if (!/\brequire\b|\bimport\s*[(.]/.test(text)) return language === "javascript" ? ATOP : ATOP_OF_TYPES;
  const types = language === "javascript" ? [] : [...TYPES, "as_expression"];
  const functions = /[(,]\s*require\s*[,):]/.test(text) ? FUNCTIONS : [];
  return { find: [...STATEMENTS, "try_statement", "call_expression", ...types, ...functions] };
}

function addRanges(guarded: Ranges, shadowed: Ranges, node: SyntaxNode): void {
  const { type } = node;
  if (type === "try_statement") guardTry(guarded, node);
  else if (type === "call_expression") guardCaught(guarded, node);
  else if (type === "as_expression") guardCast(guarded, node);
  else if (TYPES.includes(type)) guarded.add(node.startIndex, node.endIndex);
  else if (FUNCTIONS.includes(type) && takesRequire(node)) shadowed.add(node.startIndex, node.endIndex);
}

/** Marks the body and the catch clause as optional; only the clause when it ends the program. */
function guardTry(guarded: Ranges, node: SyntaxNode): void {
  const handler = node.childForFieldName("handler");
  const body = node.childForFieldName("body");
  if (handler === null || body === null) return;
  if (!isEnding(handler)) guarded.add(body.startIndex, body.endIndex);
  guarded.add(handler.startIndex, handler.endIndex);
}

const ENDING = /^process\s*\.\s*(?:exit|abort)\s*\(/;

function isEnding(handler: SyntaxNode): boolean {
  const statements = handler.childForFieldName("body")?.namedChildren ?? [];
  return statements.some(
    (statement) =>
      statement?.type === "throw_statement" ||
      (statement?.type === "expression_statement" && ENDING.test(statement.text.slice(0, LONGEST_NAME))),
  );
}

/** Handles `import("x").catch(…)`. */
function guardCaught(guarded: Ranges, node: SyntaxNode): void {
  const member = node.childForFieldName("function");
  if (member?.type !== "member_expression") return;
  const object = member.childForFieldName("object");
  if (object === null || member.childForFieldName("property")?.text !== "catch") return;
  guarded.add(object.startIndex, object.endIndex);
}

/** Handles `value as import("x").A`. */
function guardCast(guarded: Ranges, node: SyntaxNode): void {
  const type = node.lastNamedChild;
  if (type !== null) guarded.add(type.startIndex, type.endIndex);
}

/** A `require` parameter belongs to a bundler and resolves inside the bundle. */
function takesRequire(node: SyntaxNode): boolean {
  const parameters = node.childForFieldName("parameters")?.namedChildren ?? [];
  return parameters.some((parameter) => {
    const name = parameter?.childForFieldName("pattern") ?? parameter;
    return name?.type === "identifier" && name.text === "require";
  });
}

interface Found {
  readonly specifier: string;
  readonly isType: boolean;
}

function fromStatement(node: SyntaxNode): Found | undefined {
  if (!STATEMENTS.includes(node.type)) return undefined;
  const specifier = literal(node.childForFieldName("source") ?? requiredSource(node));
  return specifier === undefined ? undefined : { specifier, isType: isTypeOnly(node) };
}

/** Handles `import x = require("y")`. */
function requiredSource(node: SyntaxNode): SyntaxNode | null {
  const clause = node.namedChildren.find((child) => child?.type === "import_require_clause");
  return clause?.childForFieldName("source") ?? null;
}

/** True for `import type …` and `import { type A, type B } …`. */
function isTypeOnly(node: SyntaxNode): boolean {
  const second = node.child(1);
  if (second?.type === "type" || second?.type === "typeof") return true;
  const clause = second?.type === "import_clause" ? second.namedChildren : [second];
  const [list] = clause;
  if (clause.length !== 1 || (list?.type !== "named_imports" && list?.type !== "export_clause")) return false;
  const names = list.namedChildren.filter((child) => child?.type.endsWith("_specifier"));
  return names.length > 0 && names.every((name) => name?.child(0)?.type === "type" && name.childCount > 1);
}

const ASKING = /^(?:import|require|(?:module\.)?require(?:\.resolve)?|import\.meta\.resolve)$/;
const LONGEST_NAME = 40;

function fromCall(node: SyntaxNode, shadowed: Ranges): Found | undefined {
  const called = node.childForFieldName("function");
  if (called === null || called.endIndex - called.startIndex > LONGEST_NAME) return undefined;
  const name = called.text.replace(/\s+/g, "");
  if (!ASKING.test(name)) return undefined;
  if (name.startsWith("require") && shadowed.has(node.startIndex)) return undefined;
  const specifier = literal(firstValue(node.childForFieldName("arguments")));
  return specifier === undefined ? undefined : { specifier, isType: false };
}

function firstValue(node: SyntaxNode | null): SyntaxNode | null {
  return node?.namedChildren.find((child) => child?.type !== "comment") ?? null;
}

const LONGEST_SPECIFIER = 500;
const ESCAPES = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([^xu]))/g;

/** The value of a string, or of a template without substitutions. */
function literal(node: SyntaxNode | null): string | undefined {
  if (node === null || node.endIndex - node.startIndex > LONGEST_SPECIFIER) return undefined;
  // A cast in a comment requires parentheses.
  if (node.type === "parenthesized_expression") return literal(firstValue(node));
  const isPlain =
    node.type === "string" ||
    (node.type === "template_string" &&
      node.namedChildren.every((child) => child?.type !== "template_substitution"));
  if (!isPlain) return undefined;
  const text = node.text.slice(1, -1);
  return text.includes("\\") ? text.replace(ESCAPES, plainOf) : text;
}

function plainOf(_: string, hex = "", unit = "", point = "", other = ""): string {
  const code = Number.parseInt(hex || unit || point, 16);
  // No package name contains a line end or a tab, so the exact character is irrelevant.
  if (Number.isNaN(code)) return /[bfnrtv0\s]/.test(other) ? "\n" : other;
  return code > 0x10ffff ? "\n" : String.fromCodePoint(code);
}
