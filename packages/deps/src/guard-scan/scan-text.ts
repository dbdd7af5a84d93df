import {
  findHidden,
  findUrls,
  type GuardSeverity,
  hostOf,
  isConfusable,
  isImpostorHost,
  isKnownBadHost,
  ManifestBuilder,
  type MarkdownParts,
  matchRule,
  placeOf,
  splitMarkdown,
  type TextPlace,
  tokenRules,
  visibleText,
} from "@skillhold/skill/guard";
import { notebookCode } from "../scan/code-scan.ts";
import { readShebang } from "../scan/file-type.ts";
import type { Language } from "../scan/syntax.ts";
import { WorkTime } from "../scan/work-time.ts";
import { parseCode } from "./code-tree.ts";
import { findEncodedCommands } from "./encoded-text.ts";
import { FlowEffects } from "./flow-effect.ts";
import { findPadding } from "./padding.ts";
import { readPythonFlows } from "./python-flow.ts";
import { readScriptFlows } from "./script-flow.ts";
import { findSecrets } from "./secret-scan.ts";
import { readShellFlows } from "./shell-flow.ts";

export interface FoundIssue {
  readonly ruleId: string;
  readonly line: number;
  readonly excerpt: string;
  /** In place of the rule's own. */
  readonly severity?: GuardSeverity;
}

export interface TextScan {
  readonly issues: readonly FoundIssue[];
  readonly limitations: readonly string[];
}

export interface TextContext {
  readonly manifest: ManifestBuilder;
  /** Whether SKILL.md says to run or to follow the file. */
  readonly isFollowed: boolean;
  /** Takes the instructions of a file, for the comparison with its code. */
  prose(text: string): void;
}

const MAX_CODE_BYTES = 250_000;
const PARSE_MS = 250;
/** After so much work no other code of the file is parsed. */
const FILE_MS = 500;
const MAX_NESTED = 40;

/** Matches rules, follows flows and looks for hidden text and secrets in one file. */
export async function scanText(path: string, text: string, context: TextContext): Promise<TextScan> {
  const scan = new TextReader(path, text, context);
  await scan.run();
  return scan;
}

class TextReader implements TextScan {
  readonly issues: FoundIssue[] = [];
  readonly limitations: string[] = [];
  readonly #path: string;
  readonly #text: string;
  readonly #visible: string;
  readonly #place: TextPlace;
  readonly #context: TextContext;
  readonly #manifest: ManifestBuilder;
  readonly #work = new WorkTime();
  #lines: readonly string[] | undefined;
  #starts: readonly number[] | undefined;

  constructor(path: string, text: string, context: TextContext) {
    this.#path = path;
    this.#text = text;
    this.#visible = visibleText(text);
    const place = placeOf(innerPath(path));
    this.#place =
      place === "reference" && context.isFollowed
        ? "instruction"
        : place === "instruction" && isScript(text)
          ? "code"
          : place;
    this.#context = context;
    // Examples in references are no capabilities of the skill.
    this.#manifest = this.#place === "reference" ? new ManifestBuilder() : context.manifest;
  }

  async run(): Promise<void> {
    this.#hidden();
    this.#urls();
    const isMarkdown = /\.(?:md|mdx|markdown|mdc)$/i.test(this.#path);
    const parts = isMarkdown ? splitMarkdown(this.#visible) : undefined;
    if (isMarkdown || this.#place !== "code") this.#context.prose(this.#visible);
    this.#rules(parts);
    this.#encoded();
    if (parts !== undefined) for (const code of parts.code) await this.#fence(code);
    else await this.#codeFile();
    for (const { line } of await findSecrets(this.#path, this.#text)) this.#issue("secret-in-file", line);
  }

  #hidden(): void {
    for (const run of findHidden(this.#text)) {
      const line = this.#lineAt(this.#text, run.index);
      if (run.kind === "tag" && run.decoded.length > 2) this.#hide("hidden-tag-text", line);
      else if (run.kind === "bidi") this.#hide("bidi-control", line);
      else if (
        (run.kind === "zero-width" && run.length >= 6) ||
        (run.kind === "variation" && run.length >= 6) ||
        run.kind === "tag"
      )
        this.#hide("hidden-text", line);
      else this.#issue("hidden-character", line);
    }
    const isRead = /\.(?:md|mdx|txt|py|js|ts|mjs|sh)$/i.test(this.#path);
    const padded = isRead ? findPadding(this.#text) : undefined;
    if (padded !== undefined) this.#issue("padding", padded);
  }

  #urls(): void {
    if (this.#visible !== this.#text)
      for (const { url, index } of findUrls(this.#text)) {
        const host = /^\w+:\/\/([^/?#\s]+)/.exec(url)?.[1] ?? "";
        if (isConfusable(host)) this.#issue("confusable-host", this.#lineAt(this.#text, index));
      }
    for (const { url, index } of findUrls(this.#visible)) {
      const host = hostOf(url);
      if (host === undefined) continue;
      if (isKnownBadHost(host))
        this.#issue("known-malware", this.#lineAt(this.#visible, index), this.#severityAt("block"));
      else if (
        isImpostorHost(host) &&
        DEMAND.test(this.#visible.slice(Math.max(0, index - 200), index + url.length + 100))
      )
        this.#issue("agent-impostor", this.#lineAt(this.#visible, index), this.#severityAt("block"));
    }
  }

  #hide(ruleId: string, line: number): void {
    this.#issue(ruleId, line);
    this.#manifest.set("prompt.hidden", { file: this.#path, line });
  }

  #rules(parts: MarkdownParts | undefined): void {
    const isCode = this.#place === "code";
    const prose = parts?.prose ?? (isCode ? "" : this.#visible);
    const code = parts?.fenced ?? (isCode ? this.#visible : "");
    for (const rule of tokenRules) {
      const text = rule.scope === "text" ? this.#visible : rule.scope === "prose" ? prose : code;
      if (text === "") continue;
      for (const { start } of matchRule(rule, text)) {
        const line = this.#lineAt(this.#visible, start);
        this.#issue(rule.id, line, this.#severityAt(rule.severity));
        if (this.#place !== "reference") {
          if (rule.id === "prompt-override")
            this.#manifest.set("prompt.override", { file: this.#path, line });
          if (rule.id === "conceal-from-user" || rule.id === "no-confirm-danger")
            this.#manifest.set("prompt.conceal", { file: this.#path, line });
        }
      }
    }
  }

  #encoded(): void {
    for (const { index } of findEncodedCommands(this.#visible))
      this.#issue("encoded-command", this.#lineAt(this.#visible, index));
  }

  async #fence({ language, text, line, isInline }: MarkdownParts["code"][number]): Promise<void> {
    const known = isInline || language === "" ? guessLanguage(text, isInline) : FENCES.get(language);
    if (known === undefined) return;
    const code = known === "bash" ? text.replace(/^(\s*)[$>#%] (?=[a-z./])/gm, "$1  ") : text;
    await this.#code(known, code, line, 0);
  }

  async #codeFile(): Promise<void> {
    const language = languageOf(this.#path, this.#text);
    if (language === "notebook") {
      const code = notebookCode(this.#text);
      if (code !== undefined) await this.#code("python", code, 1, 0);
    } else if (language !== undefined) await this.#code(language, this.#visible, 1, 0);
  }

  async #code(language: Language, text: string, firstLine: number, depth: number): Promise<void> {
    if (text.length > MAX_CODE_BYTES) {
      this.limitations.push(`its code is larger than ${MAX_CODE_BYTES} characters`);
      return;
    }
    if (this.#work.exceeds(FILE_MS)) {
      if (!this.limitations.includes(TOO_LONG)) this.limitations.push(TOO_LONG);
      return;
    }
    const tree = await parseCode(language, text, PARSE_MS);
    if (tree === undefined) {
      this.limitations.push("its code is too hard to parse");
      return;
    }
    if (tree.isCut) this.limitations.push("its code is nested too deep or too large to follow");
    const effects = new FlowEffects(this.#path, firstLine, this.#manifest);
    if (language === "python") readPythonFlows(tree, effects);
    else if (language === "bash") readShellFlows(tree, effects);
    else readScriptFlows(tree, effects);
    for (const { ruleId, severity, line } of effects.hits)
      this.#issue(ruleId, line, this.#severityAt(severity));
    if (depth >= 2) return;
    for (const nested of effects.nested.slice(0, MAX_NESTED))
      await this.#code(nested.language, nested.text, firstLine + nested.row, depth + 1);
  }

  /** A finding in a reference is shown, but needs no approval. */
  #severityAt(severity: GuardSeverity): GuardSeverity {
    return this.#place === "reference" ? "info" : severity;
  }

  #issue(ruleId: string, line: number, severity?: GuardSeverity): void {
    this.#lines ??= this.#text.split("\n");
    const excerpt = this.#lines[line - 1] ?? "";
    const shown = severity ?? (this.#place === "reference" && !ALWAYS.has(ruleId) ? "info" : undefined);
    this.issues.push({ ruleId, line, excerpt, ...(shown === undefined ? {} : { severity: shown }) });
  }

  #lineAt(text: string, index: number): number {
    if (text === this.#visible) {
      this.#starts ??= lineStarts(text);
      return upperBound(this.#starts, index);
    }
    return text.slice(0, index).split("\n").length;
  }
}

const TOO_LONG = "its code takes too long to parse";

/** Words that make a link a demand to install something. */
const DEMAND = /\b(?:must be installed|requires?|required|download|install|set ?up|prerequisites?)\b/i;

/** Findings that keep their severity in a reference: readers cannot see them, and they have no honest use there. */
const ALWAYS = new Set(["hidden-tag-text", "confusable-host"]);

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** How many entries are not above the value. */
function upperBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function innerPath(path: string): string {
  return path.slice(path.lastIndexOf("!") + 1);
}

const FENCES: ReadonlyMap<string, Language> = new Map<string, Language>(
  Object.entries({
    bash: "bash",
    sh: "bash",
    shell: "bash",
    zsh: "bash",
    console: "bash",
    terminal: "bash",
    shellsession: "bash",
    python: "python",
    py: "python",
    python3: "python",
    javascript: "javascript",
    js: "javascript",
    jsx: "javascript",
    mjs: "javascript",
    node: "javascript",
    typescript: "typescript",
    ts: "typescript",
    tsx: "tsx",
  }),
);

const EXTENSIONS: ReadonlyMap<string, Language | "notebook"> = new Map<string, Language | "notebook">(
  Object.entries({
    py: "python",
    pyw: "python",
    ipynb: "notebook",
    js: "javascript",
    mjs: "javascript",
    cjs: "javascript",
    jsx: "javascript",
    ts: "typescript",
    mts: "typescript",
    cts: "typescript",
    tsx: "tsx",
    sh: "bash",
    bash: "bash",
    zsh: "bash",
    command: "bash",
  }),
);

const COMMAND_START =
  /^\s*(?:[$>#%] )?(?:sudo |[A-Z_]+=\S+ )?(?:curl|wget|bash|sh|zsh|echo|pip3?|npm|npx|pnpm|yarn|uvx?|python3?|node|brew|apt(?:-get)?|chmod|eval|source|base64|nc|cat|env|printenv|ssh|scp|xattr|osascript|openssl|rm|export|git|docker|cargo|go)\s/m;

function guessLanguage(text: string, isInline: boolean): Language | undefined {
  if (!COMMAND_START.test(isInline ? text.slice(0, 60) : text)) return undefined;
  return isInline && !/^\s*(?:[$>#] )?[a-z]/.test(text) ? undefined : "bash";
}

function languageOf(path: string, text: string): Language | "notebook" | undefined {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase();
  const known = extension === undefined ? undefined : EXTENSIONS.get(extension);
  if (known !== undefined) return known;
  const runtime = text.startsWith("#!") ? (readShebang(text)?.runtime ?? "") : "";
  if (/^(?:ba|da|z|k)?sh$/.test(runtime)) return "bash";
  if (/^(?:python|pypy|uv)/.test(runtime)) return "python";
  return /^(?:node|zx|deno|bun)/.test(runtime) ? "typescript" : undefined;
}

function isScript(text: string): boolean {
  return text.startsWith("#!");
}
