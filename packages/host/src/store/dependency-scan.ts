import type { Scan } from "@skillhold/core/dependency";

/** The scanner, loaded on first use: most commands only read the store. */
export const scanOnUse: Scan = async (files, call) => {
  const { scanDependencies } = await import("@skillhold/deps/scan");
  return await scanDependencies(files, call);
};
