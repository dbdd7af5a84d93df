import { SkillError } from "@skillhold/protocol/error";
import type { Grantee } from "@skillhold/registry/record";
import type { CommandInput } from "../../command.ts";
import { textOption } from "../../option.ts";
import { withRegistry } from "../../store.ts";
import type { ExitCode } from "../../terminal/output.ts";
import type { ActorContext } from "../../visible-skill.ts";

/** The grantee of `--agent` or `--user`. */
function readGrantee(options: CommandInput["options"]): Grantee {
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

/** The skill and the grantee of a command that changes a grant. */
export interface NamedGrant {
  readonly id: string;
  readonly grantee: Grantee;
  readonly isDryRun: boolean;
}

/** Opens the registry as the granting user. */
export async function withGrant(
  input: CommandInput,
  use: (grant: NamedGrant, opened: ActorContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const [id = ""] = input.args;
  const grant = { id, grantee: readGrantee(input.options), isDryRun: input.options["dryRun"] === true };
  return await withRegistry<ExitCode>(asGranter(input), "change", (opened) => use(grant, opened));
}
