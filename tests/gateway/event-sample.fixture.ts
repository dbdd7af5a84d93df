import { SkillEvent } from "@skillhold/protocol";

type Samples = { readonly [T in SkillEvent["type"]]: Omit<Extract<SkillEvent, { type: T }>, "type" | "at"> };

/** A marker in every personal field of these events: names, agents, sessions, tokens, paths and texts. */
export const MARK = "mark";

const hash = `sha256:${"0".repeat(64)}`;
const by = { user: "mark-user", agent: "mark-agent", role: "admin" };
const mounts = [{ source: "/mark/folder", target: "/data", isWritable: false }];

/** One event of each type, about a skill and in a session. */
export function sampleEvents(skill: string, session: string): readonly SkillEvent[] {
  const about = { skill, hash };
  const inSession = { ...about, session };
  const reach = { network: "none", mounts, secrets: [], sandbox: "bubblewrap" };
  const inRun = { ...inSession, run: "run", target: "scripts/a.py" };
  const asked = { ...inRun, act: "run_script", ...reach };
  const grantee = { kind: "user", key: "mark-grantee" };
  const provenance = { source: "archive", origin: "mark.zip", originUrl: "https://mark.test", by, at: AT };
  const byProposal = { ...about, by, proposal: "mark-proposal" };
  const samples = {
    "session.opened": { session, runtime: "test", user: "mark-user", agent: "mark-agent" },
    "session.closed": { session },
    "skill.discovered": { skill, skillHash: hash, source: "mark", trust: "user", path: "/mark" },
    "skill.shadowed": { skill, source: "mark", path: "/mark", by: { source: "mark", path: "/mark" } },
    "skill.activated": { ...inSession, skillHash: hash, source: "registry", trust: "user", invoker: "model" },
    "skill.deactivated": inSession,
    "skill.resource_read": { ...inSession, path: "a.md", digest: hash, start: 0, length: 1 },
    "skill.served": { ...about, digest: hash, bytes: 1, by },
    "run.requested": { ...inRun, trust: "user", args: [], ...reach },
    "run.approved": { ...inRun, rule: "user-asks", by: "mark-user", approval: "approval" },
    "skill.script_executed": {
      ...inRun,
      exitCode: 0,
      outcome: "exited",
      durationMs: 1,
      outputBytes: 1,
      files: 0,
      sandbox: "bubblewrap",
      enforced: {},
    },
    "skill.tool_called": {
      ...inRun,
      isError: false,
      outcome: "exited",
      durationMs: 1,
      sandbox: "bubblewrap",
    },
    "skill.deps_installed": { ...inSession, run: "run", scope: "skill", results: [] },
    "approval.asked": {
      ...asked,
      question: "question",
      trust: "user",
      args: [],
      rule: "user-asks",
      reason: "It asks.",
      reasons: [],
      expiresAt: AT,
    },
    "approval.answered": { question: "mark-question", answer: "approve", scope: "once", by },
    "approval.used": { question: "question", session: asked.session, run: asked.run },
    "approval.granted": { ...asked, approval: "approval", scope: "once", by: "mark-user", expiresAt: AT },
    "approval.denied": { ...asked, by: "mark-user" },
    "approval.revoked": { skill, by, approval: "mark-approval", target: "scripts/a.py" },
    "secret.set": { skill, by, name: "MARK_KEY", agent: "mark-agent" },
    "secret.removed": { skill, by, name: "MARK_KEY", agent: "mark-agent" },
    "skill.denied": { session, skill, act: "activate", reason: "no-grant", message: "mark: not granted." },
    "skill.published": {
      skill,
      by,
      revision: 1,
      hash,
      skillHash: hash,
      trust: "user",
      visibility: "public",
      status: "active",
      provenance,
    },
    "skill.rolled_back": { skill, by, from: 2, revision: 1, hash },
    "skill.deleted": { skill, by, revision: 1 },
    "skill.restored": { skill, by, revision: 1 },
    "skill.purged": { skill, by, revisions: [1] },
    "skill.edited": { skill, by, fields: ["name"], visibility: "public" },
    "skill.status_changed": { skill, by, status: "archived", reason: "mark left", missing: [] },
    "skill.toggled": { skill, by, isEnabled: true, scope: "registry" },
    "grant.given": { skill, by, grantee, canManage: false, visibility: "public" },
    "skill.approvers_changed": { skill, by, approvers: ["mark-user"] },
    "grant.revoked": { skill, by, grantee, visibility: "public" },
    "agent.added": { by, agent: "mark-agent" },
    "agent.changed": { by, agent: "mark-agent" },
    "agent.removed": { by, agent: "mark-agent" },
    "token.issued": {
      by,
      token: "mark-token",
      kind: "api",
      role: "viewer",
      user: "mark-user",
      expiresAt: AT,
    },
    "token.revoked": { by, token: "mark-token" },
    "passkey.added": { by, user: "mark-user", passkey: "mark-passkey" },
    "passkey.removed": { by, user: "mark-user", passkey: "mark-passkey" },
    "identity.linked": { by, user: "mark-user", issuer: "mark-issuer" },
    "user.changed": { by, user: "mark-user", role: "viewer", isActive: false },
    "guard.blocked": { skill, by, hash, engine: "1", rules: ["mark-rule"] },
    "grant.requested": { skill, by, grantee: { kind: "agent", key: "mark-agent" }, canManage: false },
    "grant.declined": { skill, by, grantee: { kind: "agent", key: "mark-agent" } },
    "audit.key_changed": { by, key: `ed25519:${"A".repeat(43)}=`, change: "added" },
    "audit.pruned": { by, before: AT, count: 2, ranges: [{ first: 1, last: 2 }] },
    "eval.recorded": { skill, by, report: "mark-report", kind: "offline", hash, revision: 1 },
    "guard.waived": {
      skill,
      by,
      waiver: "mark-waiver",
      rule: "mark-rule",
      file: "mark-file",
      contentHash: hash,
      reason: "mark-reason",
    },
    "workspace.changed": { by, agent: "mark-agent", parent: "mark-parent", url: "https://mark.test" },
    "workspace.card_updated": { by, agent: "mark-agent", card: hash, skills: ["mark-skill"] },
    "workspace.status_changed": { by, agent: "mark-agent", status: "online" },
    "workspace.task_changed": { by, agent: "mark-agent", task: "mark-task" },
    "workspace.activity": {
      by,
      agent: "mark-agent",
      activity: "mark-activity",
      kind: "mark",
      summary: "mark-summary",
      body: "{}",
    },
    "webhook.changed": { by, webhook: "mark-webhook", name: "mark-name", change: "added" },
    "proposal.created": { ...byProposal, state: "pending", kind: "update", session: "mark-session" },
    "proposal.reviewed": { ...byProposal, state: "approved", decision: "approve" },
    "proposal.withdrawn": { ...byProposal, state: "withdrawn" },
    "proposal.stale": { ...byProposal, state: "stale" },
    "proposal.rebased": { ...byProposal, state: "pending" },
    "proposal.applied": { ...byProposal, state: "applied", revision: 2 },
    "guard.rescanned": { skill, by, revision: 1, hash, engine: "1", verdict: "clean" },
  } satisfies Record<keyof Samples, object>;
  return Object.entries(samples).map(([type, fields]) => SkillEvent.parse({ type, at: AT, ...fields }));
}

const AT = "2026-01-01T00:00:00.000Z";
