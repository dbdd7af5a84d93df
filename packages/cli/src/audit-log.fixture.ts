import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SkillEvent } from "@skillhold/protocol";
import { openRegistryStore } from "@skillhold/store";

/** What is on record in the store of the user whose data lies below a folder; nothing where there is no store. */
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
