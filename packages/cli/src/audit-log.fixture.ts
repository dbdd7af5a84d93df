import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SkillEvent } from "@skillhold/protocol";
import { openRegistryStore } from "@skillhold/store";

/** The audit events in the store below a data folder; empty when there is no store. */
export async function readAuditLog(dataHome: string): Promise<readonly SkillEvent[]> {
  const file = join(dataHome, "skillhold/registry.db");
  if (!existsSync(file)) return [];
  const store = await openRegistryStore(`sqlite:${file}`, { create: false });
  try {
    return (await store.eventsAfter(0, 10_000)).map(({ event }) => event);
  } finally {
    await store.close();
  }
}
