import { userName } from "@skillhold/host/place";
import { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "./command.ts";
import { textOption } from "./option.ts";
import type { Io } from "./terminal/output.ts";

/** Who does what a command does, as its options say. */
export function readActor(options: CommandInput["options"], { env }: Pick<Io, "env">): Actor {
  const role = textOption(options, "role") === "admin" ? "admin" : "publisher";
  const user = textOption(options, "user") ?? userName(env);
  return actorOf(
    { user, role },
    "Give --user a name of 1 to 256 characters; without it, $SKILLHOLD_USER is taken.",
  );
}

/** Who changes what the user keeps on this machine: whoever can open it is its administrator. */
export function ownActor({ env }: Pick<Io, "env">): Actor {
  return actorOf(
    { user: userName(env), role: "admin" },
    "Give $SKILLHOLD_USER a name of 1 to 256 characters; without it, that of your account is taken.",
  );
}

function actorOf(given: { readonly user: string; readonly role: Actor["role"] }, hint: string): Actor {
  const { data: actor } = Actor.safeParse(given);
  if (actor !== undefined) return actor;
  throw new SkillError("USAGE", "The name of the user is empty or too long.", { hint });
}
