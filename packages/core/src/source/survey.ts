import { closeSync, readFileSync } from "node:fs";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { countLines, type Finding, readLinks, type Subject } from "@skillhold/skill";
import { type Bundle, type BundleFile, type Omission, openInside, pack } from "../bundle/index.ts";
import type { OpenedSkill } from "./open-skill.ts";

/** Adds the findings about the other files of a skill. */
export async function surveySkill(opened: OpenedSkill, limits: Limits = defaultLimits): Promise<Subject> {
  if (opened.file === undefined) return opened.subject;
  const findings = [...(opened.subject.findings ?? [])];
  try {
    const bundle = await pack(opened.folder, { limits });
    findings.push(...omissionFindings(bundle), ...strayFindings(bundle), ...linkFindings(bundle));
    return { ...opened.subject, findings, files: bundle.files.map((file) => measure(file, bundle)) };
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "INTERRUPTED") throw error;
    const code = error.code === "LIMIT_EXCEEDED" ? "BUNDLE_TOO_LARGE" : "BUNDLE_UNREADABLE";
    findings.push({ code, line: 1, column: 1, message: error.message });
    return { ...opened.subject, findings };
  }
}

function measure(file: BundleFile, bundle: Bundle): { path: string; size: number; lines?: number } {
  const { path, size } = file;
  const isReference = path.startsWith("references/") && /\.(?:md|markdown|txt)$/i.test(path);
  return isReference ? { path, size, lines: countLines(readText(file, bundle)) } : { path, size };
}

/** Deliberate omissions, which need no finding. */
const expected: ReadonlySet<Omission["reason"]> = new Set(["ignored", "junk", "nested-skill"]);

function omissionFindings({ omitted }: Bundle): readonly Finding[] {
  const refused = omitted.filter(({ reason }) => !expected.has(reason));
  return refused.map(({ path, message }) => ({
    code: "FILE_LEFT_OUT",
    line: 1,
    column: 1,
    message: `${path} is not part of the skill: ${message}`,
    file: path,
  }));
}

function strayFindings({ strayReferences }: Bundle): readonly Finding[] {
  return strayReferences.map(({ path, reference, expected }) => ({
    code: "STRAY_REFERENCE",
    line: 1,
    column: 1,
    message: `${path} refers to ${reference}, which is outside the skill.`,
    fix: `Write ${expected}, the helper's path in the packed skill.`,
    file: path,
  }));
}

function linkFindings(bundle: Bundle): readonly Finding[] {
  const file = bundle.files.find(({ path }) => path === "links.yaml");
  return file === undefined ? [] : readLinks(readText(file, bundle)).findings;
}

/** Contract: the packer has bounded the size of every file in the bundle. */
function readText({ base, path }: BundleFile, { allowHardLinks }: Bundle): string {
  const { fd } = openInside(base, path, { allowHardLinks });
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
