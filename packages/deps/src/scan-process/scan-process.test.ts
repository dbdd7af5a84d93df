import type { ScanFile } from "@skillhold/core/dependency";
import { countTurns } from "@skillhold/core/test/loop-turn.fixture";
import { type Launched, launch } from "@skillhold/sandbox/backend";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scanDependencies } from "../scan/scan.ts";
import { ScanProcess, type ScanProcessOptions } from "./scan-process.ts";

const ordinary = files({
  "SKILL.md": "---\nname: demo\ndescription: Does it.\n---\nDo it.\n",
  "scripts/a.py": "import requests\nimport demo.helper\n",
  "scripts/b.js": "import 'lodash';\n",
  "scripts/c.sh": "#!/bin/sh\nffmpeg -i a b\n",
  "requirements.txt": "PyYAML==6.0\n",
  "assets/logo.png": "no code",
  "large.py": " ".repeat(1_000_001),
});
/** Highly ambiguous, so the parser needs a long time. */
const hostile = files({ "a.sh": "case x in\n".repeat(40_000) });

const started: Launched[] = [];
const ended = new Set<Launched>();
const counted: typeof launch = async (argv, options) => {
  const launched = await launch(argv, options);
  started.push(launched);
  void launched.exited.then(() => ended.add(launched));
  return launched;
};
const open = (options: ScanProcessOptions = {}) => new ScanProcess({ launch: counted, ...options });

let scanner = open();
beforeEach(() => {
  started.length = 0;
  ended.clear();
  scanner = open();
});
afterEach(() => scanner.close());

function files(table: Readonly<Record<string, string>>): readonly ScanFile[] {
  return Object.entries(table).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));
}

/** The number of live processes. */
function alive(): number {
  return started.length - ended.size;
}

test("gives the scanner's results for many bundles in one process [S-34]", async () => {
  expect(alive()).toBe(0);
  const expected = await scanDependencies(ordinary, { name: "demo" });
  expect(expected.dependencies.length).toBeGreaterThan(3);
  expect(expected.notes.map(({ file }) => file)).toEqual(["large.py"]);
  const found = await Promise.all([1, 2, 3].map(() => scanner.scan(ordinary, { name: "demo" })));
  expect(found).toEqual([expected, expected, expected]);
  expect(await scanner.scan(ordinary)).toEqual(await scanDependencies(ordinary));
  expect(ordinary.every(({ bytes }) => (bytes?.length ?? 0) > 0)).toBe(true);
  expect(started).toHaveLength(1);
});

test("does not block other work while it parses a file [S-34] [S-39]", async () => {
  await scanner.scan(files({ "a.sh": "ls" }));
  // Yielding only between files would give two or three.
  expect(await countTurns(() => scanner.scan(hostile))).toBeGreaterThan(10);
});

test("stops a bundle that takes too long, and uses a new process for the next [S-34]", async () => {
  // Too short for the process to start.
  const hasty = open({ limitMs: 1 });
  const message = "too complex to parse; its dependencies are unknown";
  expect(await hasty.scan([...hostile, { path: "b.png", bytes: Buffer.from("x") }])).toEqual({
    dependencies: [],
    notes: [{ file: "a.sh", message }],
  });
  await expect.poll(alive).toBe(0);
  await hasty.scan(ordinary);
  expect(started).toHaveLength(2);
  await expect.poll(alive).toBe(0);
});

test("a small bundle does not wait for earlier, larger ones [S-34]", async () => {
  const ended: string[] = [];
  const scan = async (name: string, text: string) => {
    await scanner.scan(files({ "a.sh": text }));
    ended.push(name);
  };
  await Promise.all([scan("first", "ls"), scan("large", "ls\n".repeat(1000)), scan("small", "ls\n")]);
  expect(ended).toEqual(["first", "small", "large"]);
});

test("a canceled scan leaves no process and does not block the next [S-34]", async () => {
  const stop = new AbortController();
  const running = scanner.scan(hostile, { signal: stop.signal });
  const waiting = scanner.scan(ordinary, { signal: stop.signal });
  const other = scanner.scan(files({ "a.py": "import requests" }));
  stop.abort();
  const results = await Promise.allSettled([running, waiting]);
  expect(results).toMatchObject([{ reason: { code: "INTERRUPTED" } }, { reason: { code: "INTERRUPTED" } }]);
  expect((await other).dependencies).toMatchObject([{ name: "requests" }, { name: "python3" }]);
  expect(alive()).toBe(1);
  await expect(scanner.scan(ordinary, { signal: stop.signal })).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
});

test("close ends the process in the middle of a file [S-34]", async () => {
  await scanner.scan(files({ "a.sh": "ls" }));
  const scans = Promise.allSettled([scanner.scan(hostile), scanner.scan(ordinary)]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(alive()).toBe(1);
  await scanner.close();
  expect(alive()).toBe(0);
  expect(await scans).toMatchObject([
    { reason: { code: "INTERRUPTED" } },
    { reason: { code: "INTERRUPTED" } },
  ]);
  await expect(scanner.scan(ordinary)).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect(alive()).toBe(0);
});

test("an idle process ends, and the next bundle gets a new one [S-34]", async () => {
  const brief = open({ idleMs: 1 });
  const expected = await scanDependencies(ordinary);
  expect(await brief.scan(ordinary)).toEqual(expected);
  await expect.poll(alive).toBe(0);
  expect(await brief.scan(ordinary)).toEqual(expected);
  expect(started).toHaveLength(2);
  await brief.close();
  expect(alive()).toBe(0);
});

test("a process that dies leaves the dependencies unknown, and is replaced [S-34]", async () => {
  await scanner.scan(ordinary);
  const scanning = scanner.scan(hostile);
  await new Promise((resolve) => setImmediate(resolve));
  started[0]?.kill();
  expect((await scanning).notes).toHaveLength(1);
  await expect.poll(alive).toBe(0);
  expect((await scanner.scan(ordinary)).dependencies.length).toBeGreaterThan(3);
});

test("the guard shares the process, and fails closed when it is late [S-52]", async () => {
  const skill = [{ path: "SKILL.md", bytes: Buffer.from("---\nname: a\ndescription: b\n---\n") }];
  const [report] = await Promise.all([scanner.guard(skill, { name: "a" }), scanner.scan(ordinary)]);
  expect(report).toMatchObject({ verdict: "clean" });
  expect(started).toHaveLength(1);
  const hasty = open({ limitMs: 1 });
  await expect(hasty.guard(skill, { name: "a" })).rejects.toMatchObject({ code: "GUARD_FAILED" });
  await hasty.close();
});
