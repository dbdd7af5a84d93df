import { expect, test } from "vitest";
import { installCommands } from "./install-text.ts";

const lines = (isOpen: boolean) =>
  installCommands("pdf", "https://skills.example", isOpen).map(({ line }) => line);

test("a skill is fetched by commands that name this gateway, and no secret [S-59]", () => {
  expect(lines(false).join("\n")).toContain("-o pdf.zip https://skills.example/v1/skills/pdf/archive");
  expect(lines(false).join("\n")).toContain("Bearer $SKILLHOLD_TOKEN");
});

test("the open way is offered only where anyone may fetch it [S-59]", () => {
  expect(lines(true)).toContain("npx skills add https://skills.example");
  expect(lines(false).join("\n")).not.toContain("npx");
});
