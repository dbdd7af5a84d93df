import { SkillError } from "@skillhold/protocol/error";
import type { Grantee } from "@skillhold/registry/record";
import type { CommandInput } from "../../command.ts";
import { textOption } from "../../option.ts";

/** Whom a grant is for: one of `--agent` and `--user`. */
export function readGrantee(options: CommandInput["options"]): Grantee {
  const agent = textOption(options, "agent");
  const user = textOption(options, "user");
  if (agent !== undefined && user === undefined) return { kind: "agent", key: agent };
  if (user !== undefined && agent === undefined) return { kind: "user", key: user };
  throw new SkillError("USAGE", "A grant is for one agent or one user.", {
    hint: "Give either --agent <key> or --user <name>.",
  });
}

/** The input of a command on whose line `--user` is someone else, and `--by` the one who does it. */
export function asGranter(input: CommandInput): CommandInput {
  return { ...input, options: { ...input.options, user: input.options["by"] } };
}
