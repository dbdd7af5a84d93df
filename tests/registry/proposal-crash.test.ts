import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runMain } from "@skillhold/cli/test/fake-host";
import { fsck } from "@skillhold/registry/fsck";
import { applyProposal, propose, reviewProposal } from "@skillhold/registry/proposal";
import { stageFolder } from "@skillhold/registry/release";
import { afterEach, expect, test } from "vitest";
import { ServeScene } from "../gateway/serve.fixture.ts";
import { ada, admin, engines, openScene, type Scene, skillText, writeSkill } from "./scene.ts";

const program = fileURLToPath(new URL("proposal-applier.ts", import.meta.url));
const killer = fileURLToPath(new URL("../install/kill-step.fixture.ts", import.meta.url));
const run = promisify(execFile);

const asAnn = { env: { SKILLHOLD_USER: "ann" } };
const commands = new ServeScene();
afterEach(() => commands.close());

/** The process is killed just before its n-th change of a file below a folder. */
interface FileKill {
  readonly folder: string;
  readonly step: number;
}

/** Applies in another process, which kills itself at a step; 0 completes. */
async function applyAt({ url }: Scene, proposal: string, step: number, kill?: FileKill) {
  const preload = kill === undefined ? [] : [`--import=${killer}`];
  const args = ["--conditions=@skillhold/source", ...preload, program, url, proposal, String(step)];
  const env = { ...process.env, KILL_FOLDER: kill?.folder, KILL_STEP: String(kill?.step) };
  try {
    const { stdout } = await run(process.execPath, args, { env });
    return JSON.parse(stdout) as { readonly isNew: boolean; readonly steps: number };
  } catch (error) {
    expect(error, String(error)).toMatchObject({ signal: "SIGKILL" });
    return undefined;
  }
}

/** The proposal and the skill, which must both show the application or both not. */
async function look({ context: { store } }: Scene, id: string, skill: string) {
  const proposal = await store.findProposal(id);
  const stored = await store.findSkill(skill);
  const revisions = await store.listRevisions(stored?.uid ?? "");
  const events = await store.eventsAfter(0, 10_000);
  const applied = events.filter(({ event }) => event.type === "proposal.applied" && event.proposal === id);
  return {
    state: proposal?.state,
    revision: stored?.revision,
    count: revisions.length,
    events: applied.length,
  };
}

const before = { state: "approved", revision: 1, count: 1, events: 0 };
const after = { state: "applied", revision: 2, count: 2, events: 1 };

test.each(engines)(
  "a proposal whose applier is killed at any step is applied whole or not at all, on %s [S-49]",
  async (engine) => {
    const scene = await openScene(engine);
    try {
      const approved = async (skill: string) => {
        const { treeHash: base } = await scene.publish(skill, { "SKILL.md": skillText(skill, "one") });
        const { id } = await propose(
          {
            author: ada,
            origin: "api",
            justification: "Better.",
            subject: { kind: "registry", skill, base },
            change: { edits: [{ old: "one", new: "two" }] },
          },
          scene.context,
        );
        await reviewProposal(id, { by: admin, decision: "approve" }, scene.context);
        return id;
      };
      const whole = await approved("whole");
      const { steps = 0 } = (await applyAt(scene, whole, 0)) ?? {};
      expect(steps).toBeGreaterThan(8);
      expect(await applyProposal(whole, admin, scene.context)).toMatchObject({ isNew: false });
      expect(await look(scene, whole, "whole")).toEqual(after);
      const seen = new Set<string>();
      for (let step = 1; step <= steps; step += 1) {
        const skill = `killed-${step}`;
        const id = await approved(skill);
        expect(await applyAt(scene, id, step)).toBeUndefined();
        const left = await look(scene, id, skill);
        expect([before, after]).toContainEqual(left);
        seen.add(left.state ?? "");
        const again = await applyProposal(id, admin, scene.context);
        expect(again).toMatchObject({ isNew: left.state === "approved" });
        expect(await look(scene, id, skill)).toEqual(after);
      }
      expect([...seen].toSorted()).toEqual(["applied", "approved"]);
      expect((await fsck({}, scene.context)).isClean).toBe(true);
    } finally {
      await scene.close();
    }
  },
);

/** A proposal for a folder whose application is killed before the n-th change of a file there. */
async function killFolder(scene: Scene, step: number) {
  const { context } = scene;
  const skill = `local-${step}`;
  const root = join(scene.folder, `skills-${step}`);
  const text = (word: string) => ({ "SKILL.md": skillText(skill, word), "a.md": word });
  const folder = writeSkill(root, skill, { ...text("old"), ".git/HEAD": "kept" });
  const { id: name, files } = await stageFolder(folder, { within: folder }, context.limits);
  const { id } = await propose(
    {
      ...{ author: ada, origin: "api", justification: "Better." },
      subject: { kind: "folder", skill: name, folder, files },
      change: { files: Object.entries(text("new")).map(([path, content]) => ({ path, content })) },
    },
    context,
  );
  await reviewProposal(id, { by: admin, decision: "approve" }, context);
  const isWhole = (await applyAt(scene, id, 0, { folder: root, step })) !== undefined;
  return {
    ...{ id, isWhole, isMissing: !existsSync(folder) },
    /** The version of the folder, which must be whole and alone. */
    version: () => {
      const word = readFileSync(join(folder, "a.md"), "utf8");
      expect(readFileSync(join(folder, "SKILL.md"), "utf8")).toBe(text(word)["SKILL.md"]);
      expect(readFileSync(join(folder, ".git/HEAD"), "utf8")).toBe("kept");
      expect(readdirSync(root)).toEqual([skill]);
      return word;
    },
  };
}

test("a folder whose proposal is being applied at a kill is whole after the next command or start [S-49]", async () => {
  const scene = await openScene("sqlite");
  try {
    let missing: number | undefined;
    for (let step = 1, isWhole = false; !isWhole; step += 1) {
      expect(step).toBeLessThan(100);
      const killed = await killFolder(scene, step);
      ({ isWhole } = killed);
      if (killed.isMissing) missing = step;
      expect(await runMain(["proposal", "list", "--store", scene.url], scene.folder, asAnn)).toMatchObject({
        code: 0,
      });
      expect(killed.isMissing ? ["old"] : ["old", "new"]).toContain(killed.version());
      const again = await applyProposal(killed.id, admin, scene.context);
      expect(again).toMatchObject({ isNew: !isWhole });
      expect(killed.version()).toBe("new");
    }
    if (missing === undefined) throw new Error("No kill came between the two renames.");
    await rm(join(scene.folder, `skills-${missing}`), { recursive: true });
    const again = await killFolder(scene, missing);
    expect(again.isMissing).toBe(true);
    const gateway = await commands.serve(["--no-seed", "--store", scene.url]);
    expect(again.version()).toBe("old");
    await gateway.command.terminate();
  } finally {
    await scene.close();
  }
});
