import { shortPath } from "@skillhold/host/place";
import type { SkillEntry } from "@skillhold/protocol";
import type { Opened } from "../open.ts";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, fail, ok, warn } from "./check.ts";

type View = ReturnType<Opened["inspect"]>["view"];
type Place = Pick<Io, "cwd" | "env">;

export function checkInvalid({ invalid }: Pick<View, "invalid">, io: Place, rootFlags: string): Check {
  const name = "invalid skills";
  if (invalid.length === 0) return ok(name, "Every skill that was found can be loaded.");
  const details = invalid.map(({ path, diagnostics }) => {
    const error = diagnostics.find(({ severity }) => severity === "error");
    const where = `${shortPath(io, path)}/${error?.file ?? "SKILL.md"}:${error?.line ?? 1}:${error?.column ?? 1}`;
    return `${where} ${error?.message ?? "It cannot be read."}`;
  });
  const fix = `\`skillhold list --invalid${rootFlags}\` shows each with its fix; \`skillhold validate --fix\` mends some.`;
  return fail(name, `${count(invalid.length, "skill")} cannot be loaded.`, fix, details);
}

export function checkShadowed({ shadowed }: Pick<View, "shadowed">, io: Place): Check {
  const name = "shadowed skills";
  if (shadowed.length === 0) return ok(name, "No two skills have the same id.");
  const details = shadowed.map(
    ({ id, path, by }) =>
      `${id}: ${shortPath(io, path)} gives way to ${shortPath(io, by.path)} (${by.source})`,
  );
  const fix = "Rename or remove one of each pair; --precedence decides which source wins.";
  return warn(name, `${count(shadowed.length, "skill")} not used: another has the same id.`, fix, details);
}

export function checkReadiness(entries: readonly SkillEntry[]): Check {
  const name = "readiness";
  const unready = entries.filter(({ readiness }) => readiness.state !== "ready");
  if (unready.length === 0) return ok(name, "Every skill has what it says it needs.");
  const details = unready.map(
    ({ id, readiness }) => `${id} (${readiness.state}): ${readiness.reasons.join("; ")}`,
  );
  const fix = "Install the programs that are named; `skillhold secret set <id> <name>` keeps a value.";
  return warn(name, `${count(unready.length, "skill")} not ready on this machine.`, fix, details);
}
