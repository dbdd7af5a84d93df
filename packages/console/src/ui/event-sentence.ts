import type { SignInMethod, SkillEvent } from "@skillhold/protocol";
import type { Tone } from "./badge.tsx";

/** What an event says, for a person: who, and what. */
export interface EventSentence {
  readonly text: string;
  readonly tone: Tone;
  /** Who did it, where someone did. */
  readonly who: string | undefined;
}

type Of<T extends SkillEvent["type"]> = Extract<SkillEvent, { readonly type: T }>;
type Writer<T extends SkillEvent["type"]> = (event: Of<T>) => readonly [string, Tone];
type Writers = { readonly [T in SkillEvent["type"]]: Writer<T> };

const acts: Readonly<Record<string, string>> = {
  activate: "load it",
  read_resource: "read a file",
  run_script: "run a script",
  call_tool: "call a tool",
  shell_in_prompt: "run a command",
  install: "install something",
  use_tool: "use a tool",
  publish: "publish it",
  propose: "propose a change",
};

type Decision = Of<"proposal.reviewed">["decision"];

const reviewed: Readonly<Record<Decision, string>> = {
  approve: "approved a proposal for",
  reject: "rejected a proposal for",
  request_changes: "requested changes of a proposal for",
  comment: "commented on a proposal for",
};
const decisionTones: Readonly<Record<Decision, Tone>> = {
  approve: "good",
  reject: "bad",
  request_changes: "warn",
  comment: "neutral",
};

/** One entry per event type: a new type does not compile without its sentence. */
const writers: Writers = {
  "session.opened": ({ runtime }) => [`opened a session in ${runtime}`, "neutral"],
  "session.closed": () => ["closed the session", "neutral"],
  "skill.discovered": ({ skill, source }) => [`${skill} was found in ${source}`, "neutral"],
  "skill.shadowed": ({ skill, source, by }) => [`${skill} of ${source} is shadowed by ${by.source}`, "warn"],
  "skill.activated": ({ skill, revision }) => [`loaded ${skill}${at(revision)}`, "good"],
  "skill.deactivated": ({ skill }) => [`unloaded ${skill}`, "neutral"],
  "skill.resource_read": ({ skill, path }) => [`read ${path} of ${skill}`, "neutral"],
  "skill.served": ({ skill, path }) => [
    `was sent ${path === undefined ? skill : `${path} of ${skill}`}`,
    "neutral",
  ],
  "run.requested": ({ skill, target }) => [`requested to run ${target} of ${skill}`, "info"],
  "run.approved": ({ skill, target, rule }) => [
    `${target} of ${skill} was allowed by the rule ${rule}`,
    "info",
  ],
  "skill.script_executed": ({ skill, target, outcome, exitCode }) =>
    outcome === "exited"
      ? [`ran ${target} of ${skill}, exit ${exitCode}`, exitCode === 0 ? "good" : "bad"]
      : [`ran ${target} of ${skill}: ${words(outcome)}`, "bad"],
  "skill.tool_called": ({ skill, target, isError, outcome }) => {
    const isBad = isError || outcome !== "exited";
    return [`called ${target} of ${skill}${isBad ? ", which failed" : ""}`, isBad ? "bad" : "good"];
  },
  "skill.deps_installed": ({ skill, results }) => {
    const failed = results.filter(({ status }) => status === "failed").length;
    const number = results.length === 1 ? "1 dependency" : `${results.length} dependencies`;
    return failed === 0
      ? [`installed ${number} for ${skill}`, "good"]
      : [`could not install ${failed} of ${number} for ${skill}`, "bad"];
  },
  "approval.asked": ({ skill, target }) => [`needs approval to run ${target} of ${skill}`, "warn"],
  "approval.answered": ({ answer }) => [answered(answer), answer === "approve" ? "good" : "neutral"],
  "approval.used": () => ["used an approval", "neutral"],
  "approval.granted": ({ skill, target, scope }) => [
    `approved ${target} of ${skill}, ${scope === "once" ? "once" : "for this content"}`,
    "good",
  ],
  "approval.denied": ({ skill, target }) => [`denied ${target} of ${skill}`, "bad"],
  "approval.revoked": ({ skill, target }) => [`revoked the approval of ${target} of ${skill}`, "warn"],
  "secret.set": ({ skill, name, agent }) => [
    `set the secret ${name} of ${skill}${forAgent(agent)}`,
    "accent",
  ],
  "secret.removed": ({ skill, name, agent }) => [
    `removed the secret ${name} of ${skill}${forAgent(agent)}`,
    "warn",
  ],
  "skill.denied": ({ skill, act, message }) => [
    `was refused to ${acts[act] ?? act} (${skill}): ${message}`,
    "bad",
  ],
  "skill.published": ({ skill, revision }) => [`published ${skill}${at(revision)}`, "accent"],
  "skill.rolled_back": ({ skill, from, revision }) => [
    `rolled ${skill} back from r${from} to r${revision}`,
    "warn",
  ],
  "skill.deleted": ({ skill }) => [`deleted ${skill}`, "bad"],
  "skill.restored": ({ skill }) => [`restored ${skill}`, "good"],
  "skill.purged": ({ skill, revisions }) => [
    `purged ${revisions.map((each) => `r${each}`).join(", ")} of ${skill}`,
    "bad",
  ],
  "skill.edited": ({ skill, fields }) => [
    fields.length === 0 ? `reset the details of ${skill}` : `changed ${fields.join(", ")} of ${skill}`,
    "neutral",
  ],
  "skill.status_changed": ({ skill, status, missing }) => [
    `${skill} is ${status}${missing.length > 0 ? `: ${missing.join(", ")} missing` : ""}`,
    status === "active" ? "good" : "warn",
  ],
  "skill.toggled": ({ skill, isEnabled }) => [
    `turned ${skill} ${isEnabled ? "on" : "off"}`,
    isEnabled ? "good" : "warn",
  ],
  "grant.given": ({ skill, grantee, canManage }) => [
    `granted ${skill} to the ${grantee.kind} ${grantee.key}${canManage ? ", to manage" : ""}`,
    "accent",
  ],
  "grant.requested": ({ skill, grantee }) => [
    `asked to grant ${skill} to the ${grantee.kind} ${grantee.key}`,
    "warn",
  ],
  "grant.declined": ({ skill, grantee }) => [
    `declined ${skill} for the ${grantee.kind} ${grantee.key}`,
    "warn",
  ],
  "grant.revoked": ({ skill, grantee }) => [
    `revoked ${skill} from the ${grantee.kind} ${grantee.key}`,
    "warn",
  ],
  "skill.approvers_changed": ({ skill, approvers }) => [
    approvers.length === 0
      ? `returned the approvals of ${skill} to its managers`
      : `named ${approvers.join(", ")} to approve runs of ${skill}`,
    "warn",
  ],
  "agent.added": ({ agent }) => [`added the agent ${agent}`, "accent"],
  "agent.changed": ({ agent }) => [`changed the agent ${agent}`, "neutral"],
  "agent.removed": ({ agent }) => [`removed the agent ${agent}`, "bad"],
  "token.issued": ({ kind, role, user, method }) => [
    kind === "api" ? `issued a token with the role ${role} for ${user}` : signInText(user, method),
    "accent",
  ],
  "token.revoked": () => ["revoked a token", "warn"],
  "passkey.added": () => ["added a passkey", "accent"],
  "passkey.removed": ({ user }) => [`removed a passkey of ${user}`, "warn"],
  "identity.linked": ({ issuer }) => [`linked an identity of ${issuer}`, "accent"],
  "user.changed": ({ user, role, isActive }) => [
    isActive
      ? `gave ${user} access${role === undefined ? "" : ` as ${role}`}`
      : `ended the access of ${user}`,
    "warn",
  ],
  "audit.key_changed": ({ change }) => [`${change} a key of the audit log`, "warn"],
  "audit.pruned": ({ count }) => [
    `pruned ${count === 1 ? "1 entry" : `${count} entries`} of the audit log`,
    "warn",
  ],
  "guard.blocked": ({ skill, rules }) => [`the guard blocked ${skill}: ${rules.join(", ")}`, "bad"],
  "eval.recorded": ({ skill, revision, kind }) => [
    `added an eval of ${skill}${revision === undefined ? "" : ` r${revision}`} (${kind})`,
    "info",
  ],
  "guard.waived": ({ skill, rule, file }) => [`waived ${rule} in ${file} of ${skill}`, "warn"],
  "webhook.changed": ({ name, change }) => [
    `${change} the webhook ${name}`,
    change === "removed" ? "bad" : "neutral",
  ],
  "proposal.created": ({ skill, kind }) => [
    kind === "create" ? `proposed the new skill ${skill}` : `proposed a change of ${skill}`,
    "accent",
  ],
  "proposal.reviewed": ({ skill, decision }) => [`${reviewed[decision]} ${skill}`, decisionTones[decision]],
  "proposal.withdrawn": ({ skill }) => [`withdrew a proposal for ${skill}`, "neutral"],
  "proposal.stale": ({ skill }) => [`a proposal for ${skill} must be rebased`, "warn"],
  "proposal.rebased": ({ skill }) => [`rebased a proposal for ${skill}`, "neutral"],
  "proposal.applied": ({ skill, revision }) => [`applied a proposal to ${skill}${at(revision)}`, "good"],
  "guard.rescanned": ({ skill, verdict }) => [
    `scanned ${skill} again: ${verdict}`,
    verdict === "clean" ? "good" : "warn",
  ],
  "workspace.changed": ({ agent, parent }) => [
    parent === undefined ? `changed the workspace ${agent}` : `placed the workspace ${agent} below ${parent}`,
    "neutral",
  ],
  "workspace.card_updated": ({ agent, skills }) => [
    `updated the card of the workspace ${agent}: ${skills.length} ${skills.length === 1 ? "skill" : "skills"}`,
    "accent",
  ],
  "workspace.status_changed": ({ agent, status }) => [
    `the workspace ${agent} is ${status}`,
    status === "online" ? "good" : "warn",
  ],
  "workspace.task_changed": ({ agent, task }) => [
    task === "" ? `the workspace ${agent} is idle` : `the workspace ${agent} started: ${task}`,
    "neutral",
  ],
  "workspace.activity": ({ agent, kind, summary }) => [
    `the workspace ${agent} reported ${kind}: ${summary}`,
    "neutral",
  ],
};

/** An event in a sentence. */
export function sentenceOf(event: SkillEvent): EventSentence {
  // The writer is that of the event's own type.
  const write = writers[event.type] as (event: SkillEvent) => readonly [string, Tone];
  const [text, tone] = write(event);
  return { text, tone, who: whoOf(event) };
}

function whoOf(event: SkillEvent): string | undefined {
  if (event.type === "session.opened") return event.agent ?? event.user;
  if (!("by" in event) || event.by === undefined) return undefined;
  if (typeof event.by === "string") return event.by;
  return "user" in event.by ? (event.by.agent ?? event.by.user) : undefined;
}

function signInText(user: string, method: SignInMethod | undefined): string {
  if (method === "passkey") return "signed in with a passkey";
  return method === "sso" ? "signed in with single sign-on" : `let ${user} sign in`;
}

function at(revision: number | undefined): string {
  return revision === undefined ? "" : ` r${revision}`;
}

function forAgent(agent: string | undefined): string {
  return agent === undefined ? "" : ` for the agent ${agent}`;
}

function words(code: string): string {
  return code.replaceAll("_", " ");
}

function answered(answer: string): string {
  return answer === "approve" ? "approved" : answer === "deny" ? "denied" : "withdrew the question";
}
