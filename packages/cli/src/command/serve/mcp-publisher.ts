import { resolve } from "node:path";
import type { SessionPorts } from "@skillhold/core/session";
import { statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { agentPublisher } from "@skillhold/registry/release";
import type { CommandInput } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { chooseGateway } from "../../library-choice.ts";
import { listOption } from "../../option.ts";
import { withRegistry } from "../../store.ts";
import type { Io } from "../../terminal/output.ts";

type McpInput = Pick<CommandInput, "io" | "options">;

/** Opens the store for agents that publish from some folders. */
export async function withFolderPublisher<T>(
  labels: readonly [string, ...string[]],
  input: McpInput,
  use: (ports: Pick<SessionPorts, "publisher">) => Promise<T>,
): Promise<T> {
  const [first, ...others] = labels;
  const roots = [readRoot(first, input.io), ...others.map((label) => readRoot(label, input.io))] as const;
  rejectElsewhere(input);
  return await withRegistry(input, "write", ({ context, actor: { user } }) =>
    withMissingHook(input, context, (hooked) => use({ publisher: agentPublisher({ roots, user }, hooked) })),
  );
}

function readRoot(label: string, { cwd }: Pick<Io, "cwd">): string {
  const path = resolve(cwd, label);
  if (statPath(path, label)?.isDirectory() === true) return path;
  throw new SkillError("PATH_NOT_FOUND", `The folder ${label} of --publish-from does not exist.`);
}

function rejectElsewhere({ options, io }: McpInput): void {
  const isOff = options["store"] === false;
  if (!isOff && chooseGateway(options, io, listOption(options, "root")) === undefined) return;
  const why = isOff ? "--no-store excludes it" : "the skills come from a gateway";
  throw new SkillError("USAGE", `--publish-from needs a local store, but ${why}.`, {
    hint: isOff ? "Omit one of the two options." : "Omit --publish-from, or add --no-gateway.",
  });
}
