import type { Readiness, Requirements } from "@skillhold/protocol";
import JSON5 from "json5";
import { type FrontmatterMap, type FrontmatterValue, isMap, textList, textOf } from "../yaml/value.ts";

/** The OpenClaw section of a skill. */
export interface Openclaw {
  readonly requires: Requirements;
  readonly primaryEnv: string | undefined;
  readonly emoji: string | undefined;
  readonly homepage: string | undefined;
  /** Platforms as Node names them; empty means all. */
  readonly os: readonly string[];
  readonly install: readonly InstallStep[];
  /** True when the section exists and cannot be parsed. */
  readonly isMalformed: boolean;
}

/** One install step: its kind (brew, node, go, uv, …) and its fields. */
export interface InstallStep {
  readonly kind: string;
  readonly fields: FrontmatterMap;
}

/** The names of the section; the first one present is used. */
const SECTIONS = ["openclaw", "clawdbot", "clawdis", "moltbot"] as const;
const PLATFORMS = new Map(
  Object.entries({
    macos: "darwin",
    mac: "darwin",
    osx: "darwin",
    windows: "win32",
    win: "win32",
  }),
);
const MAX_DEPTH = 16;
const NONE: readonly never[] = Object.freeze([]);
const NO_SECTION: Openclaw = Object.freeze({
  requires: Object.freeze({ env: NONE, bins: NONE, anyBins: NONE, config: NONE }),
  primaryEnv: undefined,
  emoji: undefined,
  homepage: undefined,
  os: NONE,
  install: NONE,
  isMalformed: false,
});

/** Reads `metadata.openclaw` or an alias of it, as YAML or as a JSON5 string. */
export function readOpenclaw(frontmatter: FrontmatterMap): Openclaw {
  const metadata = expand(frontmatter["metadata"]);
  const map = isMap(metadata) ? metadata : {};
  const name = SECTIONS.find((key) => map[key] !== undefined);
  if (name === undefined) return NO_SECTION;
  const section = expand(map[name]);
  const data: FrontmatterMap = isMap(section) ? section : {};
  const requires = isMap(data["requires"]) ? data["requires"] : {};
  const primaryEnv = textOf(data["primaryEnv"]) ?? textOf(requires["primaryEnv"]);
  const env = [...requiredNames(requires["env"]), ...(primaryEnv === undefined ? [] : [primaryEnv])];
  return {
    requires: {
      env: [...new Set(env)],
      bins: requiredNames(requires["bins"]),
      anyBins: requiredNames(requires["anyBins"]),
      config: requiredNames(requires["config"]),
    },
    primaryEnv,
    emoji: textOf(data["emoji"]),
    homepage: textOf(data["homepage"]),
    os: textList(data["os"]).map((os) => PLATFORMS.get(os.toLowerCase()) ?? os.toLowerCase()),
    install: readInstall(data["install"]),
    isMalformed: !isMap(section),
  };
}

/** The keys under which authors write the name of a requirement. */
const NAME_KEYS = ["name", "key", "id", "var", "variable", "env", "bin", "command", "path"];

/**
 * The required names of a list: texts, objects such as `{ name, required }`, or a mapping from names to details. Entries that
 * are marked as optional are left out.
 */
function requiredNames(value: FrontmatterValue | undefined): readonly string[] {
  if (isMap(value))
    return Object.entries(value).flatMap(([name, about]) => (isOptional(about) ? [] : [name]));
  if (!Array.isArray(value)) return textList(value);
  return value.flatMap((item: FrontmatterValue) => (isMap(item) ? nameOf(item) : textList(item)));
}

function nameOf(item: FrontmatterMap): readonly string[] {
  if (isOptional(item)) return [];
  const key = NAME_KEYS.find((each) => textOf(item[each]) !== undefined);
  if (key !== undefined) return textList(item[key]);
  const [only, ...others] = Object.entries(item);
  // `- API_KEY: what it is for`
  return only === undefined || others.length > 0 || isOptional(only[1]) ? [] : [only[0]];
}

function isOptional(about: FrontmatterValue | undefined): boolean {
  if (!isMap(about)) return isWord(about, "false");
  return isWord(about["required"], "false") || isWord(about["optional"], "true");
}

/** A boolean, quoted or not. */
function isWord(value: FrontmatterValue | undefined, word: "true" | "false"): boolean {
  return String(value).toLowerCase() === word;
}

function readInstall(value: FrontmatterValue | undefined): readonly InstallStep[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isMap).flatMap((fields) => {
    const kind = textOf(fields["kind"]) ?? textOf(fields["type"]) ?? textOf(fields["id"]);
    return kind === undefined ? [] : [{ kind, fields }];
  });
}

/** Parses a string that contains a JSON5 object; returns other values unchanged. */
function expand(value: FrontmatterValue | undefined): FrontmatterValue | undefined {
  if (typeof value !== "string" || !/^\s*\{/.test(value)) return value;
  try {
    return fromJson(JSON5.parse(value), 0);
  } catch {
    // JSON5 throws on invalid text; the caller reports the section as malformed.
    return value;
  }
}

function fromJson(value: unknown, depth: number): FrontmatterValue {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => fromJson(item, depth + 1));
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
      ? (value as FrontmatterValue)
      : null;
  }
  const map: Record<string, FrontmatterValue> = Object.create(null);
  for (const [key, item] of Object.entries(value)) map[key] = fromJson(item, depth + 1);
  return map;
}

/** The facts of a machine that readiness depends on. */
export interface Host {
  /** A Node platform name: linux, darwin, win32. */
  readonly platform: string;
  /** Whether the variable is set for runs of this skill. */
  hasEnv(name: string, skill: string): boolean;
  hasBin(name: string): boolean;
  hasConfig(path: string): boolean;
}

const PROGRAM = "the program";
const PROGRAMS = "none of the programs";

/** True when a reason is about a missing program. Other missing things may still be supplied to a run. */
export function isAboutProgram(reason: string): boolean {
  return reason.startsWith(PROGRAM) || reason.startsWith(PROGRAMS);
}

const READY: Readiness = Object.freeze({ state: "ready", reasons: NONE });

function hasNone({ env, bins, anyBins, config }: Requirements): boolean {
  return env.length + bins.length + anyBins.length + config.length === 0;
}

/** Whether a skill can work on a host, with each reason why not. The most severe reason determines the state. */
export function readinessOf(needs: Pick<Openclaw, "requires" | "os">, host: Host, skill = ""): Readiness {
  const { requires } = needs;
  if (needs.os.length === 0 && hasNone(requires)) return READY;
  const unsupported =
    needs.os.length > 0 && !needs.os.includes(host.platform)
      ? [`made for ${needs.os.join(", ")}; this is ${host.platform}`]
      : [];
  const missing = requires.bins
    .filter((bin) => !host.hasBin(bin))
    .map((bin) => `${PROGRAM} ${bin} is not installed`);
  if (requires.anyBins.length > 0 && !requires.anyBins.some((bin) => host.hasBin(bin))) {
    missing.push(`${PROGRAMS} ${requires.anyBins.join(", ")} is installed`);
  }
  const unset = [
    ...requires.env
      .filter((name) => !host.hasEnv(name, skill))
      .map((name) => `the environment variable ${name} is not set`),
    ...requires.config
      .filter((path) => !host.hasConfig(path))
      .map((path) => `the configuration ${path} is absent`),
  ];
  const reasons = [...unsupported, ...missing, ...unset];
  if (unsupported.length > 0) return { state: "unsupported", reasons };
  if (missing.length > 0) return { state: "missing-deps", reasons };
  return { state: unset.length > 0 ? "needs-config" : "ready", reasons };
}
