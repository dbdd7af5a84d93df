import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { OpenResponses } from "./open-response.ts";

const MB = 1024 * 1024;

function response() {
  return Object.assign(new EventEmitter(), { destroyed: false });
}

test("limits the unread responses of a client without affecting others [S-53]", () => {
  const open = new OpenResponses({ answers: 2 });
  const first = response();
  open.begin("ann", first);
  open.begin("ann", response());
  expect(() => open.begin("ann", response())).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
  open.begin("bob", response());
  first.emit("close");
  open.begin("ann", response());
});

test("rejects a large response until the client has read earlier ones [S-53]", () => {
  const open = new OpenResponses({ bytes: 10 * MB });
  const first = response();
  // A single response may exceed the limit, or it could never be sent.
  open.begin("ann", first)(12 * MB);
  const reserve = open.begin("ann", response());
  expect(() => reserve(MB)).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
  reserve(1000);
  open.begin("bob", response())(MB);
  first.emit("close");
  reserve(MB);
});

test("does not count responses of closed connections [S-53]", () => {
  const open = new OpenResponses({ answers: 1 });
  for (let count = 0; count < 3; count += 1) open.begin("ann", { ...response(), destroyed: true });
  for (let count = 0; count < 3; count += 1) open.begin("ann", undefined);
  open.begin("ann", response());
});
