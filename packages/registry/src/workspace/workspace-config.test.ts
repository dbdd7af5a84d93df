import { expect, test } from "vitest";
import { applyHotFields, compareConfigs, readWorkspaceConfig } from "./workspace-config.ts";

const read = (text: string) => {
  const { config } = readWorkspaceConfig(text);
  if (config === undefined) throw new Error("The config is invalid.");
  return config;
};

test("reads Molecule's fields and their defaults [S-56]", () => {
  const config = read(
    "name: SEO\nskills: [b, a]\nplatforms: [https://a.test, {url: https://b.test, token_env: T}]",
  );
  expect(config).toMatchObject({
    name: "SEO",
    runtime: "langgraph",
    promptFiles: ["system-prompt.md"],
    skills: ["b", "a"],
    delegation: { retryAttempts: 3, escalate: true },
    platforms: [{ url: "https://a.test" }, { url: "https://b.test", tokenEnv: "T" }],
  });
});

test("an invalid field is an error and the others apply [S-56]", () => {
  const text =
    "name: SEO\nskills: [a, ../etc, A B, a]\nprompt_files: [../x, ok.md, /etc/passwd]\nfoo: 1\ntier: {}";
  const { config, problems } = readWorkspaceConfig(text);
  expect(config).toMatchObject({ name: "SEO", skills: ["a"], promptFiles: ["ok.md"], tier: 1 });
  expect(problems.map(({ severity, code, subject }) => [severity, code, subject])).toEqual([
    ["warning", "unknown-field", "foo"],
    ["error", "config-invalid", "prompt_files"],
    ["error", "config-invalid", "prompt_files"],
    ["error", "config-invalid", "skills"],
    ["error", "config-invalid", "skills"],
    ["warning", "duplicate", "a"],
  ]);
});

test("bounds hostile configs: aliases, depth, size and many entries [S-56]", () => {
  const levels = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (let at = 1; at < 12; at += 1) {
    const before = String.fromCharCode(96 + at);
    levels.push(
      `${String.fromCharCode(97 + at)}: &${String.fromCharCode(97 + at)} [${Array(10).fill(`*${before}`)}]`,
    );
  }
  const hostile = [
    levels.join("\n"),
    "[".repeat(5000),
    `name: ${"x".repeat(100_000)}`,
    `skills: [${Array.from({ length: 5000 }, (_, at) => `s${at}`).join(",")}]`,
    "\0\0\0",
    "just a text",
  ];
  for (const text of hostile) {
    const { config, problems } = readWorkspaceConfig(text);
    expect([config?.skills.length ?? 0, problems[0]?.severity]).toEqual([
      expect.toSatisfy((count: number) => count <= 1000),
      "error",
    ]);
  }
});

test("a change of a cold field is reported and not applied [S-56]", () => {
  const running = read("name: SEO\ntier: 1\nruntime: claude-code\nskills: [a]");
  const next = read("name: Search\ntier: 3\nruntime: langgraph\nskills: [a, b]");
  expect(compareConfigs(running, next)).toEqual({ hot: ["name", "skills"], cold: ["runtime", "tier"] });
  const { config, problems } = applyHotFields(running, next);
  expect(config).toMatchObject({ name: "Search", skills: ["a", "b"], tier: 1, runtime: "claude-code" });
  expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
    ["cold-field", "runtime"],
    ["cold-field", "tier"],
  ]);
  expect(applyHotFields(config, next).problems).toHaveLength(2);
});
