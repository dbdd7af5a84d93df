import { expect, test } from "vitest";
import { installCommands } from "./install-text.ts";

const lines = (isOpen: boolean) =>
  installCommands("pdf", "https://skills.example", isOpen).map(({ line }) => line);

test("install commands name this gateway and contain no secret [S-59]", () => {
  expect(lines(false).join("\n")).toContain("-o pdf.zip https://skills.example/v1/skills/pdf/archive");
  expect(lines(false).join("\n")).toContain("Bearer $SKILLHOLD_TOKEN");
});

test("offers the public command only for a public skill [S-59]", () => {
  expect(lines(true)).toContain("npx skills add https://skills.example");
  expect(lines(false).join("\n")).not.toContain("npx");
});
