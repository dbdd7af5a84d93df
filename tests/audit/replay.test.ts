import { type Library, openMemoryLibrary } from "@skillhold/core/library";
import { openSession, type Session } from "@skillhold/core/session";
import { bareHost, fixturePorts } from "@skillhold/core/test/session/session.fixture";
import {
  type Recovered,
  RegistryAudit,
  type Replay,
  type ReplayedActivation,
  replaySession,
} from "@skillhold/registry/audit";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { editSkill, purgeSkill, rollback, sweepStore } from "@skillhold/registry/release";
import { fixedAsker, fixtureRuns } from "@skillhold/sandbox/test/run/run.fixture";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, engines, openScene, type Scene, skillText } from "../registry/scene.ts";

const SCRIPT = '#!/bin/sh\necho "hello $1"\n';
const REFERENCE = "Grüße und größere Wörter.\n".repeat(20);
const viewer = { runtime: "test", user: "ada" };

const demo = (line: string) => ({
  "SKILL.md": skillText("demo", `${line} Say $ARGUMENTS.`),
  "scripts/hello.sh*": SCRIPT,
  "references/words.md": REFERENCE,
  "examples/one.md": `Example: ${line}`,
  "references/picture.bin": Uint8Array.of(0, 255, 1, 254),
});

describe.each(engines)("a session replayed from the log, on %s", (engine) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(engine);
  });
  afterEach(() => scene.close());

  test("has the original bytes after later releases, rollbacks and edits [S-62] [S-25]", async () => {
    await scene.publish("demo", demo("First."));
    const seen = await withSession(registryLibrary(), async (session) => {
      const first = await session.activate("demo", { args: "good morning" });
      const part = await session.resource("demo", "references/words.md", { start: 6, length: 18 });
      await scene.publish("demo", demo("Second."));
      const second = await session.activate("demo");
      const binary = await session.resource("demo", "references/picture.bin");
      const run = await session.run("demo", "hello.sh", { args: ["ada"] });
      await session.close();
      return { id: session.id, first, part, second, binary, run };
    });
    await scene.publish("demo", demo("Third."));
    await rollback("demo", 1, { by: ada }, scene.context);
    await editSkill("demo", { name: "Another name" }, { by: ada }, scene.context);
    const replay = await replaySession(seen.id, scene.context);
    expect(replay).toMatchObject({ opened: { runtime: "test", user: "ada" } });
    expect(replay.closedAt).toBeDefined();
    const [first, part, second, binary, run] = replay.steps;
    expect(texts(first)).toEqual([seen.first.text, skillText("demo", "First. Say $ARGUMENTS.")]);
    expect(first).toMatchObject({ kind: "activation", revision: 1, args: "good morning" });
    expect(part?.kind === "read" && text(part.content)).toBe(seen.part.content);
    expect(seen.part.content).toBe("e und größere W");
    expect(texts(second)).toEqual([seen.second.text, skillText("demo", "Second. Say $ARGUMENTS.")]);
    expect(binary?.kind === "read" && bytes(binary.content)).toEqual(Buffer.from([0, 255, 1, 254]));
    expect(run).toMatchObject({
      kind: "run",
      target: "scripts/hello.sh",
      args: ["ada"],
      wasAllowed: true,
      end: { outcome: "exited", exitCode: 0 },
    });
    expect(run?.kind === "run" && text(run.script)).toBe(SCRIPT);
    expect(seen.run.stdout).toBe("hello ada\n");
    expect(replay.drift).toEqual([{ skill: "demo", used: seen.second.treeHash, now: seen.first.treeHash }]);
  });

  test("reproduces the text for an agent with files, for a renamed skill and with warnings [S-62]", async () => {
    const needs = { "required-skills": "nothing-there", metadata: "x" };
    await scene.publish("demo", { ...demo("A."), "SKILL.md": skillText("demo", "Use {baseDir}.", needs) });
    await editSkill("demo", { name: "Shown name" }, { by: ada }, scene.context);
    const { id, given } = await withSession(
      registryLibrary({ copies: `${scene.folder}/copies` }),
      async (session) => {
        const given = await session.activate("demo");
        return { id: session.id, given };
      },
      { hasFileSystem: true },
    );
    expect(given.text).toContain(`${scene.folder}/copies`);
    expect(given.text).toContain("Shown name");
    const [step] = (await replaySession(id, scene.context)).steps;
    expect(texts(step)[0]).toBe(given.text);
  });

  test("names purged and changed content with the reason [S-62]", async () => {
    await scene.publish("demo", demo("First."));
    const id = await withSession(registryLibrary(), async (session) => {
      await session.activate("demo");
      await session.resource("demo", "references/words.md");
      return session.id;
    });
    await scene.publish("demo", demo("Second."));
    scene.pass(1000);
    await purgeSkill("demo", { by: ada, keep: 1, graceMs: 0 }, scene.context);
    const purged = await replaySession(id, scene.context);
    expect(reasons(purged)).toEqual(["purged", "purged"]);
    expect(purged.drift).toHaveLength(1);
    await sweepStore({}, scene.context);
    expect(reasons(await replaySession(id, scene.context))).toEqual(["purged", "purged"]);
  });

  test("of a folder skill reports that it was never stored, and drift against the current folder [S-62]", async () => {
    const memory = (line: string) =>
      openMemoryLibrary(
        [{ folder: "local", files: { "SKILL.md": skillText("local", line) }, trust: "user" }],
        {
          host: bareHost,
        },
      );
    const { id, hash } = await withSession(
      async () => memory("Then."),
      async (session) => {
        const { treeHash } = await session.activate("local");
        return { id: session.id, hash: treeHash };
      },
    );
    const today = (library: Library) => async (skill: string) => (await library.read(viewer, skill)).treeHash;
    const same = await replaySession(id, { ...scene.context, current: today(memory("Then.")) });
    expect(reasons(same)).toEqual(["not-stored"]);
    expect(same.drift).toEqual([]);
    const changed = await replaySession(id, { ...scene.context, current: today(memory("Now.")) });
    expect(changed.drift).toMatchObject([{ skill: "local", used: hash }]);
    expect((await replaySession(id, scene.context)).drift).toEqual([
      { skill: "local", used: hash, now: undefined },
    ]);
  });

  test("shows a denied run as never started [S-62] [S-29]", async () => {
    await scene.publish("demo", demo("First."));
    const id = await withSession(
      registryLibrary(),
      async (session) => {
        await expect(session.run("demo", "hello.sh")).rejects.toMatchObject({ code: "APPROVAL_DENIED" });
        return session.id;
      },
      {},
      "deny",
    );
    const { steps } = await replaySession(id, scene.context);
    expect(steps).toMatchObject([{ kind: "run", wasAllowed: false, end: undefined }]);
  });

  test("throws for an unknown session [S-62]", async () => {
    await expect(replaySession("no such", scene.context)).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
  });

  const registryLibrary =
    (options: { copies?: string } = {}) =>
    () =>
      openRegistryLibrary({ host: bareHost, ...options }, scene.context);

  async function withSession<T>(
    open: () => Promise<Library>,
    use: (session: Session) => Promise<T>,
    options: { hasFileSystem?: boolean } = {},
    answer: "once" | "deny" = "once",
  ): Promise<T> {
    const library = await open();
    const audit = new RegistryAudit(scene.context.store);
    const ids = { next: () => scene.context.ids.next() };
    const runs = fixtureRuns({ asker: fixedAsker(answer) });
    const session = await openSession(library, viewer, { ...fixturePorts(), ids, audit, runs }, options);
    try {
      return await use(session);
    } finally {
      await session.close();
      await audit.close();
      await library.close();
    }
  }
});

function bytes(recovered: Recovered): Uint8Array {
  if (!recovered.isAvailable) throw new Error(`${recovered.reason}: ${recovered.message}`);
  return recovered.bytes;
}

function text(recovered: Recovered): string {
  return Buffer.from(bytes(recovered)).toString();
}

/** The delivered text and SKILL.md. */
function texts(step: Replay["steps"][number] | undefined): readonly string[] {
  // Another kind of step has no text and fails here.
  const { text: given, skillFile } = step as ReplayedActivation;
  return [text(given), text(skillFile)];
}

function reasons({ steps }: Replay): readonly (string | undefined)[] {
  const parts = steps.map((step) =>
    step.kind === "activation" ? step.text : step.kind === "read" ? step.content : step.script,
  );
  return parts.map((part) => (part.isAvailable ? undefined : part.reason));
}
