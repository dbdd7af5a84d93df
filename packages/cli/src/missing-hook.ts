import { guardPorts, missingHook } from "@skillhold/host/run";
import type { RegistryContext } from "@skillhold/registry/record";
import { guardHook } from "@skillhold/registry/release";
import type { CommandInput } from "./command.ts";
import { withSurvey } from "./dependency-survey.ts";

/** Opens a registry context that checks each skill before it is published: content guard and dependencies. */
export async function withMissingHook<T>(
  input: Pick<CommandInput, "io" | "options">,
  context: RegistryContext,
  use: (context: RegistryContext) => Promise<T>,
): Promise<T> {
  const inspect = guardHook(guardPorts(input.io.env));
  return await withSurvey(input, (ports) =>
    use({ ...context, hooks: { missing: missingHook(ports), inspect } }),
  );
}
