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

import { pythonCallEffect } from "./python-call.ts";

const ROUNDS = 4;
const MAX_VISITS = 600_000;

/** Follows data through a Python text by names, and reports its effects. Functions are joined over all their calls. */
export function readPythonFlows(tree: CodeTree, effects: FlowEffects): void {
  const reader = new PythonReader(tree, effects);
  for (let round = 0; round < ROUNDS; round += 1) if (!reader.run(false)) break;
  reader.run(true);
}

class PythonReader {
  readonly #tree: CodeTree;
  readonly #effects: FlowEffects;
  readonly #names = new Map<string, FlowValue>();
  readonly #modules = new Map<string, string>();
  readonly #parameters = new Map<string, readonly string[]>();
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
    this.#visit(this.#tree.root);
    return this.#isChanged;
  }

  #text({ start, end }: CodeNode): string {
    return this.#tree.text.slice(start, end);
  }

  #visit(node: CodeNode): undefined {
    switch (node.type) {
      case "import_statement":
      case "import_from_statement":
        return this.#import(node);
      case "function_definition":
        return this.#define(node);
      case "return_statement":
        return this.#keep(this.#returns, this.#inside, this.#all(node.kids));
      case "comment":
        return;
      case "for_statement":
      case "for_in_clause": {
        const [target, iterable] = node.kids;
        if (target !== undefined && iterable !== undefined) this.#assign(target, this.#eval(iterable));
        for (const kid of node.kids.slice(2)) this.#visit(kid);
        return;
      }
      case "expression_statement":
      case "assignment":
      case "augmented_assignment":
      case "call":
      case "await":
        this.#eval(node);
        return;
      default:
        if (isExpression(node.type)) this.#eval(node);
        else for (const kid of node.kids) this.#visit(kid);
    }
  }

  #import(node: CodeNode): undefined {
    const [first, ...rest] = node.kids;
    if (first === undefined) return;
    const base = node.type === "import_from_statement" ? `${this.#text(first)}.` : "";
    for (const kid of base === "" ? node.kids : rest) {
      const [name, alias] = kid.type === "aliased_import" ? kid.kids : [kid, undefined];
      if (name === undefined) continue;
      const module = `${base}${this.#text(name)}`;
      const local = alias === undefined ? this.#text(name) : this.#text(alias);
      if (alias !== undefined || base !== "") this.#modules.set(local, module);
    }
  }

  #define(node: CodeNode): undefined {
    const name = node.kids.find(({ type }) => type === "identifier");
    const parameters = node.kids.find(({ type }) => type === "parameters");
    if (name === undefined) return;
    const outer = this.#inside;
    this.#inside = this.#text(name);
    const names = (parameters?.kids ?? []).map((kid) => this.#text(kid.kids[0] ?? kid));
    this.#parameters.set(this.#inside, names[0] === "self" || names[0] === "cls" ? names.slice(1) : names);
    for (const kid of parameters?.kids ?? [])
      if (kid.type === "default_parameter" || kid.type === "typed_default_parameter") {
        const [target] = kid.kids;
        const value = kid.kids.at(-1);
        if (target !== undefined && value !== undefined) this.#assign(target, this.#eval(value));
      }
    for (const kid of node.kids) if (kid.type === "block") this.#visit(kid);
    this.#inside = outer;
  }

  #keep(into: Map<string, FlowValue>, name: string, value: FlowValue): undefined {
    const known = into.get(name);
    const next = known === undefined ? value : merge(known, value);
    if (known !== undefined && sameValue(known, next)) return;
    into.set(name, next);
    this.#isChanged = true;
  }

  #assign(target: CodeNode, value: FlowValue): undefined {
    switch (target.type) {
      case "identifier":
        return this.#keep(this.#names, this.#text(target), value);
      case "attribute": {
        const last = target.kids.at(-1);
        return last === undefined ? undefined : this.#keep(this.#names, `.${this.#text(last)}`, value);
      }
      case "subscript": {
        const [object] = target.kids;
        return object === undefined
          ? undefined
          : this.#assign(object, { ...value, text: undefined, items: undefined });
      }
      case "pattern_list":
      case "tuple_pattern":
      case "list_pattern":
      case "as_pattern_target":
        for (const kid of target.kids)
          this.#assign(kid, target.kids.length > 1 ? { ...value, text: undefined, items: undefined } : value);
        return;
      default:
        return;
    }
  }

  #all(nodes: readonly CodeNode[]): FlowValue {
    const [only] = nodes;
    if (nodes.length === 1 && only !== undefined) return this.#eval(only);
    return join(nodes.map((node) => this.#eval(node)));
  }

  #eval(node: CodeNode): FlowValue {
    this.#visits += 1;
    if (this.#visits > MAX_VISITS) return NOTHING;
    switch (node.type) {
      case "identifier":
        return this.#names.get(this.#text(node)) ?? NOTHING;
      case "string":
        return this.#string(node);
      case "concatenated_string":
        return concat(node.kids.map((kid) => this.#eval(kid)));
      case "integer":
      case "float":
      case "true":
      case "false":
      case "none":
      case "comment":
        return NOTHING;
      case "comparison_operator":
      case "not_operator":
        this.#all(node.kids);
        return NOTHING;
      case "assignment": {
        const [target, ...rest] = node.kids;
        const value = rest.at(-1);
        if (target === undefined || value === undefined || value.type === "type") return NOTHING;
        const result = this.#eval(value);
        this.#assign(target, result);
        return result;
      }
      case "augmented_assignment":
      case "named_expression": {
        const [target, value] = node.kids;
        if (target === undefined || value === undefined) return NOTHING;
        const result = this.#eval(value);
        this.#assign(target, node.type === "named_expression" ? result : { ...result, text: undefined });
        return result;
      }
      case "as_pattern": {
        const [value, target] = node.kids;
        if (value === undefined) return NOTHING;
        const result = this.#eval(value);
        if (target !== undefined) this.#assign(target, result);
        return result;
      }
      case "binary_operator":
        return this.#binary(node);
      case "attribute":
        return this.#attribute(node);
      case "subscript":
        return this.#subscript(node);
      case "call":
        return this.#call(node);
      default:
        return this.#composite(node);
    }
  }

  /** Collections, comprehensions and blocks. */
  #composite(node: CodeNode): FlowValue {
    switch (node.type) {
      case "list":
      case "tuple": {
        const values = node.kids.filter(({ type }) => type !== "comment").map((kid) => this.#eval(kid));
        return { ...join(values), text: undefined, items: values.map(({ text }) => text) };
      }
      case "dictionary":
      case "set":
        return { ...this.#all(node.kids), text: undefined };
      case "pair":
      case "keyword_argument":
        return node.kids.length < 2 ? NOTHING : this.#eval(node.kids[1] ?? node);
      case "dictionary_comprehension":
      case "list_comprehension":
      case "generator_expression":
      case "set_comprehension": {
        for (const kid of node.kids) if (kid.type === "for_in_clause") this.#visit(kid);
        const value = {
          ...this.#all(node.kids.filter(({ type }) => type !== "for_in_clause" && type !== "if_clause")),
          text: undefined,
        };
        const isFiltered = node.kids.some(({ type }) => type === "if_clause");
        const whole = value.taint & Taint.wholeEnv;
        return isFiltered && whole ? withTaint(value, Taint.secretEnv, Taint.wholeEnv) : value;
      }
      case "conditional_expression": {
        const [yes, , no] = node.kids;
        return join([yes, no].flatMap((kid) => (kid === undefined ? [] : [this.#eval(kid)])));
      }
      case "lambda":
      case "block":
        for (const kid of node.kids) this.#visit(kid);
        return NOTHING;
      default:
        return node.kids.length === 0 ? NOTHING : this.#all(node.kids);
    }
  }

  #string(node: CodeNode): FlowValue {
    const raw = this.#text(node);
    const parts: FlowValue[] = [];
    for (const kid of node.kids) {
      if (kid.type === "string_content") parts.push(textValue(unescapeText(this.#text(kid))));
      else if (kid.type === "interpolation") parts.push(this.#eval(kid.kids[0] ?? kid));
    }
    if (parts.length === 0) return raw.length > 3 ? NOTHING : textValue("");
    const value = concat(parts);
    return value.text !== undefined && parts.length === 1 ? (parts[0] ?? value) : value;
  }

  #binary(node: CodeNode): FlowValue {
    const [left, right] = node.kids;
    if (left === undefined || right === undefined) return NOTHING;
    const operator = this.#tree.text.slice(left.end, right.start);
    const values = [this.#eval(left), this.#eval(right)];
    if (operator.includes("+")) {
      const [a, b] = values;
      if (a?.items !== undefined && b?.items !== undefined)
        return { ...join(values), items: [...a.items, ...b.items].slice(0, 50) };
      return concat(values);
    }
    if (operator.trim() === "/") return concat(values, "/");
    if (operator.trim() === "%") return { ...join(values), text: values[0]?.text?.replace(/%[sdr]/g, "{}") };
    return join(values);
  }

  #attribute(node: CodeNode): FlowValue {
    const name = this.#qualified(node);
    if (name === "os.environ" || name === "os.environb") {
      if (this.#isReporting) this.#effects.wholeEnv(node.row);
      return { taint: Taint.wholeEnv, urls: [], text: undefined };
    }
    const [object, last] = node.kids;
    if (object === undefined || last === undefined) return NOTHING;
    const value = this.#eval(object);
    const field = this.#text(last);
    const own = this.#names.get(`.${field}`);
    if (field === "parent" || field === "name" || field === "status_code" || field === "returncode")
      return { ...value, taint: value.taint & ~Taint.download, text: undefined };
    return own === undefined
      ? { ...value, text: undefined, items: undefined }
      : join([own, withTaint(value, 0, Taint.session)]).taint === own.taint
        ? own
        : join([own, value]);
  }

  #subscript(node: CodeNode): FlowValue {
    const [object, key] = node.kids;
    if (object === undefined || key === undefined) return NOTHING;
    if (this.#qualified(object) === "os.environ") return this.#env(this.#eval(key), node.row);
    this.#eval(key);
    return { ...this.#eval(object), text: undefined, items: undefined };
  }

  #env({ text }: FlowValue, row: number): FlowValue {
    if (text === undefined || text.includes("{}"))
      return { taint: Taint.secretEnv, urls: [], text: undefined };
    if (this.#isReporting || text === "HOME") return this.#effects.env(text, row);
    return secretValue(text);
  }

  /** `a.b.c` with import aliases replaced; calls in it are dots: `__import__("os").system` is `os.system`. */
  #qualified(node: CodeNode): string {
    if (node.type === "identifier") {
      const name = this.#text(node);
      return this.#modules.get(name) ?? name;
    }
    if (node.type === "attribute") {
      const [object, last] = node.kids;
      return object === undefined || last === undefined
        ? ""
        : `${this.#qualified(object)}.${this.#text(last)}`;
    }
    if (node.type === "call") {
      const [called, args] = node.kids;
      const name = called === undefined ? "" : this.#qualified(called);
      if (name === "__import__" || name === "importlib.import_module")
        return this.#eval(args?.kids[0] ?? node).text ?? "";
      if (name === "getattr") {
        const [object, field] = args?.kids ?? [];
        const text = field === undefined ? undefined : this.#eval(field).text;
        return object === undefined || text === undefined ? "" : `${this.#qualified(object)}.${text}`;
      }
      return `${name}()`;
    }
    return "";
  }

  #call(node: CodeNode): FlowValue {
    const [called, argumentList] = node.kids;
    if (called === undefined) return NOTHING;
    const name = this.#qualified(called).replace(/^(?:builtins|__builtins__)\./, "");
    const nodes =
      argumentList?.type === "argument_list"
        ? argumentList.kids.filter(({ type }) => type !== "comment")
        : [];
    if (argumentList?.type === "generator_expression")
      return this.#finish(name, called, node, [this.#eval(argumentList)], []);
    if (isEnvGet(name)) {
      const [first, ...others] = nodes.map((each) => this.#eval(each));
      const value = this.#env(first ?? NOTHING, node.row);
      const [fallback] = others;
      return fallback === undefined ? value : merge(value, fallback);
    }
    const values = nodes.map((each) => this.#eval(each));
    return this.#finish(name, called, node, values, nodes);
  }

  #finish(
    name: string,
    called: CodeNode,
    node: CodeNode,
    values: readonly FlowValue[],
    nodes: readonly CodeNode[],
  ): FlowValue {
    const { row } = node;
    const method = name.slice(name.lastIndexOf(".") + 1);
    const object =
      called.type === "attribute" && called.kids[0] !== undefined ? this.#eval(called.kids[0]) : NOTHING;
    const keyword = (key: string) => {
      const at = nodes.findIndex(
        (each) =>
          each.type === "keyword_argument" && each.kids[0] !== undefined && this.#text(each.kids[0]) === key,
      );
      return at === -1 ? undefined : values[at];
    };
    const report = this.#isReporting ? this.#effects : undefined;
    const isShell = () => nodes.some((each) => /^shell\b.*True$/s.test(this.#text(each)));
    const known = pythonCallEffect({ name, method, values, object, row, keyword, isShell }, report);
    if (known !== undefined) return known;
    const all = join(values);
    const parameters = this.#parameters.get(method);
    if (parameters !== undefined) return this.#enter(method, parameters, values, nodes);
    if (MUTATES.test(method) && called.kids[0] !== undefined)
      this.#assign(called.kids[0], { ...all, text: undefined, items: undefined });
    return { ...join([all, withTaint(object, 0, Taint.session)]), text: undefined };
  }

  #enter(
    name: string,
    parameters: readonly string[],
    values: readonly FlowValue[],
    nodes: readonly CodeNode[],
  ): FlowValue {
    for (const [index, value] of values.entries()) {
      const node = nodes[index];
      const isKeyword = node?.type === "keyword_argument" && node.kids[0] !== undefined;
      const parameter =
        isKeyword && node.kids[0] !== undefined ? this.#text(node.kids[0]) : parameters[index];
      if (parameter !== undefined)
        this.#keep(this.#names, parameter, withTaint(value, value.taint === 0 ? 0 : Taint.argument));
    }
    return this.#returns.get(name) ?? NOTHING;
  }
}

function unescapeText(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\([\\'"])/g,
    (_, hex, unicode, char) => char ?? String.fromCharCode(Number.parseInt(hex ?? unicode, 16)),
  );
}

function isExpression(type: string): boolean {
  return /^(?:attribute|subscript|binary_operator|boolean_operator|list|tuple|dictionary|set|string|lambda|conditional_expression|list_comprehension|generator_expression|dictionary_comprehension|named_expression|identifier|as_pattern|parenthesized_expression|yield|concatenated_string)$/.test(
    type,
  );
}

function isEnvGet(name: string): boolean {
  return /^os\.(?:getenv|environ\.(?:get|pop|setdefault))$/.test(name);
}

const MUTATES = /^(?:append|add|update|extend|insert|setdefault|put|write|writestr|attach|set_payload)$/;
