import { userName } from "@skillhold/host/place";
import { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "./command.ts";
import { textOption } from "./option.ts";
import type { Io } from "./terminal/output.ts";

/** The acting user and role of a command. */
export function readActor(options: CommandInput["options"], { env }: Pick<Io, "env">): Actor {
  const role = textOption(options, "role") === "admin" ? "admin" : "publisher";
  const user = textOption(options, "user") ?? userName(env);
  return actorOf({ user, role }, "Set --user or $SKILLHOLD_USER to a name of 1 to 256 characters.");
}

/** The actor for local state: a user who can open the files is their administrator. */
export function ownActor({ env }: Pick<Io, "env">): Actor {
  return actorOf(
    { user: userName(env), role: "admin" },
    "Set $SKILLHOLD_USER to a name of 1 to 256 characters.",
  );
}

function actorOf(given: { readonly user: string; readonly role: Actor["role"] }, hint: string): Actor {
  const { data: actor } = Actor.safeParse(given);
  if (actor !== undefined) return actor;
  throw new SkillError("USAGE", "The user name is empty or too long.", { hint });
}
