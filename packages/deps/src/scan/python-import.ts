import { Ranges } from "./ranges.ts";
import { type Interest, parseSyntax, type SyntaxNode } from "./syntax.ts";

/** A module that Python code imports. */
export interface PythonImport {
  /** As written: `a.b`. */
  readonly module: string;
  /** The names in a `from` import, which may be modules. */
  readonly names: readonly string[];
  /** Starts at 1. */
  readonly line: number;
  /** True when the code handles the module's absence: a guarded, dynamic or type-checking import. */
  readonly optional: boolean;
}

/**
 * The absolute imports of Python code, even when other parts have syntax errors; undefined when parsing
 * exceeds its limits.
 */
export async function readPythonImports(text: string): Promise<readonly PythonImport[] | undefined> {
  if (!text.includes("import")) return [];
  const imports: PythonImport[] = [];
  const interest = /import_module|__import__/.test(text) ? EVERYTHING : STATEMENTS;
  const isParsed = await parseSyntax("python", interest, text, (nodes) => {
    const guarded = new Ranges();
    for (const node of nodes) addGuard(guarded, node);
    for (const node of nodes) {
      const found =
        node.type === "call" ? fromCall(node) : isStatement(node, text) ? fromStatement(node) : [];
      const optional = node.type === "call" || guarded.has(node.startIndex);
      const line = node.startPosition.row + 1;
      for (const each of found) imports.push({ ...each, line, optional });
    }
  });
  return isParsed ? imports : undefined;
}

const FOUND = [
  "import_statement",
  "import_from_statement",
  "try_statement",
  "if_statement",
  "with_statement",
];
/** The nodes that contain statements. Other nodes are skipped unless a call can be an import. */
const STATEMENTS: Interest = {
  find: FOUND,
  into: `module block ERROR if_statement elif_clause else_clause try_statement except_clause except_group_clause
    finally_clause for_statement while_statement with_statement function_definition class_definition
    decorated_definition match_statement case_clause`.split(/\s+/),
};
const EVERYTHING: Interest = { find: [...FOUND, "call"] };
/** Catching one of these handles a missing module. */
const CAUGHT = /\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b/;
/** Conditions on the platform or on type checking. */
const CONDITION = /\b(?:TYPE_CHECKING|version_info|sys\.platform|os\.name|platform\.system|PY2|PY3)\b/;
const NEGATED = /^\(*\s*not\b/;
/** Longer conditions are cut, because the test is at their start. */
const LONGEST_CLAUSE = 500;

type Found = Pick<PythonImport, "module" | "names">;

function addGuard(guarded: Ranges, node: SyntaxNode): void {
  if (node.type === "try_statement") guardTry(guarded, node);
  else if (node.type === "if_statement") guardIf(guarded, node);
  else if (node.type === "with_statement" && isSuppressing(node)) guarded.add(node.startIndex, node.endIndex);
}

/**
 * Marks the body and the except clauses as optional, because the clauses replace the missing module. If a
 * clause ends the program, the imports of the body stay required.
 */
function guardTry(guarded: Ranges, node: SyntaxNode): void {
  const clauses = node.namedChildren.filter((child) => child?.type.startsWith("except_") === true);
  const catching = clauses.filter((clause) => clause !== null && catchesMissing(clause));
  const body = node.childForFieldName("body");
  const [first] = catching;
  if (first === undefined || first === null || body === null) return;
  const parts = isEnding(first) ? catching : [body, ...catching];
  for (const part of parts) if (part !== null) guarded.add(part.startIndex, part.endIndex);
}

const ENDING = /^(?:sys\s*\.\s*exit|os\s*\.\s*(?:_exit|abort)|exit|quit)\s*\(/;

/** True when a clause ends the program or raises again. */
function isEnding(clause: SyntaxNode): boolean {
  const block = clause.namedChildren.find((child) => child?.type === "block");
  return (block?.namedChildren ?? []).some(
    (statement) =>
      statement?.type === "raise_statement" ||
      (statement?.type === "expression_statement" && ENDING.test(head(statement))),
  );
}

function catchesMissing(clause: SyntaxNode): boolean {
  const first = clause.namedChildren.find((child) => child?.type !== "comment");
  if (first === undefined || first === null || first.type === "block") return true;
  return CAUGHT.test(head(first));
}

function guardIf(guarded: Ranges, node: SyntaxNode): void {
  const condition = head(node.childForFieldName("condition"));
  const body = node.childForFieldName("consequence");
  if (!CONDITION.test(condition) || body === null) return;
  const isForTypes = condition.includes("TYPE_CHECKING");
  if (!(isForTypes && NEGATED.test(condition))) guarded.add(body.startIndex, body.endIndex);
  // The else branch of a type-checking condition runs; the else branch of a platform condition is another
  // platform.
  if (!isForTypes) guarded.add(node.startIndex, node.endIndex);
}

function isSuppressing(node: SyntaxNode): boolean {
  const clause = head(node.namedChildren.find((child) => child?.type === "with_clause") ?? null);
  return /\bsuppress\b/.test(clause) && CAUGHT.test(clause);
}

function head(node: SyntaxNode | null): string {
  return node === null ? "" : node.text.slice(0, LONGEST_CLAUSE);
}

/**
 * In broken code the parser mistakes the end of `from {{ name }} import x` and the start of `import my-{{
 * name }}` for statements.
 */
function isStatement(node: SyntaxNode, text: string): boolean {
  if (/[-<>{}$%]/.test(text.charAt(node.endIndex))) return false;
  const before = text.slice(Math.max(node.startIndex - LONGEST_CLAUSE, 0), node.startIndex);
  return !/^\s*from\b[^:;]*$/.test(before.slice(before.lastIndexOf("\n") + 1));
}

function fromStatement(node: SyntaxNode): readonly Found[] {
  if (node.type === "import_statement") {
    if (node.hasError && !/^import[\s\\]+[\p{L}_]/u.test(head(node))) return [];
    return namesOf(node).map((module) => ({ module, names: [] }));
  }
  if (node.type !== "import_from_statement") return [];
  const source = node.childForFieldName("module_name");
  if (source === null || source.type !== "dotted_name") return [];
  const module = node.hasError && !isWhole(node, source) ? "" : dotted(source);
  return module === "" ? [] : [{ module, names: namesOf(node) }];
}

/** True when only the module is between `from` and `import`, unlike in `from <name> import x`. */
function isWhole(node: SyntaxNode, source: SyntaxNode): boolean {
  const text = head(node);
  const before = text.slice(0, source.startIndex - node.startIndex);
  const after = text.slice(source.endIndex - node.startIndex);
  return /^from[\s\\]+$/.test(before) && /^[\s\\]+import\b/.test(after);
}

function namesOf(node: SyntaxNode): readonly string[] {
  return node.childrenForFieldName("name").flatMap((child) => {
    const name = child?.type === "aliased_import" ? child.childForFieldName("name") : child;
    const text = name === null ? "" : dotted(name);
    return text === "" ? [] : [text];
  });
}

const IDENTIFIERS = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u;

/** Empty when the parser inserted a missing part. */
function dotted(node: SyntaxNode): string {
  const text = node.text.replace(/[\s\\]+/g, "");
  return IDENTIFIERS.test(text) ? text : "";
}

const DYNAMIC = /^(?:__import__|import_module|(?:[A-Za-z_]\w*\.)?(?:import_module|__import__))$/;
const LITERAL = /^[bBuUrR]{0,2}(["'])([A-Za-z_][\w.]*)\1$/;

function fromCall(node: SyntaxNode): readonly Found[] {
  const called = head(node.childForFieldName("function"));
  if (!DYNAMIC.test(called)) return [];
  const argument = node.childForFieldName("arguments")?.firstNamedChild;
  const module = LITERAL.exec(head(argument ?? null))?.[2];
  return module === undefined ? [] : [{ module, names: [] }];
}
