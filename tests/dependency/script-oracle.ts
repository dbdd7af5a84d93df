import { parseAst } from "vitest/node";

/** The imports that another parser finds, as `specifier:line`; undefined when it cannot parse the text. */
export function scriptTruth(text: string, lang: "js" | "dts"): ReadonlySet<string> | undefined {
  const program = parse(text, lang);
  if (program === undefined) return undefined;
  const found = new Set<string>();
  const waiting = [{ node: program, hidesRequire: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next;
    const hidesRequire = next.hidesRequire || takesRequire(node);
    const specifier = literal(sourceOf(node, hidesRequire));
    if (specifier !== undefined) found.add(`${specifier}:${lineAt(text, node.start)}`);
    for (const child of childrenOf(node)) waiting.push({ node: child, hidesRequire });
  }
  return found;
}

/** An ESTree node with the fields that are read here. */
interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

function parse(text: string, lang: "js" | "dts"): TreeNode | undefined {
  for (const sourceType of ["module", "script"] as const) {
    try {
      // Tree nodes have a type and a position.
      return parseAst(text, { lang, sourceType, preserveParens: false }) as unknown as TreeNode;
    } catch {
      // The text is of the other kind, or not code.
    }
  }
  return undefined;
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function childrenOf(node: TreeNode): readonly TreeNode[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

/** A `require` parameter belongs to a bundler. */
function takesRequire({ params }: TreeNode): boolean {
  return Array.isArray(params) && params.some((each) => isNode(each) && each["name"] === "require");
}

const STATEMENTS = [
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
];

function sourceOf(node: TreeNode, hidesRequire: boolean): unknown {
  if (STATEMENTS.includes(node.type)) return node["source"];
  if (node.type === "TSImportType") return node["source"];
  if (node.type === "TSExternalModuleReference") return undefined;
  if (node.type === "TSImportEqualsDeclaration") {
    const reference = node["moduleReference"];
    return isNode(reference) ? reference["expression"] : undefined;
  }
  const args = node["arguments"];
  if (node.type !== "CallExpression" || !Array.isArray(args)) return undefined;
  return isAsking(node["callee"], hidesRequire) ? args[0] : undefined;
}

function isAsking(called: unknown, hidesRequire: boolean): boolean {
  const isRequire = (node: unknown) => isNamed(node, "require") && !hidesRequire;
  if (isRequire(called)) return true;
  if (!isNode(called) || called.type !== "MemberExpression" || called["computed"] === true) return false;
  const { object, property } = called;
  if (isNamed(property, "resolve"))
    return isRequire(object) || (isNode(object) && object.type === "MetaProperty");
  return isNamed(property, "require") && isNamed(object, "module");
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node["name"] === name;
}

function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  const { quasis, expressions } = node;
  if (!Array.isArray(quasis) || !Array.isArray(expressions) || expressions.length > 0) return undefined;
  const cooked: unknown = quasis[0]?.value?.cooked;
  return typeof cooked === "string" ? cooked : undefined;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
