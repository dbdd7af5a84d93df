import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { OpenAnswers } from "./open-answer.ts";

const MB = 1024 * 1024;

function answer() {
  return Object.assign(new EventEmitter(), { destroyed: false });
}

test("so many answers wait for one who asks, and another is not kept by them [S-53]", () => {
  const open = new OpenAnswers({ answers: 2 });
  const first = answer();
  open.begin("ann", first);
  open.begin("ann", answer());
  expect(() => open.begin("ann", answer())).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
  open.begin("bob", answer());
  first.emit("close");
  open.begin("ann", answer());
});

test("a large answer is refused to one for whom much waits, and given when that is taken [S-53]", () => {
  const open = new OpenAnswers({ bytes: 10 * MB });
  const first = answer();
  // One alone may have more: else nobody could ever have it.
  open.begin("ann", first)(12 * MB);
  const weigh = open.begin("ann", answer());
  expect(() => weigh(MB)).toThrow(expect.objectContaining({ code: "RATE_LIMITED" }));
  weigh(1000);
  open.begin("bob", answer())(MB);
  first.emit("close");
  weigh(MB);
});

test("what nobody waits for any more is not counted [S-53]", () => {
  const open = new OpenAnswers({ answers: 1 });
  for (let count = 0; count < 3; count += 1) open.begin("ann", { ...answer(), destroyed: true });
  for (let count = 0; count < 3; count += 1) open.begin("ann", undefined);
  open.begin("ann", answer());
});
