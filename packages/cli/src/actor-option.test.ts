import { expect, test } from "vitest";
import { ownActor, readActor } from "./actor-option.ts";

const env = { SKILLHOLD_USER: "x".repeat(257) };

test("a name that is none is refused with what the command has to give another [S-60]", () => {
  const code = "USAGE";
  expect(() => readActor({}, { env })).toThrow(
    expect.objectContaining({ code, hint: expect.stringMatching(/^Give --user .*\$SKILLHOLD_USER/) }),
  );
  expect(() => readActor({ user: "" }, { env: {} })).toThrow(expect.objectContaining({ code }));
  expect(() => ownActor({ env })).toThrow(
    expect.objectContaining({ code, hint: expect.stringMatching(/^Give \$SKILLHOLD_USER (?!.*--user)/) }),
  );
});

test("what is kept on this machine is changed by its administrator, others by who they say they are [S-60]", () => {
  expect(ownActor({ env: { SKILLHOLD_USER: "ann" } })).toEqual({ user: "ann", role: "admin" });
  expect(readActor({ user: "bob" }, { env })).toEqual({ user: "bob", role: "publisher" });
});
