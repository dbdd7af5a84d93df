import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { SkillError } from "@skillhold/protocol/error";
import { problemHeaders, problemOf } from "./problem.ts";

/** Writes a problem to a connection that has no response object, and closes it. */
export function rejectSocket(error: unknown, requestId: string, socket: Duplex): void {
  const problem = problemOf(error, requestId);
  const body = JSON.stringify(problem);
  const headers = {
    connection: "close",
    ...problemHeaders(error, requestId),
    "content-length": Buffer.byteLength(body),
  };
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? "Refused"}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // A client that has disconnected needs no response.
  socket.on("error", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** Translates the HTTP parser's error. */
export function parserProblem({ code }: NodeJS.ErrnoException): SkillError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new SkillError("HEAD_TOO_LARGE", "The request headers are larger than 16 KB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new SkillError("REQUEST_TIMED_OUT", "The request took too long to arrive.");
    default:
      return notHttp();
  }
}

export function notHttp(): SkillError {
  return new SkillError("USAGE", "This is not an HTTP/1.1 request.", {
    hint: "Check the request line, the Host header and the other headers.",
  });
}
