import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { problemOf } from "../http/problem.ts";

/** Answers a request for a WebSocket with a refusal, and ends the connection. */
export function refuseUpgrade(error: unknown, requestId: string, socket: Duplex): void {
  const problem = problemOf(error, requestId);
  const body = JSON.stringify(problem);
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? "Refused"}`,
    "Connection: close",
    "Content-Type: application/problem+json",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  // Whoever is gone needs no answer.
  socket.on("error", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
