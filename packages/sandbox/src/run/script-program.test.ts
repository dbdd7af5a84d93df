import { expect, test } from "vitest";
import { looksRunnable, scriptProgram } from "./run-script.ts";

const program = (path: string, head = "", executable = false) =>
  scriptProgram({ path, executable, head: Buffer.from(head) });
const by = (runtime: string, ...options: string[]) => ({ kind: "interpreter", runtime, options });

test.each([
  ["scripts/a.py", "", by("python")],
  ["scripts/a.PY", "", by("python")],
  ["scripts/a.py", "#!/usr/bin/env -S uv run --script\n", by("python")],
  ["scripts/a.py", "#!/usr/bin/env -S python3 -u\n", by("python", "-u")],
  ["scripts/a.sh", "", by("shell")],
  ["scripts/a.sh", "#!/bin/bash\n", by("bash")],
  ["scripts/a.sh", "#!/usr/bin/env bash\r\n", by("bash")],
  ["scripts/a.bash", "", by("bash")],
  ["scripts/a.ts", "", by("node")],
  ["scripts/a.rb", "", by("ruby")],
  ["scripts/a.pl", "#!/usr/bin/perl -w\n", by("perl", "-w")],
  ["scripts/tool", "#!/usr/bin/python3.11\n", by("python")],
  ["scripts/tool", "#! /usr/bin/env node\n", by("node")],
])("runs %s with the first line %j with the right program [S-29]", (path, head, expected) => {
  expect(program(path, head)).toEqual(expected);
});

test("runs an executable file without a known interpreter directly [S-29]", () => {
  expect(program("bin/tool", "\x7fELF", true)).toEqual({ kind: "itself" });
  expect(program("bin/tool", "#!/usr/bin/awk -f\n", true)).toEqual({ kind: "itself" });
});

test.each(["SKILL.md", "assets/data.json", "scripts/README"])("%s is not a script [S-29]", (path) => {
  expect(() => program(path)).toThrow(expect.objectContaining({ code: "USAGE" }));
  expect(looksRunnable({ path, executable: false })).toBe(false);
});
