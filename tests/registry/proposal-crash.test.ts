import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fsck } from "@skillhold/registry/fsck";
import { propose, reviewProposal } from "@skillhold/registry/proposal";
import { expect, test } from "vitest";
import { ada, admin, engines, openScene, type Scene, skillText } from "./scene.ts";

const program = fileURLToPath(new URL("proposal-applier.ts", import.meta.url));
const run = promisify(execFile);

/** Applies in another process, which kills itself at a step; 0 completes. */
async function applyAt({ url }: Scene, proposal: string, step: number) {
  const args = ["--conditions=@skillhold/source", program, url, proposal, String(step)];
  try {
    const { stdout } = await run(process.execPath, args);
    return JSON.parse(stdout) as { readonly isNew: boolean; readonly steps: number };
  } catch (error) {
    expect(error).toMatchObject({ signal: "SIGKILL" });
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
      expect(await applyAt(scene, whole, 0)).toMatchObject({ isNew: false });
      expect(await look(scene, whole, "whole")).toEqual(after);
      const seen = new Set<string>();
      for (let step = 1; step <= steps; step += 1) {
        const skill = `killed-${step}`;
        const id = await approved(skill);
        expect(await applyAt(scene, id, step)).toBeUndefined();
        const left = await look(scene, id, skill);
        expect([before, after]).toContainEqual(left);
        seen.add(left.state ?? "");
        expect(await applyAt(scene, id, 0)).toMatchObject({ isNew: left.state === "approved" });
        expect(await look(scene, id, skill)).toEqual(after);
      }
      expect([...seen].toSorted()).toEqual(["applied", "approved"]);
      expect((await fsck({}, scene.context)).isClean).toBe(true);
    } finally {
      await scene.close();
    }
  },
);
