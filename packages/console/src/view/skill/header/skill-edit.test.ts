import { expect, test } from "vitest";
import { editOf } from "./skill-edit.ts";

const before = {
  name: "PDF",
  description: "Reads PDFs.",
  tags: "pdf, office",
  visibility: "private",
} as const;

test("sends only changed fields [S-59]", () => {
  expect(editOf(before, { ...before, name: " PDF " })).toEqual({});
  expect(editOf(before, { ...before, description: "Reads and writes PDFs." })).toEqual({
    description: "Reads and writes PDFs.",
  });
  expect(editOf(before, { ...before, visibility: "public" })).toEqual({ visibility: "public" });
});

test("an emptied field falls back to SKILL.md [S-59]", () => {
  expect(editOf(before, { ...before, name: "", description: " " })).toEqual({
    name: null,
    description: null,
  });
  expect(editOf(before, { ...before, tags: " , " })).toEqual({ tags: null });
});

test("splits tags at commas, each once [S-59]", () => {
  expect(editOf(before, { ...before, tags: "a, b ,a,,c" })).toEqual({ tags: ["a", "b", "c"] });
});
