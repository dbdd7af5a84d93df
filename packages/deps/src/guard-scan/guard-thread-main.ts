import { parentPort } from "node:worker_threads";
import type { GuardFile } from "@skillhold/core/guard";
import { scanGuard } from "./scan-guard.ts";

/** A request of a `GuardThread`; the thread answers with the report. */
export interface GuardRequest {
  readonly files: readonly GuardFile[];
  readonly name: string;
}

// A failure here ends the thread; its owner refuses the skill.
parentPort?.on("message", async ({ files, name }: GuardRequest) => {
  parentPort?.postMessage(await scanGuard(files, { name }));
});
