import { expect, test } from "vitest";
import { readPacket } from "./packet.ts";

const packet = {
  promote_to_skill: true,
  title: "Fill forms",
  repetition_signal: { count: 3, workflow: "forms" },
};

test("reads a packet from an object and from its text", () => {
  expect(readPacket(JSON.stringify(packet))).toEqual(readPacket(packet));
});

test("rejects text that is nested so deeply that parsing it would block the gateway [S-43]", () => {
  const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
  const text = JSON.stringify(packet).replace("{", `{"extra":${deep},`);
  expect(() => readPacket(text)).toThrow(expect.objectContaining({ code: "USAGE" }));
});
