import { Digest, SkillId } from "@skillhold/protocol";
import type { StoredEvent } from "@skillhold/registry/record";
import { expect, test } from "vitest";
import { GatewayMetrics } from "./gateway-metrics.ts";

function scene() {
  const asked = { times: 0 };
  const metrics = new GatewayMetrics({
    listSkills: async () => {
      asked.times += 1;
      return [
        { id: "pdf", isPublic: true, status: "archived", isEnabled: true, missing: 2 },
        { id: "mine", isPublic: false, status: "active", isEnabled: true, missing: 1 },
        { id: "ours", isPublic: false, status: "active", isEnabled: true, missing: 3 },
        { id: "off", isPublic: false, status: "active", isEnabled: false, missing: 0 },
      ];
    },
    countTokens: async () => 77,
    countQuestions: async () => 0,
    countSockets: () => 0,
  });
  return { metrics, asked };
}

test("one scrape reads the skills once [S-63]", async () => {
  const { metrics, asked } = scene();
  await metrics.read("all");
  expect(asked.times).toBe(1);
  await metrics.read("all");
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

test("script durations are labeled by outcome [S-63]", async () => {
  const { metrics } = scene();
  metrics.add(run(1, 0, "exited"));
  metrics.add(run(2, 1, "exited"));
  metrics.add(run(3, 1, "timed_out"));
  const text = await metrics.read("all");
  const counts = [...text.matchAll(/^skillhold_script_duration_seconds_count\{(.*)\} (\d+)$/gm)];
  expect(counts.map(([, labels, count]) => `${labels} ${count}`)).toEqual([
    'outcome="ok" 1',
    'outcome="failed" 1',
    'outcome="timed_out" 1',
  ]);
  expect(text).toContain('le="0.1",outcome="failed"} 0');
  expect(text).toContain('le="0.25",outcome="failed"} 1');
});

test("script runs are counted by skill, runtime and outcome [S-63]", async () => {
  const { metrics } = scene();
  metrics.add(run(1, 0, "exited"));
  metrics.add(run(2, 0, "exited"));
  metrics.add(run(3, 1, "timed_out"));
  const text = await metrics.read("all");
  expect(text).toContain('skillhold_script_runs_total{skill="pdf",runtime="shell",outcome="ok"} 2');
  expect(text).toContain('skillhold_script_runs_total{skill="pdf",runtime="shell",outcome="timed_out"} 1');
});

const denied = (seq: number, skill: string): StoredEvent => ({
  seq,
  event: {
    type: "skill.denied",
    at: "2026-11-16T00:00:00.000Z",
    session: "s",
    skill,
    act: "activate",
    reason: "SKILL_NOT_FOUND",
    message: "There is none.",
  },
});

test("denials are counted, and unknown ids are not stored [S-63]", async () => {
  const { metrics } = scene();
  metrics.add(run(1, 0, "exited"));
  metrics.add(denied(2, "pdf"));
  metrics.add(denied(3, "made-up"));
  const text = await metrics.read("all");
  for (const skill of ["pdf", "other"]) {
    expect(text).toContain(`skillhold_skill_denials_total{skill="${skill}",act="activate"} 1`);
    expect(text).toContain(
      `skillhold_skill_activations_total{skill="${skill}",source="none",outcome="denied"} 1`,
    );
  }
  expect(text).not.toContain("made-up");
});

test("skills are counted by state, and missing dependencies are labeled only for public skills [S-63]", async () => {
  const { metrics } = scene();
  metrics.noteReload(20);
  const text = await metrics.read("all");
  for (const line of [
    'skillhold_catalog_skills{status="archived",enabled="true"} 1',
    'skillhold_catalog_skills{status="active",enabled="true"} 2',
    'skillhold_catalog_skills{status="active",enabled="false"} 1',
    'skillhold_dep_missing{skill="pdf"} 2',
    'skillhold_dep_missing{skill="other"} 4',
    "skillhold_catalog_tokens 77",
    "skillhold_reload_duration_seconds_count 1",
  ])
    expect(text.split("\n")).toContain(line);
});

test("measures scans of the content guard by verdict, for administrators only [S-52] [S-63]", async () => {
  const { metrics } = scene();
  metrics.noteGuard(30, "clean");
  metrics.noteGuard(2000, "failed");
  metrics.add({
    seq: 1,
    event: {
      type: "guard.blocked",
      at: "2026-11-16T00:00:00.000Z",
      skill: SkillId.parse("pdf"),
      by: { user: "ada", role: "publisher" },
      hash: Digest.parse(`sha256:${"0".repeat(64)}`),
      engine: "1",
      rules: ["flow-secret-network"],
    },
  });
  const text = await metrics.read("all");
  for (const line of [
    'skillhold_guard_scan_duration_seconds_count{verdict="clean"} 1',
    'skillhold_guard_scan_duration_seconds_bucket{le="0.05",verdict="clean"} 1',
    'skillhold_guard_scan_duration_seconds_count{verdict="failed"} 1',
    'skillhold_guard_blocks_total{skill="pdf"} 1',
  ])
    expect(text).toContain(line);
  expect(await metrics.read("public")).not.toContain("guard_scan");
});
