import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseSkill, readOpenclaw, splitAllowedTools, textList, textOf } from "@skillhold/skill";
import type { GuardFile, GuardScanOptions } from "@skillhold/skill/guard";
import {
  findIncoherence,
  followedFiles,
  GUARD_ENGINE,
  type GuardFinding,
  type GuardLimitation,
  type GuardReport,
  type GuardSeverity,
  guardRules,
  isDropHost,
  isIpHost,
  isPasteHost,
  ManifestBuilder,
  sortFindings,
  verdictOf,
} from "@skillhold/skill/guard";
import { WorkTime } from "../scan/work-time.ts";
import { decodeText, magicOf, PASSIVE, PROGRAMS, typeProblem } from "./file-kind.ts";
import { openNested } from "./nested-archive.ts";
import { type FoundIssue, scanText, type TextScan } from "./scan-text.ts";

/** A file of a skill. */
/** Larger texts are not matched; a limitation says so. */
const MAX_TEXT_BYTES = 1_000_000;
/** After so much work no other file is begun. */
const MAX_WORK_MS = 4000;
const MAX_DEPTH = 2;
const MAX_FINDINGS = 1000;

/**
 * Scans a whole skill for findings, capabilities and unreadable parts, without running or writing files. The content
 * of files never makes it throw; a failure is a defect of the guard, and callers reject the skill.
 */
export async function scanGuard(
  files: readonly GuardFile[],
  options: GuardScanOptions = {},
): Promise<GuardReport> {
  const scan = new SkillScan(files);
  for (const file of files) {
    options.signal?.throwIfAborted();
    await scan.file(file);
  }
  return scan.report();
}

class SkillScan {
  readonly #manifest = new ManifestBuilder();
  readonly #findings = new Map<string, GuardFinding>();
  readonly #limitations: GuardLimitation[] = [];
  readonly #work = new WorkTime();
  readonly #paths: ReadonlySet<string>;
  readonly #skill: ReturnType<typeof readSkillText>;
  readonly #followed: ReadonlySet<string>;
  readonly #instructions: string[] = [];
  #bytes = 0;
  #understood = 0;

  constructor(files: readonly GuardFile[]) {
    this.#paths = new Set(files.map(({ path }) => path));
    this.#skill = readSkillText(files);
    this.#followed = followedFiles(this.#skill.text, [...this.#paths]);
    for (const tool of this.#skill.allowedTools ?? [])
      this.#manifest.add("tools", tool, { file: "SKILL.md", line: 1 });
  }

  async file(file: GuardFile, depth = 0): Promise<void> {
    const { path, bytes } = file;
    this.#bytes += bytes.length;
    const magic = magicOf(bytes, path);
    const text = magic === "text" && bytes.length <= MAX_TEXT_BYTES ? decodeText(bytes) : undefined;
    this.#structure(file, magic, text);
    if (magic === "zip" || magic === "gzip") await this.#nested(file, magic, depth);
    else if (text !== undefined) await this.#text(file, text);
    else if (magic === "text") this.#limit(path, `it is larger than ${MAX_TEXT_BYTES} bytes`);
    else if (PASSIVE.has(magic)) this.#understood += bytes.length;
    else this.#limit(path, `its type (${magic}) cannot be read`);
  }

  report(): GuardReport {
    const analyzability = this.#bytes === 0 ? 1 : Math.round((this.#understood / this.#bytes) * 1000) / 1000;
    const manifest = this.#manifest.build(GUARD_ENGINE, analyzability);
    const incoherent = findIncoherence(manifest, { ...this.#skill, text: this.#instructions.join("\n") });
    for (const { capability, value, seen } of incoherent) {
      const isOdd =
        capability === "network.hosts" && (isIpHost(value) || isPasteHost(value) || isDropHost(value));
      const [place] = seen;
      if (isOdd && place !== undefined)
        this.#add(
          {
            ruleId: isDropHost(value) ? "undeclared-drop" : "undeclared-host",
            line: place.line,
            excerpt: value,
          },
          place.file,
          "",
        );
    }
    const findings = sortFindings([...this.#findings.values()]);
    return {
      engine: GUARD_ENGINE,
      verdict: verdictOf(findings),
      findings,
      manifest,
      incoherent,
      limitations: this.#limitations,
    };
  }

  #structure(
    { path, bytes, isIgnored }: GuardFile,
    magic: ReturnType<typeof magicOf>,
    text: string | undefined,
  ): void {
    const digest = digestOf(bytes);
    const add = (ruleId: string, line = 1) => this.#add({ ruleId, line, excerpt: path }, path, digest);
    const problem = typeProblem(path, magic, text);
    if (problem === "disguised") add("executable-disguised");
    else if (PROGRAMS.has(magic)) add("executable");
    else if (problem === "mismatch") add("magic-mismatch");
    if (magic === "pyc") add(this.#hasSource(path) ? "bytecode" : "bytecode-without-source");
    if (isIgnored === true && RUNNABLE.test(path)) add("ignored-code");
    if (hasOddName(path)) add("confusable-name");
  }

  #hasSource(path: string): boolean {
    const source = path
      .replace(/(?:^|\/)__pycache__\//, (match) => (match.startsWith("/") ? "/" : ""))
      .replace(/(?:\.cpython-\d+(?:\.opt-\d)?)?\.py[co]$/, ".py");
    return this.#paths.has(source);
  }

  async #nested({ path, bytes }: GuardFile, format: "zip" | "gzip", depth: number): Promise<void> {
    if (depth >= MAX_DEPTH) return this.#limit(path, `archives are nested deeper than ${MAX_DEPTH}`);
    const isOffice = OFFICE.test(path);
    const opened = await openNested(bytes, format, (inner) => !isOffice || OFFICE_PARTS.test(inner));
    if ("problem" in opened) {
      if (opened.isLocked)
        this.#add({ ruleId: "archive-locked", line: 1, excerpt: path }, path, digestOf(bytes));
      if (isOffice) this.#understood += 0;
      return this.#limit(path, opened.problem);
    }
    if (opened.isCut) this.#limit(path, "it has more or larger files than the guard opens");
    this.#understood += bytes.length;
    for (const inner of opened.files) {
      if (/vbaProject\.bin$/i.test(inner.path))
        this.#add({ ruleId: "office-macro", line: 1, excerpt: inner.path }, path, digestOf(bytes));
      else await this.file({ path: `${path}!${inner.path}`, bytes: inner.bytes }, depth + 1);
    }
  }

  async #text({ path, bytes }: GuardFile, text: string): Promise<void> {
    if (this.#work.exceeds(MAX_WORK_MS)) return this.#limit(path, "other files took too long");
    const digest = digestOf(bytes);
    const scan: TextScan = await scanText(path, text, {
      manifest: this.#manifest,
      isFollowed: this.#followed.has(path),
      prose: (prose) => this.#instructions.push(prose),
    });
    for (const issue of scan.issues) this.#add(issue, path, digest);
    for (const reason of scan.limitations) this.#limit(path, reason);
    if (scan.limitations.length === 0) this.#understood += bytes.length;
    await nextTurn();
  }

  #add({ ruleId, line, excerpt, severity }: FoundIssue, file: string, digest: string): void {
    const rule = guardRules.get(ruleId);
    if (rule === undefined || this.#findings.size >= MAX_FINDINGS) return;
    const key = `${ruleId}\0${file}\0${line}`;
    if (this.#findings.has(key)) return;
    const { message, fix, owasp } = rule;
    const shown: GuardSeverity = severity ?? rule.severity;
    this.#findings.set(key, {
      ruleId,
      severity: shown,
      file,
      line,
      message,
      fix,
      owasp,
      excerpt: excerptOf(excerpt),
      digest,
    });
  }

  #limit(file: string, reason: string): void {
    if (this.#limitations.length < MAX_FINDINGS) this.#limitations.push({ file, reason });
  }
}

const RUNNABLE =
  /\.(?:py|sh|bash|zsh|js|mjs|cjs|ts|mts|ps1|bat|cmd|rb|pl|php|exe|command)$|(?:^|\/)scripts\/[^/]+$/i;
const OFFICE = /\.(?:docx|docm|xlsx|xlsm|pptx|pptm|odt|ods|odp|epub|dotx|potx|xltx)$/i;
/** Parts of an Office file that can run or hide a program. */
const OFFICE_PARTS = /vbaProject\.bin$|\.(?:exe|dll|js|vbs|ps1|bat|cmd|sh|py|jar|scr|lnk|hta)$|embeddings\//i;

function hasOddName(path: string): boolean {
  return (
    /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(path) ||
    path
      .split("/")
      .some(
        (part) =>
          /[a-z]/i.test(part) &&
          /[\u0430-\u044f\u0410-\u042f\u03b1-\u03c9]/.test(part) &&
          !/[\u0430-\u044f\u0410-\u042f\u03b1-\u03c9]{3}/.test(part),
      )
  );
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function readSkillText(files: readonly GuardFile[]): {
  text: string;
  allowedTools: readonly string[] | undefined;
  required: readonly string[];
} {
  const file =
    files.find(({ path }) => path === "SKILL.md") ??
    files.find(({ path }) => /^(?:[^/]+\/)?skill\.md$/i.test(path));
  if (file === undefined || file.bytes.length > MAX_TEXT_BYTES)
    return { text: "", allowedTools: undefined, required: [] };
  const text = decodeText(file.bytes);
  const { frontmatter } = parseSkill(text);
  const field = frontmatter["allowed-tools"];
  const asText = textOf(field);
  const tools = asText === undefined ? textList(field) : asText;
  const { requires } = readOpenclaw(frontmatter);
  return {
    text,
    allowedTools: field === undefined ? undefined : splitAllowedTools(tools),
    required: [...requires.env, ...requires.bins, ...requires.anyBins],
  };
}

const EXCERPT_LENGTH = 160;

/** A line for reports: short, without control and hidden characters, and without values that may be secrets. */
function excerptOf(line: string): string {
  const plain = line
    .slice(0, 2000)
    .replace(/[^\P{C}\t]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  const redacted = plain
    .replace(/\b((?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza)[-_]?)[A-Za-z0-9_-]{8,}/g, "$1…")
    .replace(/((?:key|token|secret|password|passwd|pwd)["']?\s{0,2}[:=]\s{0,2}["']?)[^\s"'`]{6,}/gi, "$1…")
    .replace(/([A-Za-z0-9+/]{8})[A-Za-z0-9+/=_-]{32,}/g, "$1…");
  return redacted.length > EXCERPT_LENGTH ? `${redacted.slice(0, EXCERPT_LENGTH - 1)}…` : redacted;
}
