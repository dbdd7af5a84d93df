import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandTable } from "@skillhold/cli/test/command-table";
import { afterAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("./no-account-process.ts", import.meta.url));
/** A user id that no account has, as in containers. */
const UID = 54_321;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Driven {
  readonly line: string;
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The examples of every command, run in a new folder. `home` is the folder itself, a missing one, or not set. */
function drive(home: "own" | "missing" | "unset"): readonly Driven[] {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-no-account-"));
  folders.push(folder);
  chownSync(folder, UID, UID);
  chmodSync(folder, 0o755);
  const homes = { own: [folder], missing: ["/nonexistent"], unset: [] } as const;
  const args = ["--conditions=@skillhold/source", program, String(UID), folder, ...homes[home]];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const codesOf = (driven: readonly Driven[]) =>
  driven.flatMap(({ line, out, err }) =>
    [...`${out}${err}`.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => `${line}: ${code}`),
  );

describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "a user id without an account (needs root to change the user)",
  () => {
    test.for(["own", "missing", "unset"] as const)(
      "runs the examples of every command without an internal error, with HOME %s [S-60]",
      (home) => {
        const driven = drive(home);
        const tried = driven.map(({ line }) => line);
        const untried = commandTable.filter(
          ({ name }) => !tried.some((line) => line === name || line.startsWith(`${name} `)),
        );
        // Their examples name other hosts.
        expect(untried.map(({ name }) => name)).toEqual([
          "logout",
          ...["add", "deliveries", "redeliver", "test", "pause", "resume", "remove"].map(
            (verb) => `webhook ${verb}`,
          ),
          "trust add",
          "trust remove",
          "upgrade-check",
        ]);
        expect(codesOf(driven).filter((each) => each.endsWith("INTERNAL"))).toEqual([]);
        if (home !== "own") return;
        const codeOf = (wanted: string) => driven.find(({ line }) => line === wanted)?.code;
        for (const line of ["publish my-skill", "read pdf", "agent list", "audit verify", "fsck"])
          expect([line, codeOf(line)]).toEqual([line, 0]);
        expect(driven.find(({ line }) => line === "audit tail")?.out).toContain('"user":"uid-54321"');
      },
    );
  },
);
