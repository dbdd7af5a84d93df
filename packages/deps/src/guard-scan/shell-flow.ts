import { WRAPPERS } from "../scan/shell-table.ts";
import type { CodeNode, CodeTree } from "./code-tree.ts";
import type { FlowEffects } from "./flow-effect.ts";
import { concat, type FlowValue, join, NOTHING, Taint, textValue } from "./flow-value.ts";
import { type ShellCommand, ShellPrograms, withText } from "./shell-program.ts";

const MAX_VISITS = 200_000;

/** Follows data through a shell text: pipes, substitutions, variables and redirections. */
export function readShellFlows(tree: CodeTree, effects: FlowEffects): void {
  const reader = new ShellReader(tree, effects);
  reader.learn(tree.root);
  reader.run(tree.root, NOTHING);
}

class ShellReader {
  readonly #tree: CodeTree;
  readonly #effects: FlowEffects;
  readonly #names = new Map<string, FlowValue>();
  readonly #functions = new Set<string>();
  /** Variables that the text sets itself. */
  readonly #own = new Set<string>();
  readonly #programs: ShellPrograms;
  #visits = 0;

  constructor(tree: CodeTree, effects: FlowEffects) {
    this.#tree = tree;
    this.#effects = effects;
    this.#programs = new ShellPrograms(effects, this.#names);
  }

  #text({ start, end }: CodeNode): string {
    return this.#tree.text.slice(start, end);
  }

  /** Names of functions and of variables that the text sets: these come not from the environment. */
  learn(node: CodeNode): void {
    if (node.type === "function_definition" && node.kids[0] !== undefined)
      this.#functions.add(this.#text(node.kids[0]));
    else if (node.type === "variable_name" && node.kids.length === 0) return;
    else if (
      node.type === "variable_assignment" ||
      node.type === "for_statement" ||
      node.type === "c_style_for_statement"
    ) {
      const name = node.kids.find(({ type }) => type === "variable_name");
      if (name !== undefined) this.#own.add(this.#text(name));
    } else if (
      node.type === "command" &&
      /^(?:read|getopts|mapfile|readarray|local|declare|unset)\b/.test(this.#text(node))
    )
      for (const [word] of this.#text(node).matchAll(/\b[A-Za-z_]\w*\b/g)) this.#own.add(word);
    else if (node.type === "declaration_command")
      for (const kid of node.kids)
        if (kid.type === "variable_name" && !this.#text(node).startsWith("export"))
          this.#own.add(this.#text(kid));
    for (const kid of node.kids) this.learn(kid);
  }

  /** Runs a statement with the given input, and gives its output. */
  run(node: CodeNode, input: FlowValue): FlowValue {
    this.#visits += 1;
    if (this.#visits > MAX_VISITS) return NOTHING;
    switch (node.type) {
      case "comment":
        return NOTHING;
      case "command":
        return this.#command(node, input);
      case "pipeline": {
        let value = input;
        for (const kid of node.kids) value = this.run(kid, value);
        return value;
      }
      case "redirected_statement":
        return this.#redirected(node, input);
      case "variable_assignment":
        this.#assign(node);
        return NOTHING;
      case "declaration_command":
        for (const kid of node.kids) if (kid.type === "variable_assignment") this.#assign(kid);
        return NOTHING;
      case "for_statement": {
        const [name, ...rest] = node.kids;
        const words = rest.filter(({ type }) => type !== "do_group").map((kid) => this.#word(kid));
        if (name !== undefined)
          this.#names.set(this.#text(name), {
            ...join(words),
            text: words.length === 1 ? words[0]?.text : undefined,
          });
        for (const kid of rest) if (kid.type === "do_group") this.run(kid, input);
        return NOTHING;
      }
      case "function_definition":
        for (const kid of node.kids.slice(1)) this.run(kid, NOTHING);
        return NOTHING;
      case "test_command":
        for (const kid of node.kids) this.#word(kid);
        return NOTHING;
      case "file_redirect":
      case "heredoc_redirect":
        return NOTHING;
      default: {
        if (isWord(node.type)) return this.#word(node);
        return join(node.kids.map((kid) => this.run(kid, input)));
      }
    }
  }

  #assign(node: CodeNode): void {
    const [name, value] = node.kids;
    if (name === undefined) return;
    this.#names.set(this.#text(name), value === undefined ? textValue("") : this.#word(value));
  }

  #redirected(node: CodeNode, input: FlowValue): FlowValue {
    let stdin = input;
    const targets: { readonly path: FlowValue; readonly row: number; readonly isOutput: boolean }[] = [];
    for (const kid of node.kids) {
      if (kid.type === "herestring_redirect") stdin = join(kid.kids.map((each) => this.#word(each)));
      else if (kid.type === "heredoc_redirect") stdin = this.#heredoc(kid);
      else if (kid.type === "file_redirect") {
        const text = this.#text(kid);
        const path = this.#word(kid.kids.at(-1) ?? kid);
        if (/^\d?<(?!&)/.test(text))
          stdin = path.taint & Taint.secretPath ? this.#effects.read(path, kid.row) : path;
        else if (/^\d?&?>{1,2}\|?\s*[^&\s]/.test(text))
          targets.push({ path, row: kid.row, isOutput: !/^[2-9]/.test(text) });
      }
    }
    const output = join(
      node.kids.filter(({ type }) => !type.endsWith("_redirect")).map((kid) => this.run(kid, stdin)),
    );
    for (const { path, row } of targets) {
      const tcp = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(path.text ?? "")?.[1];
      if (tcp !== undefined) this.#effects.network(output, row, { ...NOTHING, urls: [`https://${tcp}`] });
      else this.#effects.write(path, row);
    }
    return targets.some(({ isOutput }) => isOutput) ? NOTHING : output;
  }

  #heredoc(node: CodeNode): FlowValue {
    const body = node.kids.find(({ type }) => type === "heredoc_body");
    return body === undefined
      ? NOTHING
      : { ...join(body.kids.map((kid) => this.#word(kid))), text: this.#text(body) };
  }

  #word(node: CodeNode): FlowValue {
    this.#visits += 1;
    if (this.#visits > MAX_VISITS) return NOTHING;
    switch (node.type) {
      case "word":
      case "number":
      case "extglob_pattern":
        return textValue(this.#text(node).replace(/\\(.)/g, "$1"));
      case "raw_string":
        return textValue(this.#text(node).slice(1, -1));
      case "ansi_c_string":
        return textValue(unescapeAnsi(this.#text(node).slice(2, -1)));
      case "string_content":
        return textValue(this.#text(node));
      case "string":
      case "translated_string":
        return node.kids.length === 0
          ? textValue(this.#text(node).replace(/^\$?"|"$/g, ""))
          : this.#parts(node, node.start + 1, node.end - 1);
      case "concatenation":
        return this.#parts(node, node.start, node.end);
      case "simple_expansion":
      case "expansion":
        return this.#expansion(node);
      case "command_substitution":
      case "process_substitution":
        return withText(join(node.kids.map((kid) => this.run(kid, NOTHING))));
      case "array":
        return join(node.kids.map((kid) => this.#word(kid)));
      case "arithmetic_expansion":
        return NOTHING;
      case "command_name":
        return node.kids.length === 0 ? textValue(this.#text(node)) : this.#word(node.kids[0] ?? node);
      default:
        return node.kids.length === 0 ? NOTHING : join(node.kids.map((kid) => this.#word(kid)));
    }
  }

  /** Parts in order, with the plain text between them. */
  #parts(node: CodeNode, from: number, to: number): FlowValue {
    const values: FlowValue[] = [];
    let at = from;
    for (const kid of node.kids) {
      if (kid.start > at) values.push(textValue(this.#tree.text.slice(at, kid.start)));
      values.push(this.#word(kid));
      at = kid.end;
    }
    if (at < to) values.push(textValue(this.#tree.text.slice(at, to)));
    return concat(values);
  }

  #expansion(node: CodeNode): FlowValue {
    const inner = node.kids.find(({ type }) => type === "variable_name");
    const rest = node.kids.filter((kid) => kid !== inner).map((kid) => this.#word(kid));
    if (inner === undefined) return join(rest);
    const name = this.#text(inner);
    const known = this.#names.get(name);
    if (known !== undefined)
      return rest.length === 0 ? known : { ...join([known, ...rest]), text: known.text };
    if (name === "HOME") return { taint: Taint.home, urls: [], text: "~" };
    if (this.#own.has(name) || !/^[A-Z][A-Z0-9_]+$/.test(name)) return join([NOTHING, ...rest]);
    return join([this.#effects.env(name, node.row), ...rest]);
  }

  #command(node: CodeNode, input: FlowValue): FlowValue {
    const words: FlowValue[] = [];
    let stdin = input;
    for (const kid of node.kids) {
      if (kid.type === "variable_assignment") this.#word(kid.kids.at(-1) ?? kid);
      else if (kid.type === "herestring_redirect") stdin = join(kid.kids.map((each) => this.#word(each)));
      else if (!kid.type.endsWith("_redirect")) words.push(this.#word(kid));
    }
    const [name, ...rest] = words;
    return name === undefined
      ? NOTHING
      : this.#start({ name: name.text ?? "", words: rest, row: node.row }, stdin, name);
  }

  #start(command: ShellCommand, input: FlowValue, called: FlowValue = NOTHING, depth = 0): FlowValue {
    const { row } = command;
    const name = command.name.slice(command.name.lastIndexOf("/") + 1);
    const words = command.words;
    const all = join(words);
    const effects = this.#effects;
    if (this.#functions.has(name)) return join([all, input]);
    if (called.taint & (Taint.decoded | Taint.download)) effects.code(called, row);
    const wrapper = WRAPPERS.get(name);
    const hasCommand = wrapper !== undefined && !(name === "env" && words.length === 0) && name !== "command";
    if (hasCommand && depth < 5) {
      const at = words.findIndex(
        ({ text }, index) =>
          text !== undefined &&
          !text.startsWith("-") &&
          !/^[A-Za-z_]\w*=/.test(text) &&
          !wrapper.valued.has(words[index - 1]?.text ?? "") &&
          index >= wrapper.words,
      );
      if (name === "sudo") effects.bin("sudo", row);
      const inner = words[at];
      if (at !== -1 && inner !== undefined) {
        const extra = name === "xargs" ? [withText(input)] : [];
        return this.#start(
          { name: inner.text ?? "", words: [...words.slice(at + 1), ...extra], row },
          name === "xargs" ? NOTHING : input,
          inner,
          depth + 1,
        );
      }
    }
    return this.#programs.start(command, input);
  }
}

function isWord(type: string): boolean {
  return /^(?:word|string|raw_string|concatenation|simple_expansion|expansion|command_substitution|process_substitution|ansi_c_string|string_content)$/.test(
    type,
  );
}

function unescapeAnsi(text: string): string {
  return text.replace(/\\x([0-9a-fA-F]{2})|\\([0-7]{3})|\\([nrt\\'"])/g, (_, hex, octal, char) =>
    char === undefined
      ? String.fromCharCode(Number.parseInt(hex ?? octal, hex === undefined ? 8 : 16))
      : char === "n"
        ? "\n"
        : char,
  );
}
