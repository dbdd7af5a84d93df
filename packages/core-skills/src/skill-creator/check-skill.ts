import { readFileSync } from "node:fs";
import { defaultLimits } from "@skillhold/protocol/limits";
import {
  checkSkillFileName,
  countLines,
  type Finding,
  findSkillFiles,
  judge,
  type ParsedSkill,
  parseSkill,
  readLinks,
  type Subject,
  scalarText,
  validateSkill,
} from "@skillhold/skill";
import type { SkillFile, SkillFolder } from "./skill-folder.ts";

/** A violation of the specification (`error`), or advice (`warning`, `info`). */
export interface Remark {
  readonly level: "error" | "warning" | "info";
  readonly code: string;
  readonly message: string;
}

export interface Report {
  readonly remarks: readonly Remark[];
  readonly name: string | undefined;
  readonly lines: number;
}

/** Checks a skill with the rules of `skillhold validate`, in the profiles `strict` and `authoring`. */
export function checkSkill(folder: SkillFolder): Report {
  const [name, ...others] = findSkillFiles(folder.files.map(({ path }) => path));
  const file = folder.files.find(({ path }) => path === name);
  if (file === undefined) return unread(folder, "SKILL_FILE_MISSING", "The folder has no SKILL.md.");
  if (file.size > defaultLimits.skillFileBytes) {
    const message = `SKILL.md is larger than ${defaultLimits.skillFileBytes} bytes.`;
    return unread(folder, "SKILL_FILE_TOO_LARGE", message);
  }
  const skill = parseSkill(readFileSync(file.absolute));
  const subject = subjectOf(folder);
  const found = checkSkillFileName(file.path, others);
  return {
    remarks: [
      ...ruleRemarks(skill, { ...subject, findings: [...(subject.findings ?? []), ...found] }),
      ...adviceRemarks(skill, folder),
    ],
    name: scalarText(skill, "name"),
    lines: countLines(skill.text),
  };
}

function unread({ findings }: SkillFolder, code: Finding["code"], message: string): Report {
  const { diagnostics } = judge([{ code, line: 1, column: 1, message }, ...findings], "strict");
  return { remarks: diagnostics.map(toRemark), name: undefined, lines: 0 };
}

function subjectOf(folder: SkillFolder): Subject {
  const links = folder.files.find(({ path }) => path === "links.yaml");
  const findings =
    links === undefined ? folder.findings : [...folder.findings, ...readLinks(readText(links)).findings];
  return { folder: folder.name, findings, files: folder.files.map(measure) };
}

function measure(file: SkillFile): { path: string; size: number; lines?: number } {
  const { path, size } = file;
  const isReference = path.startsWith("references/") && /\.(?:md|markdown|txt)$/i.test(path);
  return isReference ? { path, size, lines: countLines(readText(file)) } : { path, size };
}

/** Contract: `openSkillFolder` has bounded the size of every file. */
function readText({ absolute }: SkillFile): string {
  return readFileSync(absolute, "utf8");
}

function ruleRemarks(skill: ParsedSkill, subject: Subject): readonly Remark[] {
  const strict = validateSkill(skill, subject, "strict").diagnostics;
  const codes = new Set(strict.map(({ code }) => code));
  const more = validateSkill(skill, subject, "authoring").diagnostics.filter(({ code }) => !codes.has(code));
  return [...strict, ...more].map(toRemark);
}

function toRemark({ severity, code, message }: ReturnType<typeof judge>["diagnostics"][number]): Remark {
  return { level: severity, code, message };
}

/** Advice for a skill that is still being written, which no rule of the product covers. */
function adviceRemarks({ body, frontmatter }: ParsedSkill, folder: SkillFolder): readonly Remark[] {
  const { description } = frontmatter;
  const remarks: Remark[] = [];
  const warn = (code: string, message: string) => remarks.push({ level: "warning", code, message });
  if (typeof description === "string" && /\bTODO\b|\{\{/.test(description))
    warn("UNFINISHED", "The description still has placeholders.");
  if (typeof description === "string" && !/\b(use|when|for)\b/i.test(description))
    warn("DESCRIPTION_WHEN", "The description does not say when to use the skill.");
  if (/\bTODO\b/.test(body)) warn("UNFINISHED", "The instructions still say TODO.");
  const paths = new Set(folder.files.map(({ path }) => path));
  for (const target of mentionedPaths(body))
    if (!paths.has(target)) warn("FILE_MISSING", `SKILL.md mentions ${target}, which does not exist.`);
  return remarks;
}

/** Files of the skill that the instructions mention, in links or as code. */
function mentionedPaths(body: string): ReadonlySet<string> {
  const matches = body.matchAll(/(?<![\w/.-])((?:references|scripts|assets|evals)\/[\w./-]*\w\.\w+)/g);
  return new Set([...matches].map(([, path = ""]) => path));
}
