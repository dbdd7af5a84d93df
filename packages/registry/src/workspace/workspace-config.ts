import { isDeepStrictEqual } from "node:util";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import {
  type FrontmatterMap,
  type FrontmatterValue,
  findPathProblem,
  isMap,
  isSkillId,
  readYaml,
  textOf,
} from "@skillhold/skill";

/** The parts of a workspace's `config.yaml` that Skillhold uses. */
export interface WorkspaceConfig {
  readonly name: string;
  readonly description: string;
  readonly role: string;
  readonly version: string;
  readonly tier: number;
  readonly model: string;
  readonly runtime: string;
  /** The files of the system prompt, in order. */
  readonly promptFiles: readonly string[];
  /** Files that child workspaces see. */
  readonly sharedContext: readonly string[];
  /** The folder names of the skills, in order. Only these load. */
  readonly skills: readonly string[];
  readonly a2a: { readonly streaming: boolean; readonly pushNotifications: boolean };
  readonly delegation: {
    readonly retryAttempts: number;
    readonly timeout: number;
    readonly escalate: boolean;
  };
  /** Other platforms that receive the agent card. */
  readonly platforms: readonly PlatformTarget[];
  /** Every field as written, to compare two readings. */
  readonly fields: FrontmatterMap;
}

export interface PlatformTarget {
  readonly url: string;
  /** The environment variable with the bearer token. */
  readonly tokenEnv: string | undefined;
  /** The id of the workspace at the platform; by default its own. */
  readonly workspaceId: string | undefined;
}

export interface WorkspaceProblem {
  readonly severity: "error" | "warning";
  readonly code:
    | "config-missing"
    | "config-invalid"
    | "unknown-field"
    | "cold-field"
    | "file-missing"
    | "skill-missing"
    | "skill-invalid"
    | "skill-skipped"
    | "duplicate";
  /** The field, the file or the skill. */
  readonly subject: string;
  readonly message: string;
}

export interface ConfigReading {
  /** Undefined when the text is not a YAML mapping. */
  readonly config: WorkspaceConfig | undefined;
  readonly problems: readonly WorkspaceProblem[];
}

export const CONFIG_FILE = "config.yaml";
/** The largest config.yaml. */
export const MAX_CONFIG_BYTES = 64 * 1024;
const MAX_SKILLS = 1000;
const MAX_FILES = 64;
const MAX_PLATFORMS = 16;

const KNOWN_FIELDS = new Set([
  ...["name", "description", "role", "version", "tier", "model", "runtime", "runtime_config", "prompt_files"],
  ...["shared_context", "skills", "plugins", "tools", "initial_prompt", "initial_prompt_file", "idle_prompt"],
  ...["idle_prompt_file", "idle_interval_seconds", "memory", "a2a", "delegation", "sandbox", "rbac", "hitl"],
  ...["governance", "security_scan", "compliance", "sub_workspaces", "env", "platforms"],
]);

/** Fields that apply to a running workspace. All others need a restart. */
const HOT_FIELDS = new Set([
  ...["name", "description", "role", "version", "model", "skills", "tools", "memory", "delegation"],
  ...["shared_context", "prompt_files", "platforms"],
]);

/** Reads the text of a `config.yaml`. Never throws, and bounds the work for any text. */
export function readWorkspaceConfig(text: string, limits: Limits = defaultLimits): ConfigReading {
  const problems: WorkspaceProblem[] = [];
  const error: Report = (subject, message) =>
    void problems.push({ severity: "error", code: "config-invalid", subject, message });
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    error(CONFIG_FILE, `${CONFIG_FILE} has more than ${MAX_CONFIG_BYTES} bytes.`);
    return { config: undefined, problems };
  }
  const { value, faults } = readYaml(text, limits);
  // An empty file is a workspace without skills.
  const map = text.trim() === "" || value === null ? {} : value;
  if (!isMap(map)) {
    error(
      CONFIG_FILE,
      `${CONFIG_FILE} cannot be read: ${faults[0]?.message ?? "the text is not a mapping"}.`,
    );
    return { config: undefined, problems };
  }
  for (const field of Object.keys(map).filter((key) => !KNOWN_FIELDS.has(key)))
    problems.push({
      severity: "warning",
      code: "unknown-field",
      subject: field.slice(0, 80),
      message: `The field ${field.slice(0, 80)} is unknown and ignored.`,
    });
  return { config: readFields(map, error, problems), problems };
}

/** The names of the fields that differ, by whether a running workspace applies them. */
export function compareConfigs(
  before: WorkspaceConfig,
  after: WorkspaceConfig,
): { readonly hot: readonly string[]; readonly cold: readonly string[] } {
  const names = [...new Set([...Object.keys(before.fields), ...Object.keys(after.fields)])].sort();
  const changed = names.filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name]));
  return {
    hot: changed.filter((name) => HOT_FIELDS.has(name)),
    cold: changed.filter((name) => !HOT_FIELDS.has(name)),
  };
}

/** The new config with the cold fields of the running one, and a problem for each that waits for a restart. */
export function applyHotFields(
  running: WorkspaceConfig,
  next: WorkspaceConfig,
): { readonly config: WorkspaceConfig; readonly problems: readonly WorkspaceProblem[] } {
  const { cold } = compareConfigs(running, next);
  const { tier, runtime, a2a } = running;
  const problems = cold.map((field): WorkspaceProblem => {
    const message = `The change of ${field} applies after a restart of the workspace.`;
    return { severity: "warning", code: "cold-field", subject: field, message };
  });
  const kept = Object.fromEntries(cold.flatMap((name) => pair(name, running.fields[name])));
  const others = Object.entries(next.fields).filter(([name]) => !cold.includes(name));
  return {
    config: { ...next, tier, runtime, a2a, fields: { ...Object.fromEntries(others), ...kept } },
    problems,
  };
}

function pair(
  name: string,
  value: FrontmatterValue | undefined,
): readonly (readonly [string, FrontmatterValue])[] {
  return value === undefined ? [] : [[name, value]];
}

type Report = (subject: string, message: string) => void;

function readFields(map: FrontmatterMap, error: Report, problems: WorkspaceProblem[]): WorkspaceConfig {
  const a2a = readMap(map, "a2a", error);
  const delegation = readMap(map, "delegation", error);
  return {
    name: readText(map, "name", error) ?? "",
    description: readText(map, "description", error) ?? "",
    role: readText(map, "role", error) ?? "",
    version: readText(map, "version", error) ?? "0.0.0",
    tier: readNumber(map, "tier", 1),
    model: readText(map, "model", error) ?? "",
    runtime: readText(map, "runtime", error) ?? "langgraph",
    promptFiles: readPaths(map, "prompt_files", error) ?? ["system-prompt.md"],
    sharedContext: readPaths(map, "shared_context", error) ?? [],
    skills: readSkills(map, error, problems),
    a2a: { streaming: a2a["streaming"] === true, pushNotifications: a2a["push_notifications"] === true },
    delegation: {
      retryAttempts: readNumber(delegation, "retry_attempts", 3),
      timeout: readNumber(delegation, "timeout", 120),
      escalate: delegation["escalate"] !== false,
    },
    platforms: readPlatforms(map, error),
    fields: map,
  };
}

const MAX_TEXT = 4096;

function readText(map: FrontmatterMap, field: string, error: Report): string | undefined {
  const value = map[field];
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "number" ? String(value) : textOf(value);
  if (text === undefined) error(field, `${field} must be a text.`);
  return text?.slice(0, MAX_TEXT);
}

function readNumber(map: FrontmatterMap, field: string, otherwise: number): number {
  const value = map[field];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : otherwise;
}

function readMap(map: FrontmatterMap, field: string, error: Report): FrontmatterMap {
  const value = map[field];
  if (value === undefined || value === null) return {};
  if (isMap(value)) return value;
  error(field, `${field} must be a mapping.`);
  return {};
}

function readList(
  map: FrontmatterMap,
  field: string,
  max: number,
  error: Report,
): readonly FrontmatterValue[] | undefined {
  const value = map[field];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) {
    error(field, `${field} must be a list.`);
    return undefined;
  }
  const items: readonly FrontmatterValue[] = value;
  if (items.length > max) error(field, `${field} has more than ${max} entries; the rest is ignored.`);
  return items.slice(0, max);
}

/** Relative paths below the workspace's folder. */
function readPaths(map: FrontmatterMap, field: string, error: Report): readonly string[] | undefined {
  return readList(map, field, MAX_FILES, error)?.flatMap((item) => {
    const problem = typeof item === "string" ? findPathProblem(item) : "is not a text";
    if (typeof item === "string" && problem === undefined) return [item];
    error(field, `${field} has the entry ${shown(item)}, which ${problem ?? "is invalid"}.`);
    return [];
  });
}

function readSkills(map: FrontmatterMap, error: Report, problems: WorkspaceProblem[]): readonly string[] {
  const seen = new Set<string>();
  for (const item of readList(map, "skills", MAX_SKILLS, error) ?? []) {
    if (typeof item !== "string" || !isSkillId(item))
      error("skills", `skills has the entry ${shown(item)}, which is not the name of a skill folder.`);
    else if (seen.has(item))
      problems.push({
        severity: "warning",
        code: "duplicate",
        subject: item,
        message: `The skill ${item} is listed twice.`,
      });
    else seen.add(item);
  }
  return [...seen];
}

/** A platform is an address, or a mapping of `url`, `token_env` and `workspace_id`. */
function readPlatforms(map: FrontmatterMap, error: Report): readonly PlatformTarget[] {
  return (readList(map, "platforms", MAX_PLATFORMS, error) ?? []).flatMap((item) => {
    const fields: FrontmatterMap = typeof item === "string" ? { url: item } : isMap(item) ? item : {};
    const url = textOf(fields["url"]);
    if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      error("platforms", `platforms has the entry ${shown(item)}, which has no http or https address.`);
      return [];
    }
    return [{ url, tokenEnv: textOf(fields["token_env"]), workspaceId: textOf(fields["workspace_id"]) }];
  });
}

function shown(value: FrontmatterValue): string {
  return (JSON.stringify(value) ?? "").slice(0, 80);
}
