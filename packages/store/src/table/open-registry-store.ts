import type { FolderToggle, RegistryStore } from "@skillhold/registry/record";
import type { DbSettings } from "./open-db.ts";
import type { RegistryStoreOptions } from "./registry-store.ts";

/**
 * Opens the store at an address. The implementation is loaded on first use, because most users of this
 * package do not need it.
 */
export async function openRegistryStore(url: string, options?: RegistryStoreOptions): Promise<RegistryStore> {
  const store = await import("./registry-store.ts");
  return await store.openRegistryStore(url, options);
}

/** Reads which folder skills are switched on or off, without loading the whole store. */
export async function readFolderToggles(
  url: string,
  options: Partial<DbSettings>,
): Promise<readonly FolderToggle[]> {
  const { readToggles } = await import("./open-db.ts");
  return await readToggles(url, options);
}

/** Whether the registry in a file has no skills and no toggles, without loading the store. */
export async function isEmptyRegistry(path: string): Promise<boolean> {
  const { lacksSkills } = await import("./empty-registry.ts");
  return await lacksSkills(path);
}
