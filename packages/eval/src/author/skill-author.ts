import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openLibrary } from "@skillhold/core/library";
import type { Timers } from "@skillhold/core/port";
import { nodeHost } from "@skillhold/core/source";
import type { Runner } from "../runner/runner.ts";
import { layOutForTrials } from "../trial/skill-folder.ts";
import { type Trial, type TrialRequest, withTrial } from "../trial/trial.ts";

const SKILL = "skill-authoring";
const RUNTIME = "skillhold-author";

export interface AuthorOptions {
  /** The folder of the bundled skills. */
  readonly skills: string;
  /** A folder for the work of the agent; each draft has its own folder in it. */
  readonly place: string;
  readonly limits: TrialRequest["limits"];
  readonly signal: AbortSignal;
}

export interface AuthorPorts {
  readonly runner: Runner;
  readonly timers: Timers;
  /** Receives the reason for each draft that was not written. */
  readonly onFailure: (message: string) => void;
}

/** A promotion, already without secrets. */
export interface AuthorRequest {
  readonly id: string;
  readonly packet: string;
  readonly sessions: readonly unknown[];
}

/**
 * Writes the SKILL.md of promoted workflows with an agent that has the skill `skill-authoring`. One draft is written at a
 * time, which bounds the cost; for another one meanwhile, and after a failure, the result is undefined.
 */
export function skillAuthor(
  options: AuthorOptions,
  ports: AuthorPorts,
): (request: AuthorRequest) => Promise<string | undefined> {
  let isBusy = false;
  return async (request) => {
    if (isBusy) {
      ports.onFailure(`The draft of ${request.id} is not written, because another one is in progress.`);
      return undefined;
    }
    isBusy = true;
    try {
      return await writeSkill(request, options, ports);
    } catch (error) {
      ports.onFailure(error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      isBusy = false;
    }
  };
}

async function writeSkill(
  { id, packet, sessions }: AuthorRequest,
  { skills: root, place, limits, signal }: AuthorOptions,
  { runner, timers, onFailure }: AuthorPorts,
): Promise<string | undefined> {
  const folder = join(place, randomUUID());
  const host = nodeHost({ env: {}, platform: process.platform, cwd: root });
  const source = { label: "bundled", kind: "builtin", trust: "builtin", root } as const;
  const library = await openLibrary({ sources: [source], host });
  try {
    const viewer = { runtime: RUNTIME };
    const skills = await layOutForTrials([SKILL], join(folder, "skills"), { library, viewer });
    const files = [
      { path: "packet.json", content: packet },
      { path: "sessions.json", content: JSON.stringify(sessions, undefined, 2) },
    ];
    const request = { prompt: promptFor(id), skills, files, limits, signal };
    return await withTrial(
      join(folder, "trial"),
      request,
      async (trial) => {
        const text = readSkill(trial, id);
        if (text === undefined) onFailure(trial.message ?? `The agent wrote no SKILL.md for ${id}.`);
        return text;
      },
      { runner, timers },
    );
  } finally {
    await library.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function promptFor(id: string): string {
  return [
    `Process the promotion packet in packet.json with the skill ${SKILL}. Its recorded sessions are in sessions.json.`,
    `The skill gets the id ${id}. Write SKILL.md into the working folder, and no other file.`,
  ].join("\n");
}

/** A file of an agent that failed or was stopped may be incomplete. */
function readSkill({ outcome, work }: Trial, id: string): string | undefined {
  if (outcome !== "done") return undefined;
  const path = work.list().find((file) => file.path === "SKILL.md" || file.path === `${id}/SKILL.md`)?.path;
  return path === undefined ? undefined : new TextDecoder().decode(work.read(path));
}
