import type { FlowEffects } from "./flow-effect.ts";
import { type FlowValue, join, NOTHING, Taint, textValue, withTaint } from "./flow-value.ts";

/** A program that a shell starts, with its words. */
export interface ShellCommand {
  readonly name: string;
  readonly words: readonly FlowValue[];
  readonly row: number;
}

interface StartedProgram extends ShellCommand {
  /** The words as texts; empty for an unknown one. */
  readonly texts: readonly string[];
  readonly input: FlowValue;
}

/** What known programs do with their words and their input. */
export class ShellPrograms {
  readonly #effects: FlowEffects;
  readonly #names: Map<string, FlowValue>;

  /** `names` are the variables of the script. */
  constructor(effects: FlowEffects, names: Map<string, FlowValue>) {
    this.#effects = effects;
    this.#names = names;
  }

  /** Reports the effects of a program, and returns its output. */
  start(given: ShellCommand, input: FlowValue): FlowValue {
    const { row, words } = given;
    const name = given.name.slice(given.name.lastIndexOf("/") + 1);
    if (/^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name)) return this.#effects.env(name, row);
    this.#effects.bin(given.name, row);
    const texts = words.map(({ text }) => text ?? "");
    this.#installs(name, texts, row);
    const command = { name, words, texts, input, row };
    return (
      this.#network(command) ??
      this.#data(command) ??
      this.#fileProgram(command) ??
      this.#system(command) ??
      withText(join([withTaint(input, 0, 0), ...words.map((word) => this.#fileOf(word, row))]))
    );
  }

  /** Programs that send and receive. */
  #network({ name, words, texts, input, row }: StartedProgram): FlowValue | undefined {
    const all = join(words);
    const effects = this.#effects;
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
      default:
        return undefined;
    }
  }

  /** Decoders, the environment and evaluated text. */
  #data({ name, words, texts, input, row }: StartedProgram): FlowValue | undefined {
    const all = join(words);
    const effects = this.#effects;
    switch (name) {
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
      default:
        return undefined;
    }
  }

  /** Interpreters, filters and programs that write files. */
  #fileProgram({ name, words, texts, input, row }: StartedProgram): FlowValue | undefined {
    const all = join(words);
    const effects = this.#effects;
    switch (name) {
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
      default:
        return undefined;
    }
  }

  /** Facts of the machine, and programs whose output is of no interest. */
  #system({ name, words, texts, input, row }: StartedProgram): FlowValue | undefined {
    const effects = this.#effects;
    switch (name) {
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
        return undefined;
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

export function withText(value: FlowValue): FlowValue {
  return { ...value, text: value.text };
}
