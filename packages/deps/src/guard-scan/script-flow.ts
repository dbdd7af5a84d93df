import type { CodeNode, CodeTree } from "./code-tree.ts";
import { type FlowEffects, secretValue } from "./flow-effect.ts";
import {
  concat,
  type FlowValue,
  join,
  merge,
  NOTHING,
  sameValue,
  Taint,
  textValue,
  withTaint,
} from "./flow-value.ts";

import { scriptCallEffect } from "./script-call.ts";

const ROUNDS = 4;
const MAX_VISITS = 600_000;

/** Follows data through a JavaScript or TypeScript text by names, and reports its effects. */
export function readScriptFlows(tree: CodeTree, effects: FlowEffects): void {
  const reader = new ScriptReader(tree, effects);
  for (let round = 0; round < ROUNDS; round += 1) if (!reader.run(false)) break;
  reader.run(true);
}

const FUNCTIONS = new Set([
  "arrow_function",
  "function_expression",
  "function_declaration",
  "method_definition",
  "function",
  "generator_function_declaration",
  "generator_function",
]);

class ScriptReader {
  readonly #tree: CodeTree;
  readonly #effects: FlowEffects;
  readonly #names = new Map<string, FlowValue>();
  readonly #modules = new Map<string, string>();
  readonly #parameters = new Map<string, readonly CodeNode[]>();
  readonly #returns = new Map<string, FlowValue>();
  #isChanged = false;
  #isReporting = false;
  #visits = 0;
  #inside = "";

  constructor(tree: CodeTree, effects: FlowEffects) {
    this.#tree = tree;
    this.#effects = effects;
  }

  run(isReporting: boolean): boolean {
    this.#isChanged = false;
    this.#isReporting = isReporting;
    this.#visits = 0;
    for (const kid of this.#tree.root.kids) this.#eval(kid);
    return this.#isChanged;
  }

  #text({ start, end }: CodeNode): string {
    return this.#tree.text.slice(start, end);
  }

  #keep(into: Map<string, FlowValue>, name: string, value: FlowValue): undefined {
    const known = into.get(name);
    const next = known === undefined ? value : merge(known, value);
    if (known !== undefined && sameValue(known, next)) return;
    into.set(name, next);
    this.#isChanged = true;
  }

  #assign(target: CodeNode, value: FlowValue, source?: string): undefined {
    switch (target.type) {
      case "identifier":
      case "shorthand_property_identifier_pattern": {
        const name = this.#text(target);
        if (source !== undefined && source !== "") this.#modules.set(name, source);
        return this.#keep(this.#names, name, value);
      }
      case "member_expression": {
        const last = target.kids.at(-1);
        return last === undefined ? undefined : this.#keep(this.#names, `.${this.#text(last)}`, value);
      }
      case "subscript_expression": {
        const [object] = target.kids;
        return object === undefined ? undefined : this.#assign(object, { ...value, text: undefined });
      }
      case "object_pattern":
        for (const kid of target.kids) this.#destructure(kid, value, source);
        return;
      case "array_pattern":
        for (const kid of target.kids) this.#assign(kid, { ...value, text: undefined });
        return;
      case "assignment_pattern":
      case "object_assignment_pattern": {
        const [inner, fallback] = target.kids;
        if (fallback !== undefined) this.#eval(fallback);
        return inner === undefined ? undefined : this.#assign(inner, value, source);
      }
      case "required_parameter":
      case "optional_parameter": {
        const [inner] = target.kids;
        return inner === undefined ? undefined : this.#assign(inner, value);
      }
      default:
        return;
    }
  }

  /** `const { a, b: c } = module` binds a member of the module, and of `process.env` a variable. */
  #destructure(kid: CodeNode, value: FlowValue, source: string | undefined): undefined {
    const [first, second] = kid.kids;
    const key = kid.type === "pair_pattern" || kid.type === "object_assignment_pattern" ? first : kid;
    const target =
      kid.type === "pair_pattern" ? second : kid.type === "object_assignment_pattern" ? first : kid;
    if (key === undefined || target === undefined) return;
    const name = this.#text(key);
    if (source === "process.env") this.#assign(target, this.#env(name, kid.row));
    else
      this.#assign(
        target,
        source === undefined ? { ...value, text: undefined } : NOTHING,
        source === undefined || source === "" ? undefined : `${source}.${name}`,
      );
  }

  #all(nodes: readonly CodeNode[]): FlowValue {
    return join(nodes.map((node) => this.#eval(node)));
  }

  #eval(node: CodeNode): FlowValue {
    this.#visits += 1;
    if (this.#visits > MAX_VISITS) return NOTHING;
    if (FUNCTIONS.has(node.type)) return this.#function(node, NOTHING);
    switch (node.type) {
      case "comment":
      case "number":
      case "true":
      case "false":
      case "null":
      case "undefined":
      case "regex":
      case "type_annotation":
      case "interface_declaration":
      case "type_alias_declaration":
        return NOTHING;
      case "identifier":
      case "shorthand_property_identifier":
        return this.#names.get(this.#text(node)) ?? NOTHING;
      case "string":
        return textValue(unescapeText(this.#text(node).slice(1, -1)));
      case "template_string":
        return this.#template(node);
      case "variable_declarator":
        return this.#declare(node);
      case "binary_expression":
        return this.#binary(node);
      case "ternary_expression": {
        const [condition, yes, no] = node.kids;
        if (condition !== undefined) this.#eval(condition);
        return join([yes, no].flatMap((kid) => (kid === undefined ? [] : [this.#eval(kid)])));
      }
      case "member_expression":
        return this.#member(node);
      case "subscript_expression":
        return this.#subscript(node);
      case "call_expression":
      case "new_expression":
        return this.#call(node);
      case "array": {
        const values = node.kids.map((kid) => this.#eval(kid));
        return { ...join(values), text: undefined, items: values.map(({ text }) => text) };
      }
      case "object":
        return { ...this.#all(node.kids), text: undefined };
      case "pair": {
        const [, value] = node.kids;
        return value === undefined ? NOTHING : this.#eval(value);
      }
      case "parenthesized_expression":
      case "await_expression":
      case "as_expression":
      case "non_null_expression":
      case "spread_element":
      case "expression_statement": {
        const [inner] = node.kids;
        return inner === undefined ? NOTHING : this.#eval(inner);
      }
      case "unary_expression":
        this.#all(node.kids);
        return NOTHING;
      default:
        return this.#statement(node);
    }
  }

  /** Assignments, loops and blocks. */
  #statement(node: CodeNode): FlowValue {
    switch (node.type) {
      case "import_statement":
        this.#import(node);
        return NOTHING;
      case "assignment_expression":
      case "augmented_assignment_expression": {
        const [target, value] = node.kids;
        if (target === undefined || value === undefined) return NOTHING;
        const result = this.#eval(value);
        const source = node.type === "assignment_expression" ? this.#qualified(value) : "";
        this.#assign(
          target,
          node.type === "assignment_expression" ? result : { ...result, text: undefined },
          MODULE_LIKE.test(source) ? source : undefined,
        );
        return result;
      }
      case "return_statement": {
        const value = this.#all(node.kids);
        const [only] = node.kids;
        this.#keep(this.#returns, this.#inside, only === undefined ? NOTHING : { ...value });
        return NOTHING;
      }
      case "for_in_statement": {
        const [target, iterable, body] = node.kids;
        if (target !== undefined && iterable !== undefined)
          this.#assign(target, { ...this.#eval(iterable), text: undefined });
        if (body !== undefined) this.#eval(body);
        return NOTHING;
      }
      case "class_body":
      case "statement_block":
        for (const kid of node.kids) this.#eval(kid);
        return NOTHING;
      default:
        return node.kids.length === 0 ? NOTHING : { ...this.#all(node.kids), text: undefined };
    }
  }

  #subscript(node: CodeNode): FlowValue {
    const [object, key] = node.kids;
    if (object === undefined || key === undefined) return NOTHING;
    const index = this.#eval(key);
    if (ENVIRONMENTS.has(this.#qualified(object)))
      return index.text === undefined
        ? { ...NOTHING, taint: Taint.secretEnv }
        : this.#env(index.text, node.row);
    return { ...this.#eval(object), text: undefined, items: undefined };
  }

  #template(node: CodeNode): FlowValue {
    const parts: FlowValue[] = [];
    let at = node.start + 1;
    const addText = (end: number) => {
      if (end > at) parts.push({ ...NOTHING, text: unescapeText(this.#tree.text.slice(at, end)) });
    };
    for (const kid of node.kids) {
      if (kid.type !== "template_substitution") continue;
      addText(kid.start);
      parts.push(kid.kids[0] === undefined ? NOTHING : this.#eval(kid.kids[0]));
      at = kid.end;
    }
    addText(node.end - 1);
    return parts.length === 0 ? textValue("") : concat(parts);
  }

  #import(node: CodeNode): undefined {
    const source = node.kids.find(({ type }) => type === "string");
    const clause = node.kids.find(({ type }) => type === "import_clause");
    if (source === undefined || clause === undefined) return;
    const module = moduleName(this.#text(source).slice(1, -1));
    for (const kid of clause.kids) {
      if (kid.type === "identifier") this.#modules.set(this.#text(kid), module);
      else if (kid.type === "namespace_import" && kid.kids[0] !== undefined)
        this.#modules.set(this.#text(kid.kids[0]), module);
      else if (kid.type === "named_imports")
        for (const each of kid.kids) {
          const [name, alias] = each.kids;
          if (name !== undefined)
            this.#modules.set(this.#text(alias ?? name), `${module}.${this.#text(name)}`);
        }
    }
  }

  #declare(node: CodeNode): FlowValue {
    const [target] = node.kids;
    const value = node.kids.length > 1 ? node.kids.at(-1) : undefined;
    if (target === undefined || value === undefined || value.type === "type_annotation") return NOTHING;
    if (FUNCTIONS.has(value.type) && target.type === "identifier") {
      this.#function(value, NOTHING, this.#text(target));
      return NOTHING;
    }
    const source = this.#qualified(value);
    if (target.type === "object_pattern" && ENVIRONMENTS.has(source)) {
      this.#assign(target, NOTHING, "process.env");
      return NOTHING;
    }
    const isModule = MODULE_LIKE.test(source);
    const result = this.#eval(value);
    this.#assign(target, result, isModule ? source : undefined);
    return result;
  }

  #function(node: CodeNode, argument: FlowValue, given?: string): FlowValue {
    const named = node.kids.find(({ type }) => type === "identifier" || type === "property_identifier");
    const isArrow = node.type === "arrow_function";
    const parameters =
      node.kids.find(({ type }) => type === "formal_parameters")?.kids ??
      (isArrow && node.kids[0]?.type === "identifier" ? [node.kids[0]] : []);
    const body = node.kids.at(-1);
    const name = given ?? (isArrow || named === undefined ? "" : this.#text(named));
    if (name !== "") this.#parameters.set(name, parameters);
    if (argument !== NOTHING) for (const parameter of parameters) this.#assign(parameter, argument);
    const outer = this.#inside;
    this.#inside = name === "" ? `@${node.start}` : name;
    const value = body === undefined ? NOTHING : this.#eval(body);
    const result = body?.type === "statement_block" ? (this.#returns.get(this.#inside) ?? NOTHING) : value;
    if (name !== "" && body?.type !== "statement_block") this.#keep(this.#returns, name, value);
    this.#inside = outer;
    return result;
  }

  #binary(node: CodeNode): FlowValue {
    const [left, right] = node.kids;
    if (left === undefined || right === undefined) return NOTHING;
    const operator = this.#tree.text.slice(left.end, right.start).trim();
    const values = [this.#eval(left), this.#eval(right)];
    if (operator.startsWith("+")) return concat(values);
    if (operator.startsWith("||") || operator.startsWith("??")) {
      const [a = NOTHING, b = NOTHING] = values;
      return { ...join(values), text: a.text ?? b.text };
    }
    return operator.startsWith("&&") ? join(values) : NOTHING;
  }

  #member(node: CodeNode): FlowValue {
    const [object, last] = node.kids;
    if (object === undefined || last === undefined) return NOTHING;
    const name = this.#qualified(node);
    if (ENVIRONMENTS.has(name)) {
      if (this.#isReporting) this.#effects.wholeEnv(node.row);
      return { taint: Taint.wholeEnv, urls: [], text: undefined };
    }
    const field = this.#text(last);
    if (ENVIRONMENTS.has(this.#qualified(object))) return this.#env(field, node.row);
    const own = this.#names.get(`.${field}`);
    const value = { ...this.#eval(object), text: undefined, items: undefined };
    return own === undefined ? value : merge(own, { ...value, taint: value.taint & ~Taint.session });
  }

  #env(name: string, row: number): FlowValue {
    if (this.#isReporting || name === "HOME" || name === "USERPROFILE") return this.#effects.env(name, row);
    return secretValue(name);
  }

  /** `a.b.c` with module names in place of local ones; `require("x").y` is `x.y`. */
  #qualified(node: CodeNode): string {
    switch (node.type) {
      case "identifier": {
        const name = this.#text(node);
        return this.#modules.get(name) ?? name;
      }
      case "await_expression":
      case "parenthesized_expression":
        return node.kids[0] === undefined ? "" : this.#qualified(node.kids[0]);
      case "member_expression": {
        const [object, last] = node.kids;
        return object === undefined || last === undefined
          ? ""
          : `${this.#qualified(object)}.${this.#text(last)}`.replace(
              /^(?:globalThis|window|global|self)\./,
              "",
            );
      }
      case "subscript_expression": {
        const [object, key] = node.kids;
        const text = key === undefined ? undefined : this.#eval(key).text;
        return object === undefined || text === undefined
          ? ""
          : `${this.#qualified(object)}.${text}`.replace(/^(?:globalThis|window|global|self)\./, "");
      }
      case "call_expression": {
        const [called, args] = node.kids;
        const name =
          called === undefined ? "" : called.type === "import" ? "import" : this.#qualified(called);
        if (name === "require" || name === "import")
          return moduleName(args?.kids[0] === undefined ? "" : (this.#eval(args.kids[0]).text ?? ""));
        if (name === "util.promisify" || name === "promisify")
          return args?.kids[0] === undefined ? "" : this.#qualified(args.kids[0]);
        return `${name}()`;
      }
      case "import":
        return "import";
      default:
        return "";
    }
  }

  #call(node: CodeNode): FlowValue {
    const [called, argumentNode] = node.kids;
    if (called === undefined) return NOTHING;
    const name = this.#qualified(called);
    if (
      called.type === "new_expression" ||
      called.type === "parenthesized_expression" ||
      FUNCTIONS.has(called.type)
    )
      this.#eval(called);
    if (argumentNode?.type === "template_string") return this.#tagged(name, argumentNode, node.row);
    const nodes =
      argumentNode?.type === "arguments" ? argumentNode.kids.filter(({ type }) => type !== "comment") : [];
    const object =
      called.type === "member_expression" && called.kids[0] !== undefined
        ? this.#eval(called.kids[0])
        : NOTHING;
    const callbacks = nodes.filter(({ type }) => FUNCTIONS.has(type));
    const plain = nodes.filter(({ type }) => !FUNCTIONS.has(type));
    const values = plain.map((each) => this.#eval(each));
    const result = this.#finish(name, called, node, values, object);
    // A callback gets what the call gives: `fetch(u).then((r) => …)`, `https.get(u, (r) => …)`.
    const passed = {
      ...join([withTaint(result, 0, Taint.session), { ...object, taint: object.taint & ~Taint.session }]),
      text: undefined,
    };
    const returned = callbacks.map((callback) => this.#function(callback, passed));
    if (callbacks.length === 0) return result;
    return name.endsWith(".then") || /\.(?:map|flatMap|filter|reduce)$/.test(name)
      ? { ...join([...returned, name.endsWith(".then") ? NOTHING : object]), text: undefined }
      : join([result, ...returned]);
  }

  #tagged(name: string, template: CodeNode, row: number): FlowValue {
    const value = this.#template(template);
    if (name === "$" || name.endsWith(".$") || /^(?:execa|zx|bun)\b/.test(name)) {
      if (this.#isReporting) this.#effects.process(value, row, true);
      return NOTHING;
    }
    return value;
  }

  #finish(
    name: string,
    called: CodeNode,
    node: CodeNode,
    values: readonly FlowValue[],
    object: FlowValue,
  ): FlowValue {
    const { row } = node;
    const method = name.slice(name.lastIndexOf(".") + 1);
    const report = this.#isReporting ? this.#effects : undefined;
    const isNew = node.type === "new_expression";
    const known = scriptCallEffect({ name, method, isNew, values, object, row }, report, (text) =>
      this.#env(text, row),
    );
    if (known !== undefined) return known;
    const all = join(values);
    const parameters = this.#parameters.get(method);
    if (parameters !== undefined) {
      for (const [index, value] of values.entries()) {
        const parameter = parameters[index];
        if (parameter !== undefined)
          this.#assign(parameter, withTaint(value, value.taint === 0 ? 0 : Taint.argument));
      }
      return this.#returns.get(method) ?? NOTHING;
    }
    if (/^(?:push|append|set|add|unshift|assign|write)$/.test(method) && called.kids[0] !== undefined)
      this.#assign(called.kids[0], { ...all, text: undefined });
    return {
      ...join([all, withTaint(object, 0, Taint.session)]),
      text: /^(?:trim|toString|toLowerCase|replace)$/.test(method) ? object.text : undefined,
    };
  }
}

function moduleName(specifier: string): string {
  return specifier
    .replace(/^node:/, "")
    .replace(/^fs\/promises$/, "fs")
    .replace(/^node-fetch$|^cross-fetch$/, "fetch");
}

function unescapeText(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\([\\'"`])/g,
    (_, hex, unicode, char) => char ?? String.fromCharCode(Number.parseInt(hex ?? unicode, 16)),
  );
}

const ENVIRONMENTS = new Set(["process.env", "Bun.env", "import.meta.env"]);
const MODULE_LIKE =
  /^(?:fs|child_process|os|path|http|https|net|tls|vm|zlib|axios|got|request|undici|fetch|ws|util|shelljs|execa|crypto|dns|dgram|superagent|needle|ky|eval|Function|process)(?:\.[\w.]+)?$/;
