import { SkillError } from "@skillhold/protocol/error";
import { expect, test } from "vitest";
import { gatewayLog } from "./gateway-log.ts";

const SECRET = `skh_${"a".repeat(43)}`;

function logged(isErrTty: boolean, entry: Parameters<ReturnType<typeof gatewayLog>>[0], env = {}): string {
  let text = "";
  const err = (part: string) => {
    text += part;
  };
  gatewayLog({ err, isErrTty, env })(entry);
  return text;
}

test("writes an entry as a JSON line, or as a short line on a terminal [S-53]", () => {
  const entry = {
    level: "warning",
    event: "seed.refused",
    message: "It is taken.",
    fields: { path: "pdf" },
  } as const;
  expect(JSON.parse(logged(false, entry))).toEqual({ at: expect.stringMatching(/^\d{4}-/), ...entry });
  expect(logged(true, entry)).toMatch(/^\d\d:\d\d:\d\d warning: seed\.refused It is taken\. path=pdf\n$/);
  expect(logged(false, entry).trimEnd()).not.toContain("\n");
});

test("logs a coded failure without a stack and a bug with one [S-53]", () => {
  const failure = new SkillError("STORE_FAILED", "The store is gone.");
  const known = JSON.parse(logged(false, { level: "error", event: "x", error: failure }));
  expect(known.error).toEqual({ name: "STORE_FAILED", message: "The store is gone." });
  const bug = JSON.parse(logged(false, { level: "error", event: "x", error: new TypeError("oops") }));
  expect(bug.error).toMatchObject({
    name: "TypeError",
    message: "oops",
    stack: expect.stringContaining("test.ts"),
  });
  expect(JSON.parse(logged(false, { level: "error", event: "x", error: "text" })).error.message).toBe("text");
});

test.each([true, false])("contains no secret and no control character (terminal: %s) [S-53]", (isErrTty) => {
  const message = `token ${SECRET} at postgres://ann:open-sesame@db/skills\u001b[2J`;
  const error = new Error(`cause ${SECRET} postgres://ann:open-sesame@db/skills`);
  const text = logged(isErrTty, { level: "error", event: "x", message, error, fields: { secret: SECRET } });
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain("open-sesame");
  expect(text).not.toContain("\u001b");
  expect(text).toContain("postgres://ann:…@db/skills");
});
