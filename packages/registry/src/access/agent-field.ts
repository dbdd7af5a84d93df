import { readManifest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { isSkillId } from "@skillhold/skill";
import type { AgentRecord } from "../record/agent.ts";
import { checkName, checkWords } from "../record/named-text.ts";

/** What may be said of an agent. */
export type AgentFields = Pick<AgentRecord, "displayName" | "runtime" | "allow" | "pins" | "manifest">;

const KEY = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_NAME = 256;
const MAX_SKILLS = 10_000;

/** Agents are found by key or by uid: a key that looks like a uid could be taken for another agent. */
export function checkAgentKey(key: string): string {
  if (KEY.test(key) && !UUID.test(key)) return key;
  throw refuse("The key of an agent is 1 to 128 letters, digits, dots, lines and hyphens, and no UUID.");
}

export function checkAgentFields(fields: AgentFields, limits: Limits): AgentFields {
  const { displayName, runtime, allow, pins, manifest } = fields;
  if (allow !== undefined) checkIds("list of skills", allow);
  checkIds("pins", Object.keys(pins));
  for (const [id, revision] of Object.entries(pins))
    if (!Number.isSafeInteger(revision) || revision < 1) throw refuse(`The pin of ${id} is no revision.`);
  if (manifest !== undefined) checkManifest(manifest, limits);
  return {
    displayName: checkWords("name of the agent", displayName, MAX_NAME),
    runtime: checkName("runtime", runtime, MAX_NAME),
    allow: allow === undefined ? undefined : [...new Set(allow)],
    pins: { ...pins },
    manifest,
  };
}

function checkIds(what: string, ids: readonly string[]): void {
  if (ids.length > MAX_SKILLS) throw refuse(`The ${what} has more than ${MAX_SKILLS} entries.`);
  const strange = ids.find((id) => !isSkillId(id));
  if (strange === undefined) return;
  throw refuse(
    `The ${what} has an entry that is not the id of a skill: ${JSON.stringify(strange.slice(0, 80))}.`,
  );
}

function checkManifest(text: string, limits: Limits): void {
  const error = readManifest(text, limits).problems.find(({ severity }) => severity === "error");
  if (error !== undefined) throw refuse(`The manifest cannot be used: ${error.message}`);
}

function refuse(message: string): SkillError {
  return new SkillError("USAGE", message, { hint: "Correct what the message names." });
}
