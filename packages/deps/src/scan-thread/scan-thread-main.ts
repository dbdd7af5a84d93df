import { parentPort } from "node:worker_threads";
import type { ScanCall, ScanFile } from "@skillhold/core/dependency";
import { scanDependencies } from "../scan/scan.ts";

/** What a `ScanThread` sends to its thread, which answers with the manifest. */
export interface ScanRequest {
  readonly files: readonly ScanFile[];
  readonly options: Omit<ScanCall, "signal">;
}

// What fails here ends the thread, and is told to whoever started it.
parentPort?.on("message", async ({ files, options }: ScanRequest) => {
  parentPort?.postMessage(await scanDependencies(files, options));
});
