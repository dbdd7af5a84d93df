import { Socket } from "node:net";
import { scanGuard } from "../guard-scan/scan-guard.ts";
import { scanDependencies } from "../scan/scan.ts";
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
  void answer(request).then((message) => answers.write(encodeMessage(message)));
});
// The owner is gone.
requests.on("close", () => process.exit(0));

async function answer(request: ScanRequest): Promise<ScanAnswer> {
  try {
    switch (request.kind) {
      case "dependencies":
        return { value: await scanDependencies(request.files, request.options) };
      case "guard":
        return { value: await scanGuard(request.files, { name: request.name }) };
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
