import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeHost } from "../../fake-host.ts";
import { main } from "../../main.ts";
import { registryScene } from "../../registry.fixture.ts";

const scene = registryScene({ beforeEach, afterEach });
const yes = "--yes-for-this-content";

describe.runIf(process.platform === "linux")("audit", () => {
  test("verify accepts an unchanged log signed with the user's own key [S-62]", async () => {
    await useSkill();
    const { code, data } = await scene.json(["audit", "verify"]);
    expect(code).toBe(0);
    expect(data).toMatchObject({ isSound: true, isSigned: true, entries: 8, witnessed: 2, problems: [] });
    const { err } = await scene.text(["audit", "verify"]);
    expect(err).toContain("8 entries, compared with 2 checkpoints, signed: sound");
    expect(readFileSync(join(`${scene.storeFile()}.d`, "audit.pub"), "utf8")).toContain("PUBLIC KEY");
  });

  test("prune needs an age, and leaves what is newer [S-71]", async () => {
    await useSkill();
    expect(await scene.json(["audit", "prune"])).toMatchObject({ code: 2 });
    expect(await scene.json(["audit", "prune", "--older-than", "3"])).toMatchObject({ code: 2 });
    const none = await scene.text(["audit", "prune", "--older-than", "90d"]);
    expect(none).toMatchObject({ code: 0, out: expect.stringContaining("0 entries from before") });
    expect((await scene.text(["doctor"])).out).toContain("audit log: 8 entries; never pruned");
  });

  test("prune removes old records of use, and verify accepts the log [S-62] [S-71]", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 100 * 86_400_000 });
    try {
      await useSkill();
    } finally {
      vi.useRealTimers();
    }
    const old = ["audit", "prune", "--older-than", "90d"];
    const planned = await scene.json([...old, "--dry-run"]);
    expect(planned.data).toMatchObject({ count: expect.any(Number), isDryRun: true });
    expect(planned.data.count).toBeGreaterThan(3);
    expect((await scene.json(old)).data).toMatchObject({ count: planned.data.count, isDryRun: false });
    const { data } = await scene.json(["audit", "verify"]);
    expect(data).toMatchObject({ entries: 9, isSound: true, isSigned: true, problems: [] });
    const { events } = (await scene.json(["audit", "tail", "--lines", "20"])).data;
    const types = events.map(({ event }: { readonly event: { readonly type: string } }) => event.type);
    expect(types).toContain("skill.published");
    expect(types.at(-1)).toBe("audit.pruned");
    expect(types).not.toContain("session.opened");
    expect((await scene.json(["fsck"])).code).toBe(0);
    expect((await scene.text(["doctor"])).out).toContain("records of use are pruned up to entry");
  });

  test("verify names an edited entry and exits with the code of INTEGRITY_FAILED [S-62]", async () => {
    await useSkill();
    change("update event set body = replace(body, 'x', 'y') where seq = 4");
    const { code, out, err } = await scene.text(["audit", "verify"]);
    expect(code).toBe(7);
    expect(out).toContain("chain-broken 4:");
    expect(err).toContain("NOT sound");
  });

  test("verify detects a store that was reset to an earlier state [S-62]", async () => {
    await useSkill();
    const backup = join(scene.root(), "backup.db");
    change("pragma wal_checkpoint(truncate)");
    copyFileSync(scene.storeFile(), backup);
    await scene.text(["run", "demo", "a.sh", yes]);
    for (const end of ["-wal", "-shm"]) rmSync(`${scene.storeFile()}${end}`, { force: true });
    copyFileSync(backup, scene.storeFile());
    const { code, data } = await scene.json(["audit", "verify"]);
    expect(code).toBe(7);
    expect(data.problems).toMatchObject([{ code: "log-cut" }]);
  });

  test("verify trusts a key from --key and warns without any key [S-62]", async () => {
    await useSkill();
    const key = join(scene.root(), "their.pub");
    const keys = `${scene.storeFile()}.d`;
    copyFileSync(join(keys, "audit.pub"), key);
    for (const name of ["audit.pub", "audit.key"]) rmSync(join(keys, name));
    const stranger = { env: { XDG_DATA_HOME: join(scene.root(), "stranger") } };
    const store = `sqlite:${scene.storeFile()}`;
    const without = await scene.text(["audit", "verify", "--store", store], stranger);
    expect(without).toMatchObject({ code: 0, err: expect.stringContaining("No key was available") });
    const given = await scene.json(["audit", "verify", "--store", store, "--key", key], stranger);
    expect(given.data).toMatchObject({ isSound: true, isSigned: true });
    expect(await scene.json(["audit", "verify", "--key", "none.pub"])).toMatchObject({ code: 5 });
  });

  test("tail prints the last entries, filtered, as lines or as JSON [S-62]", async () => {
    await useSkill();
    const all = await scene.json(["audit", "tail"]);
    expect(all.data.events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const last = await scene.text(["audit", "tail", "--lines", "2"]);
    expect(last.out).toMatch(/^7 .* skill\.script_executed .*skill=demo.*\n8 .* session\.closed /);
    const some = await scene.json(["audit", "tail", "--type", "run.requested", "--skill", "demo"]);
    expect(some.data.events).toMatchObject([{ seq: 4, event: { args: ["x"] } }]);
    const { session } = some.data.events[0].event;
    const ofSession = await scene.json(["audit", "tail", "--session", session, "--after", "5"]);
    expect(ofSession.data.events).toHaveLength(3);
  });

  test("tail prints one line per entry on a terminal of 80 columns [S-62] [S-60]", async () => {
    await useSkill();
    const { out } = await scene.text(["audit", "tail"], { columns: 80 });
    const lines = stripVTControlCharacters(out).trimEnd().split("\n");
    expect(lines).toHaveLength(8);
    expect(lines.filter((line) => line.length >= 80)).toEqual([]);
    expect(lines[6]).toMatch(/^7 \d{4}-\d\d-\d\d \d\d:\d\d:\d\d skill\.script_executed skill=demo .*…/);
    const { data } = await scene.json(["audit", "tail", "--type", "skill.script_executed"]);
    expect(data.events[0].event.session).toHaveLength(36);
  });

  test("tail --follow runs until it is interrupted [S-62] [S-55]", async () => {
    await useSkill();
    const env = { XDG_DATA_HOME: dirname(dataFolder()), SKILLHOLD_USER: "ann", PATH: process.env["PATH"] };
    const { host, texts, emit } = fakeHost(scene.root(), { env });
    const lines: string[] = [];
    const write = (text: string | Uint8Array) => {
      lines.push(String(text));
      if (String(text).includes("skill.published")) emit("SIGINT");
      return true;
    };
    const stdout = { ...host.stdout, write };
    const following = main(["audit", "tail", "--follow", "--after", "8"], { ...host, stdout });
    scene.skill("other");
    await scene.text(["publish", "other"]);
    expect([await following, texts().err]).toEqual([130, ""]);
    expect(lines.join("")).toMatch(/^9 .* skill\.published skill=other /);
  });

  test("export writes every entry unchanged, and the signed checkpoint [S-62]", async () => {
    await useSkill();
    const { err } = await scene.text(["audit", "export", "--out", "log.jsonl"]);
    expect(err).toBe("8 entries in log.jsonl\n");
    const text = readFileSync(join(scene.root(), "log.jsonl"), "utf8");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(9);
    expect(JSON.parse(lines[3].body)).toMatchObject({ type: "run.requested", args: ["x"] });
    expect(lines[8].note).toMatch(/^skillhold\/[0-9a-f-]{36}\n8\n/);
    expect((await scene.text(["audit", "export"])).out).toBe(text);
    expect((await scene.text(["audit", "export", "--after", "7"])).out.split("\n")).toHaveLength(3);
  });

  test("a second machine is refused until the first trusts its key, and both verify [S-62]", async () => {
    await useSkill();
    scene.skill("other");
    const second = {
      env: {
        XDG_DATA_HOME: join(scene.root(), "second"),
        SKILLHOLD_AUDIT_KEY: join(scene.root(), "two.key"),
      },
    };
    const store = ["--store", `sqlite:${scene.storeFile()}`];
    const publish = async (machine: typeof second) =>
      (await scene.json(["publish", "other", ...store], machine)).data.skills[0];
    const { error } = await publish(second);
    expect(error).toMatchObject({ code: "CONFIG_INVALID" });
    const key = /ed25519:\S+=/.exec(error.hint)?.[0] ?? "";
    expect((await scene.json(["audit", "trust", key])).code).toBe(0);
    expect(await publish(second)).toMatchObject({ status: "published" });
    expect((await scene.json(["audit", "keys"])).data).toMatchObject({ keys: [expect.any(String), key] });
    for (const machine of [undefined, second])
      expect((await scene.json(["audit", "verify", ...store], machine)).data).toMatchObject({
        isSound: true,
        isSigned: true,
      });
    expect((await scene.json(["audit", "revoke", key])).code).toBe(0);
    scene.write("other/more.md", "More.\n");
    expect((await publish(second)).error).toMatchObject({ code: "CONFIG_INVALID" });
    expect((await scene.json(["audit", "trust", "nonsense"])).error).toMatchObject({ code: "USAGE" });
  });

  test("a log whose note was removed accepts no publish until it is adopted [S-62]", async () => {
    await useSkill();
    scene.skill("other");
    change("update audit_head set note = null");
    const refused = await scene.json(["publish", "other"]);
    expect(refused.data.skills).toMatchObject([{ error: { code: "INTEGRITY_FAILED" } }]);
    expect((await scene.json(["audit", "adopt"])).error).toMatchObject({ code: "USAGE" });
    expect((await scene.json(["audit", "adopt", "--yes"])).code).toBe(0);
    expect((await scene.json(["publish", "other"])).code).toBe(0);
    expect((await scene.json(["audit", "verify"])).data).toMatchObject({ isSound: true, isSigned: true });
  });

  test("the key and a second witness can live elsewhere [S-62]", async () => {
    const env = {
      SKILLHOLD_AUDIT_KEY: join(scene.root(), "keys", "log.key"),
      SKILLHOLD_AUDIT_WITNESS: join(scene.root(), "witness.log"),
    };
    scene.skill("other");
    expect((await scene.json(["publish", "other"], { env })).code).toBe(0);
    expect(existsSync(join(`${scene.storeFile()}.d`, "audit.key"))).toBe(false);
    expect(readFileSync(env.SKILLHOLD_AUDIT_WITNESS, "utf8")).toContain("skillhold/");
    expect((await scene.json(["audit", "verify"], { env })).data).toMatchObject({ isSigned: true });
  });

  test("tail suggests a correction for a misspelled type [S-60]", async () => {
    await useSkill();
    expect(await scene.json(["audit", "tail", "--type", "session.opend"])).toMatchObject({
      code: 2,
      error: { code: "USAGE", hint: expect.stringContaining("Did you mean session.opened") },
    });
  });

  test("an empty log has no events to print [S-62]", async () => {
    expect(await scene.json(["audit", "verify"])).toMatchObject({ code: 1, error: { code: "STORE_FAILED" } });
    await scene.text(["approval", "list"]);
    expect(existsSync(scene.storeFile())).toBe(false);
  });
});

describe.runIf(process.platform === "linux")("replay", () => {
  test("replays a run with its original bytes after the skill has changed [S-62]", async () => {
    await useSkill();
    const session = await lastSession();
    const output = await scene.text(["replay", session]);
    expect(output.out).toMatch(/^1 \S+ ran demo scripts\/a\.sh x \(exited 0\) \[\d+ B\]\n$/);
    scene.write("demo/scripts/a.sh", "#!/bin/sh\necho changed\n");
    await scene.text(["publish", "demo"]);
    const later = await scene.text(["replay", session]);
    expect(later.out).toContain("drift demo: used sha256:");
    expect((await scene.text(["replay", session, "1"])).out).toBe('#!/bin/sh\necho "got $*"\n');
    const { data } = await scene.json(["replay", session, "--text"]);
    expect(data.steps).toMatchObject([
      { kind: "run", target: "scripts/a.sh", args: ["x"], wasAllowed: true },
    ]);
    expect(Buffer.from(data.steps[0].script.base64, "base64").toString()).toContain("got $*");
  });

  test("prints the content of the steps only on request [S-62] [S-60]", async () => {
    await useSkill();
    const session = await lastSession();
    const script = '#!/bin/sh\necho "got $*"\n';
    expect((await scene.text(["replay", session])).out).not.toContain("got $*");
    expect((await scene.text(["replay", session, "--text"])).out).toContain(script);
    const { data } = await scene.json(["replay", session]);
    expect(data.steps[0].script).toEqual({ isAvailable: true, size: script.length });
    const { data: step } = await scene.json(["replay", session, "1"]);
    expect(Buffer.from(step.script.base64, "base64").toString()).toBe(script);
  });

  test("reports an unknown session or step [S-62]", async () => {
    await useSkill();
    expect(await scene.json(["replay", "nobody"])).toMatchObject({
      code: 5,
      error: { code: "SESSION_NOT_FOUND", hint: expect.stringContaining("audit tail") },
    });
    expect(await scene.json(["replay", await lastSession(), "9"])).toMatchObject({ code: 2 });
  });
});

/** Records seven entries: publishes a skill and runs one of its scripts. */
async function useSkill(): Promise<void> {
  scene.skill("demo");
  scene.write("demo/scripts/a.sh", '#!/bin/sh\necho "got $*"\n');
  await scene.text(["publish", "demo"]);
  const { code, err } = await scene.text(["run", "demo", "a.sh", yes, "--", "x"]);
  expect(code, err).toBe(0);
}

async function lastSession(): Promise<string> {
  const { data } = await scene.json(["audit", "tail", "--type", "session.opened", "--lines", "1"]);
  return data.events[0].event.session;
}

function dataFolder(): string {
  return dirname(scene.storeFile());
}

/** Edits the store directly, like an attacker with write access to its file. */
function change(script: string): void {
  const database = new DatabaseSync(scene.storeFile());
  database.exec(script);
  database.close();
}
