import { expect, test } from "vitest";
import { allowedByManifest } from "./allowed.ts";
import { findHidden, isConfusable, skeleton } from "./hidden-text.ts";
import { emptyManifest } from "./manifest.ts";
import { splitMarkdown } from "./markdown-part.ts";

const manifest = {
  ...emptyManifest("1"),
  network: { hosts: ["api.one.io", "*.two.io"], dynamic: true },
  env: { names: ["TOKEN"], all: false },
};

test("allows the hosts of a manifest, and names the entry that is missing [S-52]", () => {
  const ask = (host: string, approved: readonly string[] = []) =>
    allowedByManifest(manifest, { kind: "host", host }, approved);
  expect(ask("API.one.io.")).toEqual({ isAllowed: true });
  expect(ask("a.two.io")).toEqual({ isAllowed: true });
  expect(ask("two.io")).toEqual({ isAllowed: false, missing: "network.hosts two.io" });
  expect(ask("evil-api.one.io")).toEqual({ isAllowed: false, missing: "network.hosts evil-api.one.io" });
  expect(ask("three.io", ["three.io"])).toEqual({ isAllowed: true });
  expect(allowedByManifest(manifest, { kind: "env", name: "TOKEN" }).isAllowed).toBe(true);
  expect(allowedByManifest(manifest, { kind: "env", name: "OTHER" }).isAllowed).toBe(false);
  expect(allowedByManifest(manifest, { kind: "bin", name: "git" })).toEqual({
    isAllowed: false,
    missing: "process.bins git",
  });
});

test("tells hidden characters from writing [S-52]", () => {
  expect(findHidden("👩‍💻 🏴󠁧󠁢󠁥󠁮󠁧󠁿 می‌خواهم \ufeff".slice(0, -1))).toEqual([]);
  expect(findHidden("a\u200b\u200bb").map(({ kind, length }) => [kind, length])).toEqual([["zero-width", 2]]);
  expect(findHidden("a\u{e0041}\u{e0042}\u{e0043}")[0]).toMatchObject({ kind: "tag", decoded: "ABC" });
});

test("finds names that can be taken for others [S-52]", () => {
  expect([isConfusable("p\u0430ypal"), isConfusable("paypal"), isConfusable("пайпал")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(skeleton("c1awhub")).toBe(skeleton("clawhub"));
  expect(skeleton("rnodel")).toBe(skeleton("model"));
});

test("splits Markdown into prose and code with their lines [S-52]", () => {
  const text = "a\n```bash\nls\n```\nb `git log x`\n~~~\nopen";
  const { code, prose, fenced } = splitMarkdown(text);
  expect(code).toEqual([
    { language: "bash", text: "ls", line: 3, isInline: false },
    { language: "", text: "open", line: 7, isInline: false },
    { language: "", text: "git log x", line: 5, isInline: true },
  ]);
  expect([prose.length, fenced.length]).toEqual([text.length, text.length]);
  expect(prose).not.toContain("ls");
});
