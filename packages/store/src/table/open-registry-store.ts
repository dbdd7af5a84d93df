import type { RegistryStore } from "@skillhold/registry/record";
import type { RegistryStoreOptions } from "./registry-store.ts";

/**
 * Opens the store at an address. The implementation is loaded on first use, because most users of this
 * package do not need it.
 */
export async function openRegistryStore(url: string, options?: RegistryStoreOptions): Promise<RegistryStore> {
  const store = await import("./registry-store.ts");
  return await store.openRegistryStore(url, options);
}
