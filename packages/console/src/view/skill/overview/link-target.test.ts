import { expect, test } from "vitest";
import { targetOf } from "./link-target.ts";

test("links lead to web pages and to files of the skill [S-59]", () => {
  expect(targetOf("https://example.org")).toEqual({ kind: "page", href: "https://example.org" });
  expect(targetOf("./references/a%20b.md#part")).toEqual({ kind: "file", path: "references/a b.md" });
});

test.each([
  "javascript:alert(1)",
  "JAVASCRIPT:x",
  "data:text/html,x",
  "//evil.example",
  "/v1/me",
  "\\\\evil",
  "../x",
  "a/../../x",
  "#top",
  "",
  "%E0%A4%A",
])("a link to %s leads nowhere [S-59]", (href) => expect(targetOf(href)).toEqual({ kind: "nowhere" }));
