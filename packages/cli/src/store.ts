import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copiesFolder, isStoreThere, missingStore, storeReadOptions, storeUrl } from "@skillhold/host/place";
import { noticingStore, openSignedStore, scanOnUse, withWaitNotice } from "@skillhold/host/store";
import type { Actor } from "@skillhold/protocol";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { RegistryContext, RegistryStore } from "@skillhold/registry/record";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { isNoRegistry, openRegistryStore } from "@skillhold/store";
import { readActor } from "./actor-option.ts";
import type { CommandInput } from "./command.ts";
import { textOption } from "./option.ts";
import { storeFlags } from "./terminal/hint.ts";
import { type Io, plain } from "./terminal/output.ts";
import { isSkillVisible } from "./visible-skill.ts";

/** The registry as a command works on it. */
export interface OpenedRegistry {
  readonly context: RegistryContext;
  /** The acting user and role. */
  readonly actor: Actor;
  /** The folder where revisions are laid out as files. */
  readonly copies: string;
  /** The flags that make another command use the same store, each with a space before it. */
  readonly flags: string;
}

/** `read` and `change` need an existing store; `write` creates it. */
export type StoreUse = "read" | "change" | "write";

type StoreInput = Pick<CommandInput, "options" | "io">;

/** Opens the store of the common options for one call. With `--dry-run`, no change is committed. */
export async function withRegistry<T>(
  { options, io }: StoreInput,
  kind: StoreUse,
  use: (opened: OpenedRegistry) => Promise<T>,
): Promise<T> {
  const url = storeUrl(textOption(options, "store"), io);
  const actor = readActor(options, io);
  const flags = storeFlags(options);
  return await withStore(url, kind, { options, io }, async (store) => {
    const clock = { now: () => new Date() };
    const context = {
      store,
      clock,
      ids: { next: randomUUID },
      limits: defaultLimits,
      scan: scanOnUse,
    };
    try {
      const result = await use({ context, actor, flags, copies: copiesFolder(url, io.env) });
      await noteWaiting(context, actor, flags, io);
      return result;
    } catch (error) {
      throw await withStoreAdvice(error, { context, actor, flags, io });
    }
  });
}

const MOST_WAITING = 50;

/** One line on a terminal when proposals wait for the user. */
async function noteWaiting(
  context: RegistryContext,
  actor: Actor,
  flags: string,
  io: StoreInput["io"],
): Promise<void> {
  if (!io.isErrTty || io.json) return;
  const open = await context.store.listProposals({ states: ["pending"], limit: MOST_WAITING });
  if (open.length === 0) return;
  const { permissionsOf } = await import("@skillhold/registry/proposal");
  let waiting = 0;
  for (const proposal of open) if ((await permissionsOf(proposal, actor, context)).approve) waiting += 1;
  if (waiting === 0) return;
  const what = waiting === 1 ? "1 proposal waits" : `${waiting} proposals wait`;
  io.err(`note: ${what} for your review. Run \`skillhold proposal list --waiting${flags}\`.\n`);
}

/** A failed checkpoint is only a warning, because the change is already committed. */
function checkpointWarning(io: Pick<Io, "err">): (error: unknown) => void {
  return (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    io.err(`warning: the audit checkpoint was not written: ${plain(reason)}\n`);
  };
}

async function withStore<T>(
  url: string,
  kind: StoreUse,
  { options, io }: StoreInput,
  use: (store: RegistryStore) => Promise<T>,
): Promise<T> {
  const isDryRun = options["dryRun"] === true;
  const notify = (message: string) => io.err(`note: ${message}\n`);
  const store = await withWaitNotice(notify, () => (isDryRun ? openDry(url) : open(url, kind, io)));
  if (store === undefined) {
    if (kind === "write" && isDryRun) return await withEmptyStore(use);
    throw missingStore(url, io);
  }
  try {
    return await use(isDryRun ? store : noticingStore(store, notify));
  } finally {
    await store.close();
  }
}

/** A store that commits no change. Undefined when the store does not exist. */
async function openDry(url: string): Promise<RegistryStore | undefined> {
  try {
    return await openRegistryStore(url, { ...storeReadOptions(url), isDryRun: true });
  } catch (error) {
    if (isNoRegistry(error)) return undefined;
    throw error;
  }
}

/** Undefined when the store does not exist and `kind` does not create it. */
async function open(
  url: string,
  kind: StoreUse,
  io: Pick<Io, "env" | "cwd" | "err">,
): Promise<RegistryStore | undefined> {
  const options = { onCheckpointFailure: checkpointWarning(io) };
  if (kind === "write") return await openSignedStore(url, io, options);
  try {
    return kind === "change" && isStoreThere(url)
      ? await openSignedStore(url, io, { ...options, create: false })
      : await openRegistryStore(url, storeReadOptions(url));
  } catch (error) {
    if (isNoRegistry(error)) return undefined;
    throw error;
  }
}

/** A temporary empty store, for a dry run before the store exists. */
async function withEmptyStore<T>(use: (store: RegistryStore) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "skillhold-store-"));
  try {
    const store = await openRegistryStore(`sqlite:${join(folder, "registry.db")}`);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface AdviceContext {
  readonly context: RegistryContext;
  readonly actor: Actor;
  /** The flags that name the store. */
  readonly flags: string;
  readonly io: Pick<Io, "env" | "cwd">;
}

/** Replaces the error table's hint, which is about folders, with one about this store. */
export async function withStoreAdvice(error: unknown, about: AdviceContext): Promise<unknown> {
  if (!(error instanceof SkillError)) return error;
  const { code, message, details } = error;
  const isOfTable = error.hint === errorTable[code].hint;
  const hint = isOfTable ? await adviceFor(error, about) : adviseAdmin(error, about);
  return hint === undefined ? error : new SkillError(code, message, { hint, details, cause: error });
}

async function adviceFor({ code, details }: SkillError, about: AdviceContext): Promise<string | undefined> {
  const { context, flags } = about;
  const id = typeof details["id"] === "string" ? details["id"] : "<id>";
  if (code === "REVISION_NOT_FOUND") return `Run \`skillhold versions ${id}${flags}\` to list the revisions.`;
  if (code === "INTEGRITY_FAILED") return `Run \`skillhold fsck${flags}\` to find the damage.`;
  if (code === "AGENT_NOT_FOUND") return await adviseAgent(String(details["key"]), about);
  if (code !== "SKILL_NOT_FOUND") return undefined;
  const ids = (await context.store.listSkills()).map((skill) => skill.id);
  if (ids.length === 0) return "Run `skillhold publish <folder>` to publish a skill.";
  const near = await findVisible(suggest(id, ids, MAX_NEAR), about);
  return didYouMean(near) ?? `Run \`skillhold list --source registry${flags}\` to see the skills.`;
}

const MAX_NEAR = 20;
const MAX_SHOWN = 3;

/** Suggests only visible skills, so that a typo discloses no private one. */
async function findVisible(ids: readonly string[], about: AdviceContext): Promise<readonly string[]> {
  const known: string[] = [];
  for (const id of ids)
    if (known.length < MAX_SHOWN && (await isSkillVisible(id, about, about.io))) known.push(id);
  return known;
}

async function adviseAgent(wanted: string, { context, flags }: AdviceContext): Promise<string> {
  const keys = (await context.store.listAgents()).map(({ key }) => key);
  return didYouMean(suggest(wanted, keys)) ?? `Run \`skillhold agent list${flags}\` to list the agents.`;
}

/** Adds the option that acts as an administrator. */
function adviseAdmin({ code, hint }: SkillError, { actor }: AdviceContext): string | undefined {
  if (code !== "POLICY_DENIED" || actor.role === "admin" || !/administrator/.test(hint)) return undefined;
  return `${hint} If you are an administrator, add --role admin.`;
}
