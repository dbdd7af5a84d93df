import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { SkillError } from "@skillhold/protocol/error";
import { problemOf } from "./problem.ts";
import { failureHeaders } from "./refuse.ts";
import { problemHeaders } from "./respond.ts";

/** Answers on a connection that nothing else answers on with a refusal, and ends it. */
export function refuseRaw(error: unknown, requestId: string, socket: Duplex): void {
  const problem = problemOf(error, requestId);
  const body = JSON.stringify(problem);
  const headers = {
    connection: "close",
    ...problemHeaders(requestId),
    ...failureHeaders(error),
    "content-length": Buffer.byteLength(body),
  };
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? "Refused"}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Whoever is gone needs no answer.
  socket.on("error", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** What is wrong with bytes that are no request, as the parser says it. */
export function explainBytes({ code }: NodeJS.ErrnoException): SkillError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new SkillError("HEAD_TOO_LARGE", "The head of the request is larger than 16 KB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new SkillError("REQUEST_TIMED_OUT", "The request took too long to arrive.");
    default:
      return noRequest();
  }
}

export function noRequest(): SkillError {
  return new SkillError("USAGE", "This is not an HTTP/1.1 request.", {
    hint: "Check its first line, its Host and its other headers.",
  });
}
