import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { countLines, type Finding, readLinks, type Subject } from "@skillhold/skill";
import {
  type Bundle,
  type BundleFile,
  type Omission,
  openInside,
  pack,
  readBounded,
} from "../bundle/index.ts";
import type { OpenedSkill } from "./open-skill.ts";

/** Adds the findings about the other files of a skill. */
export async function surveySkill(opened: OpenedSkill, limits: Limits = defaultLimits): Promise<Subject> {
  if (opened.file === undefined) return opened.subject;
  try {
    const bundle = await pack(opened.folder, { limits, purpose: "publish" });
    return surveyBundle(opened.subject, bundle, (file) => readText(file, bundle));
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "INTERRUPTED") throw error;
    const code = error.code === "LIMIT_EXCEEDED" ? "BUNDLE_TOO_LARGE" : "BUNDLE_UNREADABLE";
    const finding: Finding = { code, line: 1, column: 1, message: error.message };
    return { ...opened.subject, findings: [...(opened.subject.findings ?? []), finding] };
  }
}

/** Adds the findings about links.yaml, without reading the other files. */
export function surveyLinks({ folder, subject }: OpenedSkill, limits: Limits = defaultLimits): Subject {
  const read = readBounded(join(folder, "links.yaml"), limits.frontmatterBytes);
  if ("problem" in read) return subject;
  const { findings } = readLinks(new TextDecoder().decode(read.bytes));
  return { ...subject, findings: [...(subject.findings ?? []), ...findings] };
}

/** The same for a packed skill. `textOf` reads a file of the bundle. */
export function surveyBundle(
  subject: Subject,
  bundle: Bundle,
  textOf: (file: BundleFile) => string,
): Subject {
  const links = bundle.files.find(({ path }) => path === "links.yaml");
  const findings = [
    ...(subject.findings ?? []),
    ...omissionFindings(bundle),
    ...strayFindings(bundle),
    ...(links === undefined ? [] : readLinks(textOf(links)).findings),
  ];
  return { ...subject, findings, files: bundle.files.map((file) => measure(file, textOf)) };
}

function measure(
  file: BundleFile,
  textOf: (file: BundleFile) => string,
): { path: string; size: number; lines?: number } {
  const { path, size } = file;
  const isReference = path.startsWith("references/") && /\.(?:md|markdown|txt)$/i.test(path);
  return isReference ? { path, size, lines: countLines(textOf(file)) } : { path, size };
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

/** Contract: the packer has bounded the size of every file in the bundle. */
function readText({ base, path }: BundleFile, { allowHardLinks }: Bundle): string {
  const { fd } = openInside(base, path, { allowHardLinks });
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
