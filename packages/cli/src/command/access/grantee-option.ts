import { SkillError } from "@skillhold/protocol/error";
import type { Grantee } from "@skillhold/registry/record";
import type { CommandInput } from "../../command.ts";
import { textOption } from "../../option.ts";

/** The grantee of `--agent` or `--user`. */
export function readGrantee(options: CommandInput["options"]): Grantee {
  const agent = textOption(options, "agent");
  const user = textOption(options, "user");
  if (agent !== undefined && user === undefined) return { kind: "agent", key: agent };
  if (user !== undefined && agent === undefined) return { kind: "user", key: user };
  throw new SkillError("USAGE", "Either --agent or --user is required.", {
    hint: "Add one of --agent <key> and --user <name>.",
  });
}

/** For commands where `--user` names the grantee: the acting user comes from `--by`. */
export function asGranter(input: CommandInput): CommandInput {
  return { ...input, options: { ...input.options, user: input.options["by"] } };
}
