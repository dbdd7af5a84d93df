import { WRAPPERS } from "../scan/shell-table.ts";
import type { CodeNode, CodeTree } from "./code-tree.ts";
import type { FlowEffects } from "./flow-effect.ts";
import { concat, type FlowValue, join, NOTHING, Taint, textValue, withTaint } from "./flow-value.ts";

const MAX_VISITS = 200_000;

/** Follows data through a shell text: pipes, substitutions, variables and redirections. */
export function readShellFlows(tree: CodeTree, effects: FlowEffects): void {
  const reader = new ShellReader(tree, effects);
  reader.learn(tree.root);
  reader.run(tree.root, NOTHING);
}

interface Command {
  readonly name: string;
  readonly words: readonly FlowValue[];
  readonly row: number;
}

class ShellReader {
  readonly #tree: CodeTree;
  readonly #effects: FlowEffects;
  readonly #names = new Map<string, FlowValue>();
  readonly #functions = new Set<string>();
  /** Variables that the text sets itself. */
  readonly #own = new Set<string>();
  #visits = 0;

  constructor(tree: CodeTree, effects: FlowEffects) {
    this.#tree = tree;
    this.#effects = effects;
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

  #start(command: Command, input: FlowValue, called: FlowValue = NOTHING, depth = 0): FlowValue {
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
    if (/^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name)) return effects.env(name, row);
    effects.bin(command.name, row);
    const texts = words.map(({ text }) => text ?? "");
    this.#installs(name, texts, row);
    switch (name) {
      case "curl":
      case "wget":
      case "http":
      case "https":
      case "aria2c":
        return this.#transfer(name, words, input, row);
      case "nc":
      case "ncat":
      case "netcat":
      case "socat":
      case "telnet": {
        const host = texts.find((text) => /^[\w-]+(?:\.[\w-]+)+$/.test(text));
        effects.network(
          join([input, all]),
          row,
          host === undefined ? NOTHING : { ...NOTHING, urls: [`https://${host}`] },
        );
        return { taint: Taint.download, urls: [], text: undefined };
      }
      case "scp":
      case "rsync":
      case "sftp":
        return this.#copyOut(words, row);
      case "ssh": {
        const host = texts.find((text) => /^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+$/.test(text));
        effects.network(
          NOTHING,
          row,
          host === undefined ? NOTHING : { ...NOTHING, urls: [`https://${host.replace(/^.*@/, "")}`] },
        );
        return NOTHING;
      }
      case "base64":
      case "base32":
      case "openssl":
      case "xxd": {
        const isDecoding =
          texts.some((text) => /^(?:-[dDr]|--decode|-di|-d)$/.test(text)) ||
          (name === "xxd" && texts.some((text) => text.startsWith("-r")));
        const data = join([withText(input), ...words.map((word) => this.#fileOf(word, row))]);
        return isDecoding ? withTaint(data, Taint.decoded) : data;
      }
      case "env":
      case "printenv":
      case "set":
      case "export":
      case "declare":
        if (words.length > 0 && !(name !== "env" && texts.every((text) => text === "-p" || text === "-x")))
          return name === "printenv" && texts[0] !== undefined ? effects.env(texts[0], row) : NOTHING;
        if (name === "set" || name === "export" || name === "declare")
          return { taint: Taint.wholeEnv, urls: [], text: undefined };
        effects.wholeEnv(row);
        return { taint: Taint.wholeEnv, urls: [], text: undefined };
      case "eval":
        if (all.text !== undefined && words.length === 1)
          effects.nested.push({ language: "bash", text: all.text.replaceAll("{}", "x"), row });
        if (all.taint & (Taint.decoded | Taint.download)) effects.code(all, row);
        return NOTHING;
      case "source":
      case ".":
        effects.shellInput(all, row);
        return NOTHING;
      case "sh":
      case "bash":
      case "zsh":
      case "dash":
      case "ksh":
      case "fish":
        return this.#interpreter("bash", texts, words, input, row);
      case "python":
      case "python3":
      case "pypy3":
        return this.#interpreter("python", texts, words, input, row);
      case "node":
      case "bun":
      case "deno":
        return this.#interpreter("javascript", texts, words, input, row);
      case "perl":
      case "ruby":
      case "php":
        return this.#interpreter(undefined, texts, words, input, row);
      case "echo":
      case "printf":
        return { ...all, text: words.length === 1 ? words[0]?.text : undefined };
      case "grep":
      case "awk":
      case "sed":
      case "cut": {
        const files = words.map((word) => this.#fileOf(word, row));
        const kept =
          input.taint & Taint.wholeEnv && !/key|token|secret|pass|cred/i.test(texts.join(" "))
            ? withTaint(input, 0, Taint.wholeEnv)
            : input;
        return withText(join([kept, ...files]));
      }
      case "tee":
      case "cp":
      case "mv":
      case "install":
      case "ln": {
        const target =
          words.filter(({ text }) => text === undefined || !text.startsWith("-")).at(-1) ?? NOTHING;
        effects.write(target, row);
        if (name !== "tee") for (const word of words.slice(0, -1)) this.#fileOf(word, row);
        return name === "tee" ? input : NOTHING;
      }
      case "crontab":
        effects.write(textValue("~/.crontab"), row);
        return NOTHING;
      case "dig":
      case "nslookup":
      case "host":
      case "ping":
        for (const word of words) effects.lookup(word, row);
        return NOTHING;
      case "uname":
      case "hostname":
      case "whoami":
      case "id":
      case "ifconfig":
      case "ipconfig":
        return { taint: Taint.system, urls: [], text: undefined };
      case "find":
        return /id_rsa|\.pem\b|\.key\b|credentials|\.keystore|wallet|\.p12/.test(texts.join(" "))
          ? { taint: Taint.secretPath, urls: [], text: "files found by name" }
          : NOTHING;
      case "read":
        for (const text of texts) if (/^[A-Za-z_]\w*$/.test(text)) this.#names.set(text, withText(input));
        return NOTHING;
      case "cd":
      case "mkdir":
      case "chmod":
      case "chown":
      case "ls":
      case "rm":
      case "test":
      case "[":
      case "touch":
      case "ssh-keygen":
      case "ssh-add":
      case "stat":
      case "wc":
      case "md5sum":
      case "sha256sum":
      case "shasum":
      case "kubectl":
      case "git":
      case "which":
      case "exit":
        return NOTHING;
      default:
        return withText(join([withTaint(input, 0, 0), ...words.map((word) => this.#fileOf(word, row))]));
    }
  }

  /** A word that names a secret file stands for its content. */
  #fileOf(word: FlowValue, row: number): FlowValue {
    return word.taint & Taint.secretPath || /^\/etc\//.test(word.text ?? "")
      ? this.#effects.read(word, row)
      : { ...word, taint: word.taint & ~Taint.home };
  }

  #transfer(name: string, words: readonly FlowValue[], input: FlowValue, row: number): FlowValue {
    const effects = this.#effects;
    const sent: FlowValue[] = [];
    const targets: FlowValue[] = [];
    let isSaved = name === "wget" || name === "aria2c";
    for (const [index, word] of words.entries()) {
      const text = word.text ?? "";
      const option = words[index - 1]?.text ?? "";
      if (
        /^(?:-d|--data(?:-\w+)?|-F|--form|--form-string|-T|--upload-file|--post-data|--post-file|--body-data|--json|-H|--header|-u|--user)$/.test(
          option,
        )
      ) {
        const isFile = /^(?:-T|--upload-file|--post-file)$/.test(option) || /(?:^|=)@|^<|=</.test(text);
        if (/(?:^|=)@-$/.test(text)) sent.push(input);
        sent.push(
          isFile && word.taint & Taint.secretPath
            ? effects.read(word, row)
            : withTaint(word, 0, Taint.secretPath),
        );
        // A call in a header, such as a token of the same service, is not a target.
      } else if (
        /^(?:-o|-O|--output|--remote-name|-OL|-LO|-fLo|-sLo|-sSLo|-fsSLo|-fsSLO|-LJO|--output-document)$/.test(
          text,
        )
      )
        isSaved = !(name === "wget" && words[index + 1]?.text === "-");
      else if (word.urls.length > 0 && !text.startsWith("-")) targets.push(word);
      else if (
        !text.startsWith("-") &&
        !/^-\w*[oOHXAebcKm]$|^--(?:output|request|user-agent|cookie|max-time|retry|connect-timeout|cacert|cert|key|proxy|location-trusted|referer|range|output-document|directory-prefix|header|config|write-out|resolve)$|^-w$/.test(
          option,
        ) &&
        (word.text === undefined || /^[\w-]+(?:\.[\w-]+)+(?:[/:?]|$)|\{\}/.test(text))
      )
        targets.push(
          word.text === undefined || text.startsWith("{}") ? word : { ...word, urls: [`https://${text}`] },
        );
      if (/^-[a-zA-Z]*O[a-zA-Z]*$/.test(text) && name === "curl") isSaved = true;
      if (/^-q?O-$|^-qO-$/.test(text)) isSaved = false;
    }
    const target = join(targets);
    if (targets.length > 0 || words.length > 0) {
      const isVersion = words.every(({ text }) => /^--?(?:version|help|V|h)$/.test(text ?? ""));
      if (!isVersion && (targets.length > 0 || words.some(({ text }) => text === undefined)))
        effects.network(join([...sent, target]), row, target);
    }
    if (isSaved) effects.downloads(target, row);
    const isMetadata = target.urls.some((url) =>
      /:\/\/(?:169\.254\.169\.254|metadata\.google\.internal)/.test(url),
    );
    return {
      taint: isMetadata ? Taint.secretFile : isSaved && name === "curl" ? 0 : Taint.download,
      urls: isMetadata ? [] : target.urls,
      text: undefined,
    };
  }

  #copyOut(words: readonly FlowValue[], row: number): FlowValue {
    const remote = words.find(({ text }) => /^(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+:/.test(text ?? ""));
    if (remote === undefined) return NOTHING;
    const host = (remote.text ?? "").replace(/:.*$/, "").replace(/^.*@/, "");
    const files = words.filter((word) => word !== remote && !/^-/.test(word.text ?? ""));
    const option = words.findIndex(({ text }) => text === "-i");
    const sent = files
      .filter((word) => word !== words[option + 1] || option === -1)
      .map((word) => this.#fileOf(word, row));
    this.#effects.network(join(sent), row, { ...NOTHING, urls: [`https://${host}`] });
    return NOTHING;
  }

  #interpreter(
    language: "bash" | "python" | "javascript" | undefined,
    texts: readonly string[],
    words: readonly FlowValue[],
    input: FlowValue,
    row: number,
  ): FlowValue {
    const at = texts.findIndex((text) => /^-l?i?[ce]$/.test(text) || text === "--eval");
    const script = at === -1 ? undefined : words[at + 1];
    if (script !== undefined) {
      if (language === "bash") this.#effects.shellInput(script, row);
      else if (script.taint & (Taint.decoded | Taint.download)) this.#effects.code(script, row);
      if (script.text !== undefined && language !== undefined)
        this.#effects.nested.push({ language, text: script.text.replaceAll("{}", "x"), row });
      return withText(input);
    }
    const file = words.find(({ text }) => text === undefined || (!text.startsWith("-") && text !== "-"));
    if (file === undefined || texts.includes("-s")) {
      this.#effects.shellInput(input, row);
      if (input.text !== undefined && language !== undefined)
        this.#effects.nested.push({ language, text: input.text, row });
    } else if (file.taint & (Taint.download | Taint.decoded)) this.#effects.shellInput(file, row);
    return NOTHING;
  }

  #installs(name: string, texts: readonly string[], row: number): void {
    const isModule = /^python[\d.]*$/.test(name) && texts[0] === "-m" && texts[1] === "pip";
    const isUv = name === "uv" && (texts[0] === "pip" || texts[0] === "add" || texts[0] === "tool");
    const manager = isModule || isUv ? "pip" : MANAGERS.get(name);
    if (manager === undefined) return;
    const at = texts.findIndex((text) => /^(?:install|add|i|get)$/.test(text));
    const isRunner = /^(?:npx|bunx|uvx|pipx)$/.test(name) && at === -1;
    if (at === -1 && !isRunner) return;
    const rest = texts.slice(isRunner ? 0 : at + 1);
    for (const [index, text] of rest.entries()) {
      const before = rest[index - 1] ?? "";
      if (
        /^(?:-r|--requirement|-c|-t|--target|-i|--index-url|--extra-index-url|--prefix|-e|-p|--package)$/.test(
          before,
        ) &&
        before !== "-p" &&
        before !== "--package"
      )
        continue;
      if (!/^@?[A-Za-z][\w./@\-[\]]*(?:[=<>~!^][\w.*,=<>]*)?$/.test(text) || /^(?:x|\.)$/.test(text))
        continue;
      this.#effects.install(manager, text.replace(/(?!^)@[^/]*$|[=<>~!^[].*$/, ""), row);
      if (isRunner) break;
    }
  }
}

const MANAGERS: ReadonlyMap<string, string> = new Map(
  "pip=pip pip3=pip pipx=pip uvx=pip npm=npm pnpm=npm yarn=npm bun=npm npx=npm bunx=npm brew=brew apt=apt apt-get=apt apk=apk dnf=dnf yum=yum cargo=cargo gem=gem go=go conda=conda mamba=conda choco=choco winget=winget"
    .split(" ")
    .map((entry) => entry.split("=", 2) as [string, string]),
);

function withText(value: FlowValue): FlowValue {
  return { ...value, text: value.text };
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
