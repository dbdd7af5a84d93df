import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { SkillEvent } from "@skillhold/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AuditHandle, openAuditFile } from "./audit-file.ts";

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-audit-"));
  path = join(root, "logs/audit.jsonl");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const event = (session: string) =>
  SkillEvent.parse({ type: "session.closed", at: "2026-01-01T00:00:00.000Z", session });
const lines = (file = path) => readFileSync(file, "utf8").split("\n");
const sessions = () =>
  lines()
    .filter((line) => line !== "")
    .map((line) => SkillEvent.parse(JSON.parse(line)))
    .map((recorded) => ("session" in recorded ? recorded.session : ""));

/** A file whose calls are noted, and of which a test can have one fail. */
function watchedOpen(
  calls: string[],
  fail: (call: "write" | "datasync", count: number) => boolean = () => false,
) {
  const counts = { write: 0, datasync: 0 };
  const step = (call: "write" | "datasync") => {
    calls.push(call);
    counts[call] += 1;
    if (fail(call, counts[call])) throw new Error(`${call} failed`);
  };
  return async (file: string): Promise<AuditHandle> => {
    mkdirSync(dirname(file), { recursive: true });
    const handle = await open(file, "a+", 0o600);
    return {
      stat: handle.stat.bind(handle),
      read: handle.read.bind(handle),
      close: handle.close.bind(handle),
      // The sink writes a whole buffer at a time, the first of the ways to call it.
      write: (async (bytes: Buffer) => {
        step("write");
        return await handle.write(bytes);
      }) as AuditHandle["write"],
      datasync: async () => {
        step("datasync");
        await handle.datasync();
      },
    };
  };
}

test("an event is a line of JSON, in a file of its owner's, when its record resolves [S-62]", async () => {
  const audit = openAuditFile(path);
  await audit.record(event("a\nb\u2028"));
  expect(lines()).toEqual([JSON.stringify(event("a\nb\u2028")), ""]);
  await audit.record(event("c"));
  expect(sessions()).toEqual(["a\nb\u2028", "c"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(root, "logs")).mode & 0o777).toBe(0o700);
  await audit.close();
});

test("a log that exists is added to, and never cut [S-62]", async () => {
  for (const name of ["a", "b"]) {
    const audit = openAuditFile(path);
    await audit.record(event(name));
    await audit.close();
  }
  expect(sessions()).toEqual(["a", "b"]);
});

test("it is written and synced before the record resolves [S-62]", async () => {
  const calls: string[] = [];
  const audit = openAuditFile(path, { open: watchedOpen(calls) });
  await audit.record(event("a"));
  calls.push("resolved");
  expect(calls).toEqual(["write", "datasync", "resolved"]);
});

test("records that wait are written together and in order, with one sync [S-62]", async () => {
  const calls: string[] = [];
  const audit = openAuditFile(path, { open: watchedOpen(calls) });
  const names = Array.from({ length: 1000 }, (_, index) => `${index}`);
  await Promise.all(names.map((name) => audit.record(event(name))));
  expect(sessions()).toEqual(names);
  expect(calls).toEqual(["write", "datasync", "write", "datasync"]);
});

test("a record that follows at once on another's end is written too [S-62]", async () => {
  const audit = openAuditFile(path);
  const follow = async (count: number): Promise<void> => {
    await audit.record(event(`${count}`));
    if (count > 0) await follow(count - 1);
  };
  await Promise.all([follow(20), follow(20), audit.record(event("x")).then(() => audit.record(event("y")))]);
  expect(sessions()).toHaveLength(44);
});

test.each(["write", "datasync"] as const)(
  "when a %s fails, that record fails and all that wait do; the next ones try again [S-62]",
  async (step) => {
    const audit = openAuditFile(path, {
      open: watchedOpen([], (call, count) => call === step && count === 1),
    });
    const results = await Promise.allSettled(["a", "b", "c"].map((name) => audit.record(event(name))));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await expect(Promise.reject(results[0])).rejects.toMatchObject({
      reason: { code: "IO_FAILED", cause: { message: `${step} failed` } },
    });
    await audit.record(event("d"));
    expect(sessions().at(-1)).toBe("d");
    expect(sessions()).not.toContain("b");
  },
);

test("a write that was cut short is a failure, and the lines after it are readable [S-62]", async () => {
  let isFull = true;
  const audit = openAuditFile(path, {
    open: async (file) => {
      const handle = await watchedOpen([])(file);
      const write = async (bytes: Buffer) => await handle.write(isFull ? bytes.subarray(0, 10) : bytes);
      // The sink writes a whole buffer at a time, the first of the ways to call it.
      return { ...handle, write: write as AuditHandle["write"] };
    },
  });
  await expect(audit.record(event("a"))).rejects.toMatchObject({ code: "IO_FAILED" });
  isFull = false;
  await audit.record(event("b"));
  expect(lines()).toEqual([JSON.stringify(event("a")).slice(0, 10), JSON.stringify(event("b")), ""]);
});

test("a line that a crash cut off is ended, so that the next one is readable [S-62]", async () => {
  const audit = openAuditFile(path);
  await audit.record(event("a"));
  appendFileSync(path, '{"type":"sess');
  await audit.record(event("b"));
  expect(lines()).toEqual([JSON.stringify(event("a")), '{"type":"sess', JSON.stringify(event("b")), ""]);
});

test("a log that was deleted or moved away is made anew [S-62]", async () => {
  const audit = openAuditFile(path);
  await audit.record(event("a"));
  renameSync(path, `${path}.1`);
  await audit.record(event("b"));
  expect(sessions()).toEqual(["b"]);
  rmSync(path);
  await audit.record(event("c"));
  expect(sessions()).toEqual(["c"]);
  expect(lines(`${path}.1`)).toEqual([JSON.stringify(event("a")), ""]);
});

test("where no log can be, nothing is recorded, and it works once the place is free [S-62]", async () => {
  mkdirSync(path, { recursive: true });
  const audit = openAuditFile(path);
  await expect(audit.record(event("a"))).rejects.toMatchObject({ code: "IO_FAILED" });
  rmdirSync(path);
  await audit.record(event("b"));
  expect(sessions()).toEqual(["b"]);
});

test("a log that others can change, or that is a link, is refused; they may be let read it [S-62]", async () => {
  const audit = openAuditFile(path);
  await audit.record(event("a"));
  chmodSync(path, 0o644);
  await audit.record(event("b"));
  chmodSync(path, 0o620);
  await expect(audit.record(event("c"))).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  chmodSync(path, 0o600);
  symlinkSync(path, join(root, "link"));
  await expect(openAuditFile(join(root, "link")).record(event("d"))).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
  expect(sessions()).toEqual(["a", "b"]);
});

test("closing waits for what is under way, and nothing can be recorded after it [S-62]", async () => {
  const audit = openAuditFile(path);
  const first = audit.record(event("a"));
  await audit.close();
  expect(sessions()).toEqual(["a"]);
  await first;
  await expect(audit.record(event("b"))).rejects.toMatchObject({ code: "USAGE" });
});

test("no record that was acknowledged is lost by kill -9, with four processes on one log [S-62]", async () => {
  const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, "audit-file.ts")).href);
  const script = `import { openAuditFile } from ${module};
    const [path, name] = process.argv.slice(1);
    const audit = openAuditFile(path);
    const at = new Date().toISOString();
    for (let next = 0; ; next += 2) {
      const record = async (count) => {
        await audit.record({ type: "session.closed", at, session: name + "-" + count, task: "x".repeat(2000) });
        process.stdout.write(name + "-" + count + "\\n");
      };
      await Promise.all([record(next), record(next + 1)]);
    }`;
  const acknowledged: string[] = [];
  for (let cycle = 0; cycle < 5; cycle += 1) {
    const writers = [0, 1, 2, 3].map((index) => startWriter(script, `${cycle}${index}`));
    acknowledged.push(...(await Promise.all(writers.map(killAtRandom))).flat());
  }
  const recorded = new Set(sessions());
  expect(acknowledged.length).toBeGreaterThanOrEqual(20);
  expect(acknowledged.filter((name) => !recorded.has(name))).toEqual([]);
}, 120_000);

function startWriter(script: string, name: string): ChildProcess {
  const flags = ["--conditions=@skillhold/source", "--input-type=module", "-e", script, path, name];
  return spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
}

/** What the process said before it was killed, which is at some moment after its first words. */
async function killAtRandom(child: ChildProcess): Promise<readonly string[]> {
  let said = "";
  child.stdout?.setEncoding("utf8");
  child.stdout?.on("data", (text: string) => {
    if (said === "") setTimeout(() => child.kill("SIGKILL"), randomInt(40));
    said += text;
  });
  await once(child, "close");
  // A last name without its line's end may have been cut off.
  return said.split("\n").slice(0, -1);
}
