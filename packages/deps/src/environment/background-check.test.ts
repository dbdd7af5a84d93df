import { afterEach, expect, test } from "vitest";
import { BackgroundCheck, type BackgroundPorts, type CheckEvent } from "./background-check.ts";
import { checkPorts, makeFolder, need, removeFolders, sandbox } from "./environment.fixture.ts";

afterEach(removeFolders);

function open(settings: Partial<BackgroundPorts> = {}) {
  const events: CheckEvent[] = [];
  const problems: unknown[] = [];
  const check = new BackgroundCheck({
    ...checkPorts(),
    onEvent: (event) => void events.push(event),
    onProblem: (problem) => void problems.push(problem),
    ...settings,
  });
  return { check, events, problems };
}

const item = (id: string, name: string) => ({
  id,
  effect: { path: "folder" } as const,
  prepare: async () => ({ folder: makeFolder(), needs: [need("pip", name)] }),
});

test("checks skills after the turn that adds them, and reports each with events [S-39]", async () => {
  const { check, events } = open();
  check.add([item("a", "json"), item("b", "zzz_none")]);
  expect(events).toEqual([]);
  await Promise.resolve();
  expect(events).toEqual([]);
  await check.idle();
  expect(events).toMatchObject([
    { type: "skill.deps.checking", skill: "a" },
    { type: "skill.deps.checking", skill: "b" },
    { type: "skill.deps.checked", skill: "a", ok: true, missing: [], state: { state: "ok" } },
    {
      type: "skill.deps.checked",
      skill: "b",
      ok: false,
      missing: ["pip:zzz_none"],
      state: { state: "missing" },
    },
    { type: "skill.deps.complete", skills: 2 },
  ]);
});

test("a skill that cannot be read or checked does not block others and is not reported as missing [S-39]", async () => {
  const { check, events, problems } = open();
  const broken = { ...item("a", "x"), prepare: () => Promise.reject(new Error("no such folder")) };
  check.add([broken, item("b", "json")]);
  await check.idle();
  const checked = events.filter(({ type }) => type === "skill.deps.checked");
  expect(checked).toMatchObject([
    { skill: "a", ok: true, missing: [], error: "no such folder" },
    { skill: "b", ok: true },
  ]);
  const start = () => Promise.reject(new TypeError("a bug"));
  const failing = open({ sandbox: { id: "bubblewrap", probe: () => sandbox.probe(), start } });
  failing.check.add([item("c", "json")]);
  await failing.check.idle();
  expect(failing.events).toMatchObject([{}, { skill: "c", ok: true, error: "a bug" }, { skills: 1 }]);
  expect([...problems, ...failing.problems]).toEqual([]);
});

test("checks batches one after another, and uses the latest item of a skill that is added twice [S-39]", async () => {
  let running = 0;
  let most = 0;
  const { check, events } = open({
    sandbox: {
      id: "bubblewrap",
      probe: () => sandbox.probe(),
      start: async (spec) => {
        running += 1;
        most = Math.max(most, running);
        const process = await sandbox.start(spec);
        void process.exited.then(() => {
          running -= 1;
        });
        return process;
      },
    },
  });
  check.add([...Array.from({ length: 101 }, (_, at) => item(`s${at}`, "zzz_none")), item("s0", "json")]);
  const later = check.idle().then(() => check.add([item("late", "json")]));
  await later;
  await check.idle();
  const checked = events.filter((event) => event.type === "skill.deps.checked");
  expect(most).toBe(1);
  expect(checked).toHaveLength(102);
  expect(checked.find(({ skill }) => skill === "s0")?.ok).toBe(true);
  expect(events.filter(({ type }) => type === "skill.deps.complete")).toHaveLength(2);
});

/** Checks skills until the first event, which cancels the check. */
async function canceledAtFirst(items: Parameters<ReturnType<typeof open>["check"]["add"]>[0]) {
  const control = new AbortController();
  const events: CheckEvent[] = [];
  const { check, problems } = open({
    signal: control.signal,
    onEvent: (event) => {
      events.push(event);
      control.abort();
    },
  });
  check.add(items);
  await check.idle();
  return { events, problems };
}

test("stops and sends no more events when canceled [S-39]", async () => {
  const events = [{ type: "skill.deps.checking", skill: "a" }];
  expect(await canceledAtFirst([item("a", "json")])).toEqual({ events, problems: [] });
});

test("takes more skills than a function takes arguments [S-73]", async () => {
  const items = Array.from({ length: 300_000 }, (_, at) => item(`s${at}`, "json"));
  const events = [{ type: "skill.deps.checking", skill: "s0" }];
  expect(await canceledAtFirst(items)).toEqual({ events, problems: [] });
});

test("reports a failing listener and checks the next skill [S-39]", async () => {
  let calls = 0;
  const { check, problems } = open({
    onEvent: () => {
      calls += 1;
      if (calls === 1) throw new Error("mine");
    },
  });
  check.add([item("a", "json")]);
  await check.idle();
  check.add([item("b", "json")]);
  await check.idle();
  expect(problems).toMatchObject([{ message: "mine" }]);
  expect(calls).toBe(4);
});
