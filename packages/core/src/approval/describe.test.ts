import { SkillId } from "@skillhold/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { neutralText } from "../catalogue/index.ts";
import { digest, request } from "./approval.fixture.ts";
import { describeRequest, exactText, headlineOf } from "./describe.ts";

test("describes a request with everything it would permit [S-28]", () => {
  const described = describeRequest(
    request({
      args: ["--out", "my file.txt", ""],
      network: "open",
      mounts: [
        { source: "/data", target: "/mnt/data", isWritable: false },
        { source: "/my out", target: "/out", isWritable: true },
      ],
      secrets: ["API_KEY", "TOKEN"],
    }),
  );
  expect(described).toEqual([
    { label: "Asked by", value: "the agent writer of ann" },
    { label: "Skill", value: "pdf" },
    { label: "Content", value: digest("tree") },
    { label: "Trust", value: "user" },
    { label: "Act", value: "run scripts/a.py" },
    { label: "Arguments", value: '--out "my file.txt" ""' },
    { label: "Sandbox", value: "bubblewrap" },
    { label: "Network", value: "open" },
    { label: "Mount", value: "/data as /mnt/data (read-only)" },
    { label: "Mount", value: '"/my out" as /out (can be changed)' },
    { label: "Secrets", value: "API_KEY, TOKEN" },
    { label: "Reason", value: "A skill of the user's asks first." },
  ]);
});

test("the first line names the target, its author, and what it could reach [S-28]", () => {
  const target = "scripts/count.mjs";
  const skill = SkillId.parse("word-count");
  expect(headlineOf(request({ target, skill }))).toBe(
    "Run scripts/count.mjs of word-count (yours; sandbox; no network)",
  );
  const open = { act: "call_tool", trust: "third_party", network: "a.org", sandbox: "none" } as const;
  expect(headlineOf(request({ ...open, target: "a\nb", skill }))).toBe(
    'Call "a\\nb" of word-count (third party; NO SANDBOX; network: a.org)',
  );
});

test("describes a run outside a sandbox, with every reason to ask [S-28]", () => {
  const decision = { verdict: "ask", rule: "a", reason: "One.", reasons: ["One.", "Two."] } as const;
  const stdin = { bytes: 3, digest: digest("in") };
  const described = describeRequest(request({ sandbox: "none", decision, stdin }));
  expect(described).toContainEqual({ label: "Sandbox", value: "NONE: it could do everything that you can" });
  expect(described).toContainEqual({ label: "Input", value: `3 bytes, ${digest("in")}` });
  expect(described.filter(({ label }) => label === "Reason").map(({ value }) => value)).toEqual([
    "One.",
    "Two.",
  ]);
});

test("shows none for empty fields [S-28]", () => {
  const described = new Map(describeRequest(request({ args: [] })).map(({ label, value }) => [label, value]));
  expect([described.get("Arguments"), described.get("Network"), described.get("Secrets")]).toEqual([
    "(none)",
    "none",
    "(none)",
  ]);
  expect(described.has("Mount")).toBe(false);
});

test("text of a skill reaches the screen without escapes, line breaks or invisible characters [S-28]", () => {
  const hostile = "a\u001b[2K\r\nSecrets: none\u202e\u200b\u{e0041}\u2028b";
  const described = describeRequest(
    request({
      target: hostile,
      args: [hostile],
      network: hostile,
      mounts: [{ source: hostile, target: hostile, isWritable: true }],
      secrets: [hostile],
      decision: { verdict: "ask", rule: "r", reason: hostile, reasons: [hostile] },
      sandbox: hostile,
    }),
  );
  for (const { value } of described) expect(value).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

test("an exact text is escaped, on one line, and unique [S-28]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = exactText(text);
      expect(shown === text ? text : JSON.parse(shown)).toBe(text);
      expect(shown === text && text.startsWith('"')).toBe(false);
      const spaced = shown.replaceAll(" ", "_");
      expect(neutralText(spaced)).toBe(spaced);
    }),
    { numRuns: 1000 },
  );
});

test("arguments that are split differently look different [S-28]", () => {
  const shown = (args: readonly string[]) =>
    describeRequest(request({ args })).find(({ label }) => label === "Arguments")?.value;
  expect(shown(["a b"])).not.toBe(shown(["a", "b"]));
  expect(shown(['a" "b'])).not.toBe(shown(["a", "b"]));
  expect(shown([""])).not.toBe(shown([]));
  expect(shown(["(none)"])).not.toBe(shown([]));
});
