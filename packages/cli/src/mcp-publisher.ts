import { resolve } from "node:path";
import type { SessionPorts } from "@skillhold/core/session";
import { statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { agentPublisher } from "@skillhold/registry/release";
import type { CommandInput } from "./command.ts";
import { withMissingHook } from "./missing-hook.ts";
import { listOption } from "./option.ts";
import { chooseGateway } from "./remote-option.ts";
import { withRegistry } from "./store.ts";
import type { Io } from "./terminal/output.ts";

type Asked = Pick<CommandInput, "io" | "options">;

/** Opens the store for what an agent publishes, as long as that is let; nothing is let without a folder to take it from. */
export async function withPublisher<T>(
  input: Asked,
  use: (ports: Pick<SessionPorts, "publisher">) => Promise<T>,
): Promise<T> {
  const [first, ...others] = listOption(input.options, "publishFrom").map((path) => readRoot(path, input.io));
  if (first === undefined) return await use({});
  rejectElsewhere(input);
  return await withRegistry(input, "write", ({ context, actor: { user } }) =>
    withMissingHook(input, context, (hooked) =>
      use({ publisher: agentPublisher({ roots: [first, ...others], user }, hooked) }),
    ),
  );
}

function readRoot(label: string, { cwd }: Pick<Io, "cwd">): string {
  const path = resolve(cwd, label);
  if (statPath(path, label)?.isDirectory() === true) return path;
  throw new SkillError("PATH_NOT_FOUND", `There is no folder ${label} to publish from.`);
}

function rejectElsewhere({ options, io }: Asked): void {
  const isOff = options["store"] === false;
  if (!isOff && chooseGateway(options, io, listOption(options, "root")) === undefined) return;
  const why = isOff ? "--no-store leaves it out" : "the skills are those of a gateway";
  throw new SkillError("USAGE", `--publish-from publishes to a store here, and ${why}.`, {
    hint: isOff ? "Leave out one of the two." : "Leave it out, or use your own skills with --no-gateway.",
  });
}
