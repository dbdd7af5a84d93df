import type { SkillEntry } from "@skillhold/protocol";
import { type InstallStep, readOpenclaw, textOf } from "@skillhold/skill";
import { neutralText } from "../catalogue/index.ts";
import type { Library, SkillContent } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";

export interface RequirementAdvice {
  readonly hints: readonly string[];
  readonly warnings: readonly string[];
}

/** The most skills that the search for a requirement cycle visits. */
const REACH = 100;

/**
 * Hints and warnings about required skills. Does not activate them, because the agent decides how to spend its
 * tokens.
 */
export async function adviseOnRequirements(
  entry: SkillEntry,
  active: ReadonlySet<string>,
  viewer: Viewer,
  library: Library,
): Promise<RequirementAdvice> {
  const wanted = [...new Set(entry.requiresSkills)];
  if (wanted.length === 0) return { hints: [], warnings: [] };
  const known = new Map<string, SkillEntry>();
  for (const id of wanted.slice(0, REACH)) {
    const found = await library.find(viewer, id);
    if (found !== undefined) known.set(id, found);
  }
  const unknown = wanted.filter((id) => !known.has(id));
  const missing = [...known.keys()].filter((id) => id !== entry.id && !active.has(id));
  const cycle = await findCycle(entry, viewer, library);
  return {
    hints: missing.length === 0 ? [] : [requiresHint(missing)],
    warnings: [
      ...unknown.map((id) => `This skill requires ${neutralText(id, 64)}, which is not available.`),
      ...(cycle === undefined ? [] : [`These skills require each other in a cycle: ${cycle.join(" → ")}.`]),
    ],
  };
}

function requiresHint(ids: readonly string[]): string {
  const them = ids.length === 1 ? "it" : "them";
  return `This skill requires: ${ids.join(", ")}. Load ${them} first if you haven't already.`;
}

/** The shortest cycle of requirements that contains the skill. */
async function findCycle(
  entry: SkillEntry,
  viewer: Viewer,
  library: Library,
): Promise<readonly string[] | undefined> {
  const seen = new Set<string>([entry.id]);
  const queue: { readonly way: readonly string[]; readonly next: readonly string[] }[] = [
    { way: [entry.id], next: entry.requiresSkills },
  ];
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    for (const id of step.next) {
      if (id === entry.id) return [...step.way, id];
      if (seen.has(id) || seen.size >= REACH) continue;
      seen.add(id);
      const found = await library.find(viewer, id);
      if (found !== undefined) queue.push({ way: [...step.way, id], next: found.requiresSkills });
    }
  }
  return undefined;
}

/** Warnings for the reader of these instructions. */
export function contentWarnings(content: SkillContent): readonly string[] {
  return [
    ...(content.isLastGood ? ["The SKILL.md is currently invalid; this is the last valid version."] : []),
    ...readinessWarnings(content),
    ...(hasShellInPrompt(content.body)
      ? [
          "The instructions contain shell commands for the time of activation. They were not run and are left as text.",
        ]
      : []),
  ];
}

function readinessWarnings({ entry, frontmatter }: SkillContent): readonly string[] {
  const { state, reasons } = entry.readiness;
  if (state === "ready") return [];
  const commands =
    state === "missing-deps" ? readOpenclaw(frontmatter).install.flatMap((step) => installCommand(step)) : [];
  const why = reasons.map((reason) => neutralText(reason, 200)).join("; ");
  const advice = commands.length === 0 ? "" : ` To install: ${commands.join(" or ")}.`;
  return [`The skill is not ready (${state}): ${why}.${advice}`];
}

const INSTALLERS: Readonly<Record<string, readonly [command: string, field: string]>> = {
  brew: ["brew install", "formula"],
  node: ["npm install --global", "package"],
  go: ["go install", "module"],
  uv: ["uv tool install", "package"],
};

/** The skill's install step as a command, only for one plain package name: other text could be any command. */
function installCommand({ kind, fields }: InstallStep): readonly string[] {
  const installer = Object.hasOwn(INSTALLERS, kind) ? INSTALLERS[kind] : undefined;
  const name = installer === undefined ? undefined : textOf(fields[installer[1]]);
  if (installer === undefined || name === undefined) return [];
  return /^@?[A-Za-z0-9][\w.@/+-]{0,127}$/.test(name) ? [`\`${installer[0]} ${name}\``] : [];
}

/** Matches commands in backticks after an exclamation mark, and fenced blocks that start with one. */
function hasShellInPrompt(body: string): boolean {
  return /(?:^|\s)!`[^`\n]+`/.test(body) || /^[ \t]*(?:```|~~~)!/m.test(body);
}
