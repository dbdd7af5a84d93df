import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findRealPath, normalizeRelative, openInside, tryStat } from "@skillhold/core/bundle";
import { openSkill, recordSkill } from "@skillhold/core/source";
import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { declaredExamples, fitsRuntime, runtimeSkipLine } from "@skillhold/skill";
import type { NamedText, WorkspaceSession, WorkspaceSkill } from "./compose-workspace.ts";
import {
  CONFIG_FILE,
  MAX_CONFIG_BYTES,
  readWorkspaceConfig,
  type WorkspaceConfig,
  type WorkspaceProblem,
} from "./workspace-config.ts";

export const SKILLS_FOLDER = "skills";
/** Read after the prompt files when they exist. */
const MEMORY_FILES = ["MEMORY.md", "USER.md"] as const;
const MAX_PROMPT_FILE_BYTES = 256 * 1024;
const MAX_EXAMPLES = 20;
const MAX_EXAMPLE = 500;

export interface WorkspaceReading {
  /** The text of config.yaml; empty when it is missing. */
  readonly text: string;
  readonly config: WorkspaceConfig | undefined;
  readonly session: WorkspaceSession;
}

export interface WorkspaceReadOptions {
  /** The config of the running workspace, which decides where the folder's own cannot be read. */
  readonly config?: WorkspaceConfig | undefined;
  /** The folder of the parent, whose shared files appear in the prompt. */
  readonly parent?: string | undefined;
  readonly limits?: Limits;
}

/**
 * Reads a workspace's folder: config, prompt files and listed skills. Never throws for its content: each problem is
 * reported, and the other parts load.
 */
export function readWorkspaceFolder(
  folder: string,
  id: string,
  { config: running, parent, limits = defaultLimits }: WorkspaceReadOptions = {},
): WorkspaceReading {
  const problems: WorkspaceProblem[] = [];
  const root = findRealPath(folder);
  if (root === undefined)
    return {
      text: "",
      config: undefined,
      session: emptySession(id, [configMissing(`The folder ${folder} does not exist.`)]),
    };
  const file = readText(root, CONFIG_FILE, MAX_CONFIG_BYTES);
  if (typeof file !== "string") problems.push(configMissing(file.message));
  const text = typeof file === "string" ? file : "";
  const reading = readWorkspaceConfig(text, limits);
  problems.push(...reading.problems);
  const config = typeof file === "string" ? reading.config : undefined;
  const used = running ?? config;
  if (used === undefined) return { text, config, session: emptySession(id, problems) };
  const session: WorkspaceSession = {
    id,
    promptFiles: readFiles(root, used.promptFiles, problems),
    memoryFiles: MEMORY_FILES.flatMap((path) => {
      const memory = readText(root, path, MAX_PROMPT_FILE_BYTES);
      return typeof memory === "string" ? [{ path, text: memory }] : [];
    }),
    parentContext: parent === undefined ? [] : readParent(parent, limits, problems),
    skills: used.skills.flatMap((name) => readSkill(root, name, used.runtime, limits, problems) ?? []),
    problems,
  };
  return { text, config, session };
}

/** A text file below a folder, or the failure. */
export function readText(root: string, path: string, maxBytes: number): string | SkillError {
  try {
    const { fd, stats } = openInside(root, normalizeRelative(path));
    try {
      if (stats.size > maxBytes)
        return new SkillError(
          "LIMIT_EXCEEDED",
          `${path} has ${stats.size} bytes; at most ${maxBytes} are allowed.`,
        );
      return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(fd));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof SkillError) return error;
    return new SkillError("IO_FAILED", `${path} is not readable UTF-8 text.`, {
      details: { path },
      cause: error,
    });
  }
}

function emptySession(id: string, problems: readonly WorkspaceProblem[]): WorkspaceSession {
  return { id, promptFiles: [], memoryFiles: [], parentContext: [], skills: [], problems };
}

function configMissing(message: string): WorkspaceProblem {
  return { severity: "error", code: "config-missing", subject: CONFIG_FILE, message };
}

function readFiles(
  root: string,
  paths: readonly string[],
  problems: WorkspaceProblem[],
): readonly NamedText[] {
  return paths.flatMap((path) => {
    const text = readText(root, path, MAX_PROMPT_FILE_BYTES);
    if (typeof text === "string") return [{ path, text }];
    problems.push({ severity: "error", code: "file-missing", subject: path, message: text.message });
    return [];
  });
}

/** The files that the parent shares. Problems of the parent's config are its own. */
function readParent(folder: string, limits: Limits, problems: WorkspaceProblem[]): readonly NamedText[] {
  const root = findRealPath(folder);
  const text = root === undefined ? undefined : readText(root, CONFIG_FILE, MAX_CONFIG_BYTES);
  if (root === undefined || typeof text !== "string") return [];
  return readFiles(root, readWorkspaceConfig(text, limits).config?.sharedContext ?? [], problems);
}

/** A listed skill. A folder with only tools loads too, because the list names it. */
function readSkill(
  root: string,
  name: string,
  runtime: string,
  limits: Limits,
  problems: WorkspaceProblem[],
): WorkspaceSkill | undefined {
  const fail = (code: WorkspaceProblem["code"], message: string): undefined =>
    void problems.push({ severity: "error", code, subject: name, message });
  const folder = join(root, SKILLS_FOLDER, name);
  if (tryStat(folder)?.isDirectory() !== true)
    return fail(
      "skill-missing",
      `The skill ${name} is listed, but the folder ${SKILLS_FOLDER}/${name} does not exist.`,
    );
  // A link could lead to any folder of the machine.
  if (findRealPath(folder) !== folder)
    return fail("skill-invalid", `The folder ${SKILLS_FOLDER}/${name} is reached through a link.`);
  const opened = openSkill(folder, limits);
  const record = recordSkill(opened, opened.file === undefined ? "tool" : "context", limits);
  if (!record.isValid) {
    const reason =
      record.diagnostics.find(({ severity }) => severity === "error")?.message ?? "it cannot be read";
    return fail("skill-invalid", `The skill ${name} is invalid: ${reason}`);
  }
  if (!fitsRuntime(record.runtime, runtime)) {
    const message = `${runtimeSkipLine(name, record.runtime, runtime)}.`;
    problems.push({ severity: "warning", code: "skill-skipped", subject: name, message });
    return undefined;
  }
  return {
    id: name,
    name: record.name,
    description: record.description,
    version: record.version,
    tags: record.tags,
    examples: declaredExamples(opened.skill.frontmatter)
      .slice(0, MAX_EXAMPLES)
      .map(({ text }) => neutralText(text, MAX_EXAMPLE)),
    text: opened.skill.body,
  };
}
