import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLibrary } from "@skillhold/core/library";
import { systemTimers } from "@skillhold/core/port";
import { nodeHost } from "@skillhold/core/source";
import { layOutForTrials, loopRunner, openAiModel, runTriggers } from "@skillhold/eval";
import { startModelServer } from "@skillhold/testing";
import { compare } from "./measure.ts";

const DISTRACTORS = 20;
const ROUNDS = 40;

/** What a trial costs beside its model: one trial of one model call against the same call bare. */
export async function benchEval(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "skillhold-bench-eval-"));
  const server = await startModelServer(() => ({ text: "Done." }));
  try {
    const ids = Array.from({ length: DISTRACTORS + 1 }, (_, index) => `skill-${index}`);
    for (const id of ids) {
      mkdirSync(join(root, "skills", id), { recursive: true });
      const text = `---\nname: ${id}\ndescription: Does the task number ${id} well.\n---\n${"A line of text.\n".repeat(100)}`;
      writeFileSync(join(root, "skills", id, "SKILL.md"), text);
    }
    const host = nodeHost({ env: {}, platform: process.platform, cwd: root });
    const source = { label: "bench", kind: "workspace", trust: "user", root: join(root, "skills") } as const;
    const library = await openLibrary({ sources: [source], host });
    const skills = await layOutForTrials(ids, join(root, "laid-out"), {
      library,
      viewer: { runtime: "bench" },
    });
    await library.close();
    const timers = systemTimers;
    const model = openAiModel({ baseUrl: `${server.url}/v1`, model: "fake" }, { fetch, timers });
    const { signal } = new AbortController();
    const turn = { system: "", messages: [{ role: "user", text: "Hi" } as const], tools: [], maxTokens: 100 };
    const request = {
      skill: "skill-0",
      queries: [{ query: "Hi", shouldTrigger: true }],
      skills,
      runs: 1,
      limits: { maxTurns: 5, maxTokens: 1_000_000, timeoutMs: 60_000 },
      budget: {},
      parallel: 1,
      place: join(root, "trials"),
      signal,
    };
    const trial = () => runTriggers(request, { runner: loopRunner(model), timers });
    const [bare = 0, whole = 0] = await compare([() => model.complete(turn, signal), trial], ROUNDS);
    console.log(
      `eval: bare call ${bare.toFixed(1)} ms, trial among ${DISTRACTORS} skills ${whole.toFixed(1)} ms, added ${(whole - bare).toFixed(1)} ms`,
    );
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}
