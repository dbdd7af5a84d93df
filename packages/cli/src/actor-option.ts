import { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { textOption } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { userName } from "./store-address.ts";

/** Who does what a command does, as its options say. */
export function readActor(options: CommandInput["options"], { env }: Pick<Io, "env">): Actor {
  const role = textOption(options, "role") === "admin" ? "admin" : "publisher";
  const { data: actor } = Actor.safeParse({ user: textOption(options, "user") ?? userName(env), role });
  if (actor !== undefined) return actor;
  throw new SkillError("USAGE", "The name of the user is empty or too long.", {
    hint: "Give --user a name of 1 to 256 characters; without it, $SKILLHOLD_USER is taken.",
  });
}

/** Who changes what the user keeps on this machine: whoever can open it is its administrator. */
export function ownActor({ env }: Pick<Io, "env">): Actor {
  return readActor({ role: "admin" }, { env });
}
