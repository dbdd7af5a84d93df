import { missingHook } from "@skillhold/host/run";
import type { RegistryContext } from "@skillhold/registry/record";
import type { CommandInput } from "./command.ts";
import { withSurvey } from "./dependency-survey.ts";

/** Opens a registry context that checks the dependencies of each skill before it is published. */
export async function withMissingHook<T>(
  input: Pick<CommandInput, "io" | "options">,
  context: RegistryContext,
  use: (context: RegistryContext) => Promise<T>,
): Promise<T> {
  return await withSurvey(input, (ports) => use({ ...context, hooks: { missing: missingHook(ports) } }));
}
