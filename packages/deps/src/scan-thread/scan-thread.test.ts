import type { Worker } from "node:worker_threads";
import type { ScanFile } from "@skillhold/core/dependency";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scanDependencies } from "../scan/scan.ts";
import { ScanThread } from "./scan-thread.ts";

const ordinary = files({
  "SKILL.md": "---\nname: demo\ndescription: Does it.\n---\nDo it.\n",
  "scripts/a.py": "import requests\nimport demo.helper\n",
  "scripts/b.js": "import 'lodash';\n",
  "scripts/c.sh": "#!/bin/sh\nffmpeg -i a b\n",
  "requirements.txt": "PyYAML==6.0\n",
  "assets/logo.png": "no code",
  "large.py": " ".repeat(1_000_001),
});
/** The parser goes through all that this may mean. */
const hostile = files({ "a.sh": "case x in\n".repeat(40_000) });

let thread = new ScanThread();
const workers: Worker[] = [];
const note = (worker: Worker) => void workers.push(worker);
beforeEach(() => {
  thread = new ScanThread();
  workers.length = 0;
  process.on("worker", note);
});
afterEach(async () => {
  process.off("worker", note);
  await thread.close();
});

function files(table: Readonly<Record<string, string>>): readonly ScanFile[] {
  return Object.entries(table).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));
}

/** The threads that have not ended. */
function alive(): number {
  return workers.filter(({ threadId }) => threadId !== -1).length;
}

test("finds what the scanner finds, for many bundles in one thread [S-34]", async () => {
  expect(alive()).toBe(0);
  const expected = await scanDependencies(ordinary, { name: "demo" });
  expect(expected.dependencies.length).toBeGreaterThan(3);
  expect(expected.notes.map(({ file }) => file)).toEqual(["large.py"]);
  const found = await Promise.all([1, 2, 3].map(() => thread.scan(ordinary, { name: "demo" })));
  expect(found).toEqual([expected, expected, expected]);
  expect(await thread.scan(ordinary)).toEqual(await scanDependencies(ordinary));
  expect(ordinary.every(({ bytes }) => (bytes?.length ?? 0) > 0)).toBe(true);
  expect(workers).toHaveLength(1);
});

test("other work has its turn while one file is parsed [S-34] [S-39]", async () => {
  await thread.scan(files({ "a.sh": "ls" }));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await thread.scan(hostile);
  clearInterval(timer);
  // Between files alone it would have two or three.
  expect(turns).toBeGreaterThan(10);
});

test("a bundle that takes too long is given up, and the next has a new thread [S-34]", async () => {
  // The thread does not even start in this time.
  const hasty = new ScanThread({ limitMs: 1 });
  const message = "it is too hard to parse; what it needs is not known";
  expect(await hasty.scan([...hostile, { path: "b.png", bytes: Buffer.from("x") }])).toEqual({
    dependencies: [],
    notes: [{ file: "a.sh", message }],
  });
  expect(alive()).toBe(0);
  await hasty.scan(ordinary);
  expect(workers).toHaveLength(2);
  expect(alive()).toBe(0);
});

test("a small bundle does not wait for larger ones that came before it [S-34]", async () => {
  const ended: string[] = [];
  const scan = async (name: string, text: string) => {
    await thread.scan(files({ "a.sh": text }));
    ended.push(name);
  };
  await Promise.all([scan("first", "ls"), scan("large", "ls\n".repeat(1000)), scan("small", "ls\n")]);
  expect(ended).toEqual(["first", "small", "large"]);
});

test("what is called off leaves no thread behind, and keeps nobody from the next [S-34]", async () => {
  const stop = new AbortController();
  const running = thread.scan(hostile, { signal: stop.signal });
  const waiting = thread.scan(ordinary, { signal: stop.signal });
  const other = thread.scan(files({ "a.py": "import requests" }));
  stop.abort();
  const results = await Promise.allSettled([running, waiting]);
  expect(results).toMatchObject([{ reason: { code: "INTERRUPTED" } }, { reason: { code: "INTERRUPTED" } }]);
  expect((await other).dependencies).toMatchObject([{ name: "requests" }, { name: "python3" }]);
  expect(alive()).toBe(1);
  await expect(thread.scan(ordinary, { signal: stop.signal })).rejects.toMatchObject({ code: "INTERRUPTED" });
});

test("closing ends the thread in the middle of a file [S-34]", async () => {
  await thread.scan(files({ "a.sh": "ls" }));
  const scans = Promise.allSettled([thread.scan(hostile), thread.scan(ordinary)]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(alive()).toBe(1);
  await thread.close();
  expect(alive()).toBe(0);
  expect(await scans).toMatchObject([
    { reason: { code: "INTERRUPTED" } },
    { reason: { code: "INTERRUPTED" } },
  ]);
  await expect(thread.scan(ordinary)).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect(alive()).toBe(0);
});

test("a thread that nobody needs for a while ends, and the next bundle has another [S-34]", async () => {
  const brief = new ScanThread({ idleMs: 1 });
  const expected = await scanDependencies(ordinary);
  expect(await brief.scan(ordinary)).toEqual(expected);
  await expect.poll(alive).toBe(0);
  expect(await brief.scan(ordinary)).toEqual(expected);
  expect(workers).toHaveLength(2);
  await brief.close();
  expect(alive()).toBe(0);
});

test("a thread that breaks is told of, and replaced [S-34]", async () => {
  await thread.scan(ordinary);
  workers[0]?.postMessage({ files: "none" });
  await expect(thread.scan(ordinary)).rejects.toThrow("files.flatMap is not a function");
  expect(alive()).toBe(0);
  expect((await thread.scan(ordinary)).dependencies.length).toBeGreaterThan(3);
});
