import type { DependencySurvey } from "@skillhold/deps/environment";
import { STORE_LABEL } from "@skillhold/host/store";
import type { SkillEntry } from "@skillhold/protocol";
import { settleMissing } from "@skillhold/registry/release";
import type { CommandInput } from "./command.ts";
import type { Opened } from "./open.ts";
import { withRegistry } from "./store.ts";

/**
 * Keeps what a skill of the store was found to lack. The file of a store is this machine's; what is missing where a
 * server's skills are used is for the gateways there to say.
 */
export async function keepMissing(
  input: CommandInput,
  { source, id, revision }: Pick<SkillEntry, "source" | "id" | "revision">,
  { state }: DependencySurvey,
  { store }: Pick<Opened, "store">,
): Promise<void> {
  if (source !== STORE_LABEL || store?.engine !== "sqlite" || state.state === "unknown") return;
  const row = await store.context.store.findSkill(id);
  if (row === undefined || row.revision !== revision) return;
  // Whoever is looked for here is not who installs.
  const options = { ...input.options, user: undefined };
  await withRegistry({ ...input, options }, "change", async ({ context, actor }) => {
    await settleMissing(row, state.missing, { by: actor, isArchived: row.isSystem }, context);
  });
}
