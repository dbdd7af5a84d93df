import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { dirname } from "node:path";
import { errorCodeOf, writeFileAtomically } from "@skillhold/core/bundle";
import { openPrivateFile, syncFolder } from "@skillhold/core/secret";
import { AuditKey } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import type { LogMemory, SeenLogState } from "./log-guard.ts";

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const SavedState = z.object({
  origin: z.string().max(512),
  seq: z.int().min(0),
  hash: Hash,
  roots: z.array(Hash).max(64).readonly(),
  note: z.string().max(4096).optional(),
  rootKey: AuditKey.optional(),
  keys: z.array(AuditKey).readonly(),
});
const TITLE = { title: "The file of the last seen audit log" };

/** The last seen state of one log in a private file, apart from the log. */
export function logMemoryFile(path: string): LogMemory {
  const load = async () => {
    const text = await readText(path);
    return text === undefined ? undefined : parseState(path, text);
  };
  return {
    load,
    save: async (state) => {
      const bytes = Buffer.from(`${JSON.stringify(toSaved(state))}\n`);
      try {
        await writeFileAtomically(path, `${path}.${randomUUID()}`, bytes, { isDurable: true });
        await syncFolder(dirname(path));
      } catch (error) {
        throw failure(path, error);
      }
    },
  };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const handle = await openPrivateFile(path, constants.O_RDONLY, TITLE);
    try {
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SkillError && errorCodeOf(error.cause) === "ENOENT") return undefined;
    throw error instanceof SkillError ? error : failure(path, error);
  }
}

/** A damaged file is an error: without it, a rewritten log would be accepted. */
function parseState(path: string, text: string): SeenLogState {
  const { success, data } = SavedState.safeParse(parseJson(text));
  if (!success)
    throw new SkillError("CONFIG_INVALID", `${TITLE.title} ${path} is damaged.`, {
      hint: "Run `skillhold audit verify`. If the log is sound, run `skillhold audit adopt`.",
      details: { path },
    });
  const { origin, seq, hash, roots, note, rootKey, keys } = data;
  const head = { origin, seq, hash, frontier: { size: seq, roots }, note };
  return { head, keys: { root: rootKey, keys } };
}

function toSaved({ head, keys }: SeenLogState): z.input<typeof SavedState> {
  const { origin, seq, hash, frontier, note } = head;
  return { origin, seq, hash, roots: frontier.roots, note, rootKey: keys.root, keys: keys.keys };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Undefined is not a valid state.
    return undefined;
  }
}

function failure(path: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `${TITLE.title} ${path} failed.`, { details: { path }, cause });
}
