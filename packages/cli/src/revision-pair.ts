import { resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import type { RegisteredSkill, RegistryContext } from "@skillhold/registry/record";
import type { ArgumentSpec, CommandInput, OptionSpec, OptionsOf } from "./command.ts";
import { readRevision, textOption } from "./option.ts";
import { accessOptions, idArgument, storeOption } from "./shared-option.ts";
import { withRegistry } from "./store.ts";
import type { ExitCode } from "./terminal/output.ts";
import { getVisibleSkill, rejectUnpinned } from "./visible-skill.ts";

/** The arguments of a command that compares two revisions of a skill, or a revision and a folder. */
export const pairArguments = [
  idArgument,
  { usage: "[from]", summary: "the old revision; by default the one before the current one" },
  { usage: "[to]", summary: "the new revision; by default the current one" },
] as const satisfies readonly ArgumentSpec[];

export const pairOptions = [
  { flags: "--folder <path>", summary: "compare with this folder instead of a revision" },
  ...accessOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

/** The two sides as the user named them. For a user with a pin, both are the pinned revision. */
export interface RevisionPair {
  readonly skill: RegisteredSkill;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The absolute path of the folder that replaces `to`. */
  readonly folder: string | undefined;
}

/** Opens the registry and finds the skill, if the user may see it. */
export async function withRevisionPair(
  input: CommandInput<OptionsOf<typeof pairOptions>>,
  use: (pair: RevisionPair, context: RegistryContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io, options } = input;
  const [id = "", ...ends] = input.args;
  const [from, to] = ends.map(readRevision);
  const named = textOption(options, "folder");
  if (named !== undefined && to !== undefined)
    throw new SkillError("USAGE", "--folder takes at most one revision. Omit the second one.");
  const folder = named === undefined ? undefined : resolve(io.cwd, named);
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor }) => {
    const found = await getVisibleSkill(id, { context, actor }, io);
    rejectUnpinned(found, from, to);
    const { skill, pin } = found;
    const end = folder === undefined ? (to ?? pin) : undefined;
    return await use({ skill, from: from ?? pin, to: end, folder }, context);
  });
}
