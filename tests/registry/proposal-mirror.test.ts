import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { ProposalMirror } from "@skillhold/host/gateway";
import { propose, withdrawProposal } from "@skillhold/registry/proposal";
import { expect, test } from "vitest";
import { ada, engines, openScene, skillText } from "./scene.ts";

const DIFF = "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -4,3 +4,3 @@\n ---\n \n-one\n+two";
const FILE = `---\nskill: pdf\n---\n\n## Diff\n\n\`\`\`diff\n${DIFF}\n\`\`\`\n\n## Justification\n\nBetter.\n`;

test.each(engines)(
  "a gateway writes proposals as files and imports dropped files once, on %s [S-49]",
  async (engine) => {
    const scene = await openScene(engine);
    const folder = join(scene.folder, "proposals");
    const timers = new ManualTimers();
    const problems: string[] = [];
    const start = () =>
      new ProposalMirror(
        {
          ...{ folder, timers, author: { user: "ann", role: "agent" } },
          onProblem: (file) => void problems.push(file),
          onError: (error) => void problems.push(String(error)),
        },
        scene.context,
      );
    const files = () => {
      timers.advance(5000);
      mkdirSync(folder, { recursive: true });
      return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    };
    const { treeHash: base } = await scene.publish("pdf", { "SKILL.md": skillText("pdf", "one") });
    const change = { edits: [{ old: "one", new: "three" }] };
    const subject = { kind: "registry", skill: "pdf", base } as const;
    const request = { author: ada, origin: "api", justification: "Other.", subject, change } as const;
    const { id } = await propose(request, scene.context);
    let mirror = start();
    try {
      await expect.poll(files).toEqual([expect.stringContaining('state: "pending"')]);
      await withdrawProposal(id, ada, scene.context);
      await expect.poll(files).toEqual([expect.stringContaining('state: "withdrawn"')]);
      writeFileSync(join(folder, "dropped.md"), FILE.slice(0, 40));
      await expect.poll(() => [files().length, problems]).toEqual([2, ["dropped.md"]]);
      writeFileSync(join(folder, "dropped.md"), FILE);
      const list = () => scene.context.store.listProposals({ limit: 10 });
      const hasDropped = () => readdirSync(folder).includes("dropped.md");
      await expect
        .poll(async () => [files().length, (await list()).length, hasDropped()])
        .toEqual([2, 2, false]);
      expect(await list()).toContainEqual(expect.objectContaining({ origin: "file", state: "pending" }));
      await mirror.close();
      mirror = start();
      await mirror.close();
      expect(await list()).toHaveLength(2);
      expect(problems).toEqual(["dropped.md"]);
    } finally {
      await mirror.close();
      await scene.close();
    }
  },
);
