import { flushCompileCache } from "node:module";
import { Socket } from "node:net";
import {
  ANSWERS,
  encodeMessage,
  REQUESTS,
  readMessages,
  type ScanAnswer,
  type ScanRequest,
} from "./scan-message.ts";

const MAX_BYTES = 2 ** 31;

const answers = new Socket({ fd: ANSWERS, readable: false, writable: true });
const requests = new Socket({ fd: REQUESTS, readable: true, writable: false });
readMessages<ScanRequest>(requests, MAX_BYTES, (request) => {
  void answer(request).then((message) => {
    answers.write(encodeMessage(message));
    // Node does this at the exit, and the owner kills this process.
    flushCompileCache();
  });
});
// The owner is gone.
requests.on("close", () => process.exit(0));

/** Each scanner is loaded with its first request, because a seeding gateway needs only one. */
async function answer(request: ScanRequest): Promise<ScanAnswer> {
  try {
    switch (request.kind) {
      case "dependencies": {
        const { scanDependencies } = await import("../scan/scan.ts");
        return { value: await scanDependencies(request.files, request.options) };
      }
      case "guard": {
        const { scanGuard } = await import("../guard-scan/scan-guard.ts");
        return { value: await scanGuard(request.files, { name: request.name }) };
      }
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
