import { defaultLimits, type Limits } from "@skillhold/protocol";
import {
  type FrontmatterMap,
  type FrontmatterValue,
  findPathProblem,
  isMap,
  isSkillId,
  readYaml,
  textOf,
} from "@skillhold/skill";
import type { Viewer } from "../library/viewer.ts";

/** The content of `agent.yaml`. Its texts are literal; there is no template language. */
export interface AgentManifest {
  readonly id: string;
  readonly runtime: string;
  /** Path of the role prompt, relative to the manifest. */
  readonly prompt?: string;
  /** The operator's instructions, which come last. */
  readonly instructions?: string;
  /** Skills that are activated at the start. */
  readonly usesSkills: readonly string[];
  /** Whether the agent sees all skills or only those in this manifest. */
  readonly catalog: "own" | "all";
  /** The allowed skills; undefined means all. */
  readonly allow?: readonly string[];
  /** Skills that come first in its catalogue. */
  readonly pins: readonly string[];
}

export interface ManifestProblem {
  readonly severity: "error" | "warning";
  readonly field: string;
  readonly message: string;
}

export interface ManifestReading {
  /** Undefined when a problem is an error. */
  readonly manifest: AgentManifest | undefined;
  readonly problems: readonly ManifestProblem[];
}

const FIELDS = ["id", "runtime", "prompt", "instructions", "uses_skills", "catalog", "allow", "pins"];

/** Reads the text of an `agent.yaml`. Never throws. */
export function readAgentManifest(text: string, limits: Limits = defaultLimits): ManifestReading {
  const problems: ManifestProblem[] = [];
  const error = (field: string, message: string): void => {
    problems.push({ severity: "error", field, message });
  };
  const map = readMap(text, limits, error);
  if (map === undefined) return { manifest: undefined, problems };
  for (const field of Object.keys(map).filter((key) => !FIELDS.includes(key))) {
    problems.push({ severity: "warning", field, message: `The field ${field} is unknown and ignored.` });
  }
  const manifest = readFields(map, error);
  return { manifest: problems.some(({ severity }) => severity === "error") ? undefined : manifest, problems };
}

/** The agent as a viewer of a library. The agent can see every skill that the manifest binds. */
export function viewerForAgent(manifest: AgentManifest, user?: string): Viewer {
  const { id, runtime, usesSkills, catalog, allow } = manifest;
  const isLimited = catalog === "own" || allow !== undefined;
  return {
    runtime,
    agent: id,
    ...(user === undefined ? {} : { user }),
    ...(isLimited ? { allow: [...new Set([...usesSkills, ...(allow ?? [])])] } : {}),
  };
}

type Report = (field: string, message: string) => void;

function readMap(text: string, limits: Limits, error: Report): FrontmatterMap | undefined {
  if (text.length > limits.frontmatterBytes) {
    error("", `The manifest has more than ${limits.frontmatterBytes} characters (frontmatterBytes).`);
    return undefined;
  }
  const { value, faults } = readYaml(text, limits);
  if (isMap(value)) return value;
  const reason = faults[0]?.message ?? "the text is not a mapping of fields";
  error("", `The manifest cannot be read: ${reason}.`);
  return undefined;
}

function readFields(map: FrontmatterMap, error: Report): AgentManifest {
  const prompt = readText(map, "prompt", error);
  const problem = prompt === undefined ? undefined : findPathProblem(prompt);
  if (problem !== undefined)
    error("prompt", `prompt must be a path below the manifest's folder; this path ${problem}.`);
  const instructions = readText(map, "instructions", error);
  const allow = map["allow"] === null ? undefined : readIds(map, "allow", error);
  return {
    id: readRequired(map, "id", error),
    runtime: readRequired(map, "runtime", error),
    ...(prompt === undefined ? {} : { prompt }),
    ...(instructions === undefined ? {} : { instructions }),
    usesSkills: readIds(map, "uses_skills", error) ?? [],
    catalog: readCatalog(map["catalog"], error),
    ...(allow === undefined ? {} : { allow }),
    pins: readIds(map, "pins", error) ?? [],
  };
}

function readRequired(map: FrontmatterMap, field: string, error: Report): string {
  const text = readText(map, field, error);
  if (map[field] === undefined) error(field, `The field ${field} is required.`);
  return text ?? "";
}

function readText(map: FrontmatterMap, field: string, error: Report): string | undefined {
  const value = map[field];
  if (value !== undefined && textOf(value) === undefined) error(field, `${field} must be a string.`);
  return textOf(value);
}

/** A list of ids. An invalid id is an error, because it would silently bind no skill. */
function readIds(map: FrontmatterMap, field: string, error: Report): readonly string[] | undefined {
  const value = map[field];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    error(field, `${field} must be a list of skill ids.`);
    return undefined;
  }
  const items: readonly FrontmatterValue[] = value;
  const ids = items.filter((item): item is string => typeof item === "string" && isSkillId(item));
  if (ids.length < items.length) error(field, `${field} has an entry that is not a skill id.`);
  return [...new Set(ids)];
}

function readCatalog(value: FrontmatterValue | undefined, error: Report): "own" | "all" {
  if (value === undefined || value === "all") return "all";
  if (value !== "own") error("catalog", "catalog must be own or all.");
  return "own";
}
