import type { StoredEvent } from "@skillhold/core/registry";
import { Digest, SkillId } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { GatewayMetrics } from "./gateway-metrics.ts";
import { UsageFeed } from "./usage-feed.ts";

function scene() {
  const asked = { times: 0 };
  const metrics = new GatewayMetrics({
    usage: new UsageFeed(() => {}),
    listPublic: async () => {
      asked.times += 1;
      return new Set<string>();
    },
    countSkills: async () => 0,
    countQuestions: async () => 0,
    countSockets: () => 0,
  });
  return { metrics, asked };
}

test("all counters of a reading come from one look at what is public [S-63]", async () => {
  const { metrics, asked } = scene();
  await metrics.read();
  expect(asked.times).toBe(1);
  await metrics.read();
  expect(asked.times).toBe(2);
});

const run = (seq: number, exitCode: number, outcome: "exited" | "timed_out"): StoredEvent => ({
  seq,
  event: {
    type: "skill.script_executed",
    at: "2026-11-16T00:00:00.000Z",
    session: "s",
    skill: SkillId.parse("pdf"),
    hash: Digest.parse(`sha256:${"0".repeat(64)}`),
    run: "r",
    target: "a.sh",
    exitCode,
    outcome,
    durationMs: 200,
    outputBytes: 0,
    files: 0,
    sandbox: "bubblewrap",
    enforced: {},
  },
});

test("how long scripts took is told by how they ended [S-63]", async () => {
  const { metrics } = scene();
  metrics.add(run(1, 0, "exited"));
  metrics.add(run(2, 1, "exited"));
  metrics.add(run(3, 1, "timed_out"));
  const text = await metrics.read();
  const counts = [...text.matchAll(/^skillhold_run_duration_seconds_count\{(.*)\} (\d+)$/gm)];
  expect(counts.map(([, labels, count]) => `${labels} ${count}`)).toEqual([
    'kind="script",outcome="exited" 1',
    'kind="script",outcome="failed" 1',
    'kind="script",outcome="timed_out" 1',
  ]);
  expect(text).toContain('le="0.1",kind="script",outcome="failed"} 0');
  expect(text).toContain('le="0.25",kind="script",outcome="failed"} 1');
});
