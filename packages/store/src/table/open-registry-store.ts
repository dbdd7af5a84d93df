import type { RegistryStore } from "@skillhold/registry/record";
import type { RegistryStoreOptions } from "./registry-store.ts";

/** Opens the store at an address. What that takes is loaded now: most who use this package need none of it. */
export async function openRegistryStore(url: string, options?: RegistryStoreOptions): Promise<RegistryStore> {
  const store = await import("./registry-store.ts");
  return await store.openRegistryStore(url, options);
}
