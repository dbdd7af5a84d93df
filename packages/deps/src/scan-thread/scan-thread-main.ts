import { parentPort } from "node:worker_threads";
import type { ScanCall, ScanFile } from "@skillhold/core/dependency";
import { scanDependencies } from "../scan/scan.ts";

/** The message from a `ScanThread` to its worker, which replies with the manifest. */
export interface ScanRequest {
  readonly files: readonly ScanFile[];
  readonly options: Omit<ScanCall, "signal">;
}

// An error here ends the worker and reaches the `ScanThread` as an `error` event.
parentPort?.on("message", async ({ files, options }: ScanRequest) => {
  parentPort?.postMessage(await scanDependencies(files, options));
});
