import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { discoverSources } from "./discover.ts";
import { orderSources, type Source } from "./source.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-discover-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const make = (...paths: readonly string[]) =>
  paths.map((path) => mkdirSync(join(root, path), { recursive: true }));
const shape = (sources: readonly Source[]) => sources.map(({ label, kind, trust }) => [label, kind, trust]);

test("searches project folders from the current folder up to the repository's root [S-14]", () => {
  make("repo/.git", "repo/.agents/skills", "repo/app/.claude/skills", "repo/app/skills", ".agents/skills");
  const sources = discoverSources({ cwd: join(root, "repo/app") });
  expect(shape(sources)).toEqual([
    ["skills", "workspace", "third_party"],
    [".claude/skills", "project", "third_party"],
    ["repo/.agents/skills", "project", "third_party"],
  ]);
});

test("a project that the user confirmed has the user's trust [S-14]", () => {
  make("repo/.git", "repo/.cursor/skills", "repo/skills");
  const sources = discoverSources({ cwd: join(root, "repo"), isProjectTrusted: true });
  expect(shape(sources)).toEqual([
    ["skills", "workspace", "user"],
    [".cursor/skills", "project", "user"],
  ]);
});

test("outside a repository, searches only the folder itself [S-14]", () => {
  make("a/.agents/skills", "a/b/.agents/skills");
  expect(discoverSources({ cwd: join(root, "a/b") }).map((source) => source.root)).toEqual([
    join(root, "a/b/.agents/skills"),
  ]);
});

test("home, extra and builtin folders have their kind and trust, even when the home folder is current [S-14]", () => {
  make("home/.claude/skills", "home/.config/opencode/skills", "mine", "builtin");
  const sources = discoverSources({
    cwd: join(root, "home"),
    home: join(root, "home"),
    extra: ["../mine"],
    builtin: join(root, "builtin"),
  });
  expect(shape(sources)).toEqual([
    ["../mine", "workspace", "user"],
    ["~/.claude/skills", "user", "user"],
    ["~/.config/opencode/skills", "user", "user"],
    ["builtin", "builtin", "builtin"],
  ]);
});

test("knows every client's folder [S-14]", () => {
  const names = [".agents", ".claude", ".cursor", ".github", ".codex", ".gemini", ".opencode"];
  make(...names.map((name) => `repo/${name}/skills`), "repo/.git");
  expect(discoverSources({ cwd: join(root, "repo") }).map(({ label }) => label)).toEqual(
    names.map((name) => `${name}/skills`),
  );
});

test("both orders are as documented, and an unconfirmed project is last in both [S-15]", () => {
  const source = (label: string, kind: Source["kind"], trust: Source["trust"]): Source => ({
    label,
    kind,
    trust,
    root: label,
  });
  const all = [
    source("third", "third_party", "third_party"),
    source("builtin", "builtin", "builtin"),
    source("org", "org", "org"),
    source("user", "user", "user"),
    source("unconfirmed", "project", "third_party"),
    source("project", "project", "user"),
    source("workspace", "workspace", "user"),
  ];
  const labels = (order: "local" | "trust") => orderSources(all, order).map(({ label }) => label);
  expect(labels("local")).toEqual(["workspace", "project", "user", "org", "builtin", "third", "unconfirmed"]);
  expect(labels("trust")).toEqual(["builtin", "org", "user", "project", "workspace", "third", "unconfirmed"]);
});
