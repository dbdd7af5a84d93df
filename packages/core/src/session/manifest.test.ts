import { expect, test } from "vitest";
import { readAgentManifest, viewerForAgent } from "./manifest.ts";

const full = `
id: builder
runtime: yodoca
prompt: prompts/builder.md
instructions: |
  Never hardcode {{ secrets }}.
uses_skills: [extension-development]
catalog: own
allow: [code-review]
pins: [code-review]
`;

test("reads every field of a manifest and keeps texts unchanged [S-23]", () => {
  expect(readAgentManifest(full)).toEqual({
    manifest: {
      id: "builder",
      runtime: "yodoca",
      prompt: "prompts/builder.md",
      instructions: "Never hardcode {{ secrets }}.\n",
      usesSkills: ["extension-development"],
      catalog: "own",
      allow: ["code-review"],
      pins: ["code-review"],
    },
    problems: [],
  });
});

test("omitted fields have defaults, and null allows all [S-23]", () => {
  const { manifest } = readAgentManifest("id: a\nruntime: b\nallow: null");
  expect(manifest).toEqual({ id: "a", runtime: "b", usesSkills: [], catalog: "all", pins: [] });
});

test("an unknown field is a warning, and the manifest stays valid [S-23]", () => {
  const { manifest, problems } = readAgentManifest("id: a\nruntime: b\nuse_skills: [x]\n__proto__: 1");
  expect(manifest).toBeDefined();
  expect(problems).toMatchObject([
    { severity: "warning", field: "use_skills" },
    { severity: "warning", field: "__proto__" },
  ]);
});

test.each([
  ["runtime: b", "id"],
  ["id: a", "runtime"],
  ["id: 7\nruntime: b", "id"],
  ["id: a\nruntime: b\nprompt: ../secret.md", "prompt"],
  ["id: a\nruntime: b\nprompt: /etc/passwd", "prompt"],
  ["id: a\nruntime: b\nuses_skills: pdf", "uses_skills"],
  ["id: a\nruntime: b\nuses_skills: [Not An Id]", "uses_skills"],
  ["id: a\nruntime: b\nallow: all", "allow"],
  ["id: a\nruntime: b\ncatalog: some", "catalog"],
  ["id: a\nruntime: b\ninstructions: [a]", "instructions"],
  ["- a list", ""],
  ["", ""],
  ["a: [unclosed", ""],
  ["x".repeat(100_000), ""],
])("the manifest %j is rejected for its field %j [S-23]", (text, field) => {
  const { manifest, problems } = readAgentManifest(text);
  expect(manifest).toBeUndefined();
  expect(problems.filter(({ severity }) => severity === "error").map((problem) => problem.field)).toContain(
    field,
  );
});

test.each([
  ["allow: null", undefined],
  ["allow: []", []],
  ["allow: [a]", ["a"]],
  ["allow: [a]\nuses_skills: [b]", ["b", "a"]],
  ["uses_skills: [b]", undefined],
  ["catalog: own\nuses_skills: [b]", ["b"]],
  ["catalog: own\nuses_skills: [b]\nallow: [a]", ["b", "a"]],
  ["catalog: own", []],
])("with %j the agent may see %j [S-23]", (text, allow) => {
  const { manifest } = readAgentManifest(`id: writer\nruntime: test\n${text}`);
  if (manifest === undefined) throw new Error("The manifest has to be readable.");
  expect(viewerForAgent(manifest, "ann")).toEqual({
    runtime: "test",
    agent: "writer",
    user: "ann",
    ...(allow === undefined ? {} : { allow }),
  });
});
