import { SkillError } from "@skillhold/protocol/error";
import type { Installed, UpdateOptions } from "@skillhold/registry/install";
import type { CommandInput } from "../command.ts";
import { countOption } from "../option.ts";
import type { InstallSession } from "./install-session.ts";

const DAY_MS = 86_400_000;

export function updateOptions(options: CommandInput["options"]): UpdateOptions {
  const days = countOption(options, "minAge", { min: 0, max: 3650 }) ?? 3;
  return { minAgeMs: days * DAY_MS, isNow: options["now"] === true };
}

/** The installed skills of these ids, or all. The hosts they came from were agreed to when they were installed. */
export async function chooseInstalled(
  ids: readonly string[],
  { target, allowHost }: InstallSession,
): Promise<readonly Installed[]> {
  const all = await target.list();
  for (const { installed } of all)
    allowHost(installed.spec.replace(/^(?:git\+|gateway:|marketplace:git\+)/, "").replace(/^oci:/, "https:"));
  const missing = ids.find((id) => !all.some((each) => each.id === id));
  if (missing !== undefined)
    throw new SkillError("SKILL_NOT_FOUND", `${missing} was not installed from a source.`, {
      hint: "`skillhold outdated` lists what was installed; --target says where to look.",
      details: { id: missing },
    });
  return ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
}
