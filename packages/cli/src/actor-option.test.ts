import { expect, test } from "vitest";
import { ownActor, readActor } from "./actor-option.ts";

const env = { SKILLHOLD_USER: "x".repeat(257) };

test("an invalid user name is rejected with the option that sets it [S-60]", () => {
  const code = "USAGE";
  expect(() => readActor({}, { env })).toThrow(
    expect.objectContaining({ code, hint: expect.stringMatching(/^Set --user or \$SKILLHOLD_USER/) }),
  );
  expect(() => readActor({ user: "" }, { env: {} })).toThrow(expect.objectContaining({ code }));
  expect(() => ownActor({ env })).toThrow(
    expect.objectContaining({ code, hint: expect.stringMatching(/^Set \$SKILLHOLD_USER (?!.*--user)/) }),
  );
});

test("local state is changed as an administrator, a store as the named user and role [S-60]", () => {
  expect(ownActor({ env: { SKILLHOLD_USER: "ann" } })).toEqual({ user: "ann", role: "admin" });
  expect(readActor({ user: "bob" }, { env })).toEqual({ user: "bob", role: "publisher" });
});
