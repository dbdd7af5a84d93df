import {
  type CheckRuleId,
  checkRules,
  findUrls,
  type GuardPlace,
  type GuardSeverity,
  hostOf,
  isDropHost,
  isIpHost,
  isLocalHost,
  isPasteHost,
  isPlaceholderHost,
  isShortener,
  type ManifestBuilder,
  sourceTrust,
} from "@skillhold/skill/guard";
import { isCommonCommand } from "../scan/shell-table.ts";
import { type FlowValue, isForeign, isSecretName, Taint, withTaint } from "./flow-value.ts";

/** Code that stands in other code as a text, such as the argument of `bash -c`. */
export interface NestedCode {
  readonly language: "bash" | "python" | "javascript";
  readonly text: string;
  readonly row: number;
}

export interface FlowHit {
  readonly ruleId: CheckRuleId;
  readonly severity: GuardSeverity;
  readonly line: number;
}

/** Turns what code does into findings and capabilities. One for each piece of code. */
export class FlowEffects {
  readonly hits: FlowHit[] = [];
  readonly nested: NestedCode[] = [];
  readonly #file: string;
  readonly #firstLine: number;
  readonly #manifest: ManifestBuilder;

  constructor(file: string, firstLine: number, manifest: ManifestBuilder) {
    this.#file = file;
    this.#firstLine = firstLine;
    this.#manifest = manifest;
  }

  /** Data goes to a host. The value holds the address and everything that is sent. */
  network(sent: FlowValue, row: number, target: FlowValue = sent): void {
    const place = this.#place(row);
    const hosts = target.urls.map(hostOf).filter((host) => host !== undefined);
    for (const host of hosts)
      if (!isLocalHost(host) && !isPlaceholderHost(host)) this.#manifest.add("network.hosts", host, place);
    if (hosts.length === 0) this.#manifest.set("network.dynamic", place);
    const isLocal = hosts.length > 0 && hosts.every(isLocalHost);
    if (isLocal) return;
    if (sent.taint & Taint.secretFile) this.hit("flow-secret-network", row);
    if (sent.taint & Taint.wholeEnv) this.hit("flow-environment-network", row);
    const isDrop = hosts.some(
      (host) => isDropHost(host) || isPasteHost(host) || isIpHost(host) || isShortener(host),
    );
    if (sent.taint & (Taint.secretEnv | Taint.system) && isDrop) this.hit("flow-secret-drop", row);
    else if (
      hosts.length > 0 &&
      hosts.every((host) => (sent.secrets ?? []).some((name) => isForeign(name, host)))
    )
      this.hit("flow-secret-foreign", row, sent.taint & Taint.argument ? "info" : undefined);
    if (target.taint & Taint.decoded && hosts.length > 0) this.hit("flow-decoded-host", row);
  }

  /** A name is looked up. Data in the name reaches the server of the domain. */
  lookup(name: FlowValue, row: number): void {
    this.#manifest.set("network.dynamic", this.#place(row));
    if (
      name.text?.includes("{}") === true &&
      name.taint & (Taint.secretEnv | Taint.secretFile | Taint.wholeEnv | Taint.system)
    )
      this.hit("flow-dns", row);
  }

  /** Text becomes code. */
  code(text: FlowValue, row: number): void {
    this.#manifest.set("process.dynamicCode", this.#place(row));
    if (text.taint & Taint.decoded) this.hit("flow-decoded-code", row);
    else if (text.taint & Taint.download) this.#download(text, row, false);
    else if (text.taint & Taint.outsideFile) this.hit("flow-file-code", row);
  }

  /** A shell reads downloaded or decoded text as its script. */
  shellInput(text: FlowValue, row: number): void {
    if (text.taint & Taint.decoded) this.hit("flow-decoded-code", row);
    else if (text.taint & Taint.download) this.#download(text, row, true);
  }

  process(command: FlowValue, row: number, isShell: boolean): void {
    const place = this.#place(row);
    if (isShell) this.#manifest.set("process.shell", place);
    if (command.taint & Taint.decoded && isShell) this.hit("flow-decoded-process", row);
    const { text, items } = command;
    const words = text ?? items?.join(" ") ?? "";
    if (command.taint & SECRET && /\b(?:dig|nslookup|host|ping)\s/.test(words)) this.lookup(command, row);
    else if (command.taint & SECRET && /\b(?:curl|wget|nc|ncat)\b/.test(words))
      this.network(command, row, { ...command, taint: 0, urls: findUrls(words).map(({ url }) => url) });
    if (items !== undefined) this.argv(items, row);
    else if (text !== undefined) {
      if (isShell) this.nested.push({ language: "bash", text: text.replaceAll("{}", "x"), row });
      else this.bin(text.split(/\s/, 1)[0] ?? "", row);
    }
  }

  /** A list of words that is run without a shell, or is `sh -c text`. */
  argv(words: readonly (string | undefined)[], row: number): void {
    const [name, ...rest] = words;
    if (name === undefined || name.includes("{}")) return;
    this.bin(name, row);
    const base = name.slice(name.lastIndexOf("/") + 1);
    const at = rest.findIndex((word) => word === "-c" || word === "-lc" || word === "-e");
    const script = at === -1 ? undefined : rest[at + 1];
    if (script !== undefined && /^(?:ba|z|da)?sh$/.test(base)) {
      this.#manifest.set("process.shell", this.#place(row));
      this.nested.push({ language: "bash", text: script, row });
    } else if (script !== undefined && /^python[\d.]*$/.test(base))
      this.nested.push({ language: "python", text: script, row });
    else if (/^(?:pip3?|npm|pnpm|yarn|uv|brew|apt|apt-get|cargo|gem|go|curl|wget|python[\d.]*)$/.test(base))
      this.nested.push({ language: "bash", text: words.map((word) => quote(word ?? "x")).join(" "), row });
  }

  bin(name: string, row: number): void {
    const base = name.slice(name.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
    const isOwn = /^\.{0,2}\//.test(name) && !/^\/(?:usr\/|opt\/|bin\/|sbin\/)/.test(name);
    if (isOwn || !/^[A-Za-z][\w.+-]{0,60}$/.test(base) || /\.(?:sh|py|js|mjs|ts|md|json)$/.test(base)) return;
    if (isCommonCommand(base) && !SENSITIVE.has(base)) return;
    this.#manifest.add("process.bins", base, this.#place(row));
  }

  /** Reads one variable and gives its value. */
  env(name: string, row: number): FlowValue {
    if (!/^[A-Za-z_]\w{0,100}$/.test(name)) return { taint: 0, urls: [], text: undefined };
    if (name === "HOME" || name === "USERPROFILE") {
      this.home(row);
      return { taint: Taint.home, urls: [], text: "~" };
    }
    if (!ORDINARY.has(name)) this.#manifest.add("env.names", name, this.#place(row));
    return secretValue(name);
  }

  wholeEnv(row: number): void {
    this.#manifest.set("env.all", this.#place(row));
  }

  home(row: number): void {
    this.#manifest.set("reads.home", this.#place(row));
  }

  /** Reads a file and gives its content. */
  read(path: FlowValue, row: number): FlowValue {
    this.#sayHome(path, row);
    if (!(path.taint & Taint.secretPath)) {
      const isOutside = /^(?:\/tmp\/|\/var\/tmp\/|\/dev\/shm\/|~\/\.cache)/.test(path.text ?? "");
      const isSystem = /^\/etc\/(?:passwd|hosts|resolv\.conf|hostname)$/.test(path.text ?? "");
      return {
        ...withTaint(path, (isOutside ? Taint.outsideFile : 0) | (isSystem ? Taint.system : 0), Taint.home),
        text: undefined,
      };
    }
    this.#manifest.add("reads.secretPaths", shownPath(path.text), this.#place(row));
    return { ...withTaint(path, Taint.secretFile, Taint.secretPath), text: undefined };
  }

  write(path: FlowValue, row: number): void {
    const { text } = path;
    this.#sayHome(path, row);
    if (text === undefined || text.length > 200) return;
    const place = this.#place(row);
    if (AGENT_STATE.test(text)) this.#manifest.add("writes.agentState", text, place);
    else if (
      /^(?:~|\$HOME|\/(?!tmp\b|dev\/(?:null|std)|var\/tmp|workspace|work\b|mnt\/(?:data|user)|path|app\b|proc\/self))/.test(
        text,
      ) &&
      /^[~\w/.$@+ {}-]+$/.test(text)
    )
      this.#manifest.add("writes.outsideWork", text, place);
  }

  install(manager: string, name: string, row: number): void {
    this.#manifest.add("installs", `${manager}:${name}`, this.#place(row));
  }

  downloads(value: FlowValue, row: number): void {
    for (const url of value.urls) {
      const host = hostOf(url);
      if (host !== undefined && !isLocalHost(host) && !isPlaceholderHost(host))
        this.#manifest.add("downloads.urls", url.slice(0, 200), this.#place(row));
    }
  }

  hit(ruleId: CheckRuleId, row: number, severity: GuardSeverity = checkRules[ruleId].severity): void {
    this.hits.push({ ruleId, severity, line: this.#firstLine + row });
  }

  #download(text: FlowValue, row: number, isShell: boolean): void {
    const trust = text.urls.map((url) =>
      url.startsWith("http://") && sourceTrust(url) === "unknown" ? "hostile" : sourceTrust(url),
    );
    this.downloads(text, row);
    if (trust.includes("hostile")) this.hit("flow-download-code-hostile", row);
    else if (!isShell) this.hit("flow-download-code", row);
    else
      this.hit(
        trust.length > 0 && trust.every((each) => each === "known") ? "pipe-to-shell-known" : "pipe-to-shell",
        row,
      );
  }

  #sayHome({ text }: FlowValue, row: number): void {
    if (text !== undefined && /^(?:~|\$HOME)/.test(text)) this.home(row);
  }

  #place(row: number): GuardPlace {
    return { file: this.#file, line: this.#firstLine + row };
  }
}

const SECRET = Taint.secretEnv | Taint.secretFile | Taint.wholeEnv | Taint.system;

/** The value of a variable, known by its name alone. */
export function secretValue(name: string): FlowValue {
  const isSecret = isSecretName(name);
  return {
    taint: isSecret ? Taint.secretEnv : 0,
    urls: [],
    text: undefined,
    secrets: isSecret ? [name] : undefined,
  };
}

function shownPath(path: string | undefined): string {
  return path === undefined ? "a computed path" : path.slice(0, 200);
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "")}'`;
}

/** Common commands that change the system or speak for the user. */
const SENSITIVE = new Set([
  "sudo",
  "crontab",
  "launchctl",
  "systemctl",
  "osascript",
  "defaults",
  "security",
  "doas",
  "su",
]);

/** Variables that every process has. */
const ORDINARY = new Set(
  "PATH HOME USER USERNAME LOGNAME SHELL LANG LC_ALL LC_CTYPE TERM PWD OLDPWD TMPDIR TMP TEMP TZ HOSTNAME EDITOR VISUAL PAGER DISPLAY COLUMNS LINES CI DEBUG NO_COLOR FORCE_COLOR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR PYTHONPATH NODE_ENV NODE_PATH VIRTUAL_ENV CONDA_PREFIX SHLVL UID EUID RANDOM SECONDS LINENO BASH_SOURCE BASH_VERSION FUNCNAME IFS PPID OSTYPE OPTARG OPTIND REPLY PIPESTATUS APPDATA LOCALAPPDATA USERPROFILE PROGRAMFILES SYSTEMROOT WINDIR COMSPEC".split(
    " ",
  ),
);

const AGENT_STATE =
  /(?:^|[/~])\.(?:claude|codex|cursor|openclaw|clawdbot|moltbot|gemini|copilot|windsurf|agents|hermes|opencode)(?:\/|$)|(?:^|\/)(?:CLAUDE|AGENTS|SOUL|MEMORY|IDENTITY|GEMINI|HEARTBEAT)\.md$|(?:^|\/)\.cursorrules$|(?:^|\/)\.mcp\.json$/;
