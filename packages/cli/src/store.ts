import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { didYouMean, suggest } from "@skillhold/core/session";
import { scanDependencies } from "@skillhold/deps/scan";
import { copiesFolder, isStoreThere, missingStore, storeReadOptions, storeUrl } from "@skillhold/host/place";
import { keepCheckpoint, noticingStore, openSignedStore, withWaitNotice } from "@skillhold/host/store";
import type { Actor } from "@skillhold/protocol";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { RegistryContext, RegistryStore, RegistryTransaction } from "@skillhold/registry/record";
import { isNoRegistry, openRegistryStore } from "@skillhold/store";
import { readActor } from "./actor-option.ts";
import type { CommandInput } from "./command.ts";
import { storeFlags } from "./library-choice.ts";
import { textOption } from "./option.ts";
import { type Io, plain } from "./terminal/output.ts";
import { isSkillVisible } from "./visible-skill.ts";

/** The registry as a command works on it. */
export interface OpenedRegistry {
  readonly context: RegistryContext;
  /** Who does what the command does. */
  readonly actor: Actor;
  /** Where revisions are laid out for readers that have a file system. */
  readonly copies: string;
  /** The options that make another command look at the same store, with a blank before each. */
  readonly flags: string;
}

/** A command that looks at what is there, or changes it, fails where nothing ever was; one that writes makes the store. */
export type StoreUse = "read" | "change" | "write";

type StoreInput = Pick<CommandInput, "options" | "io">;

/** Opens the store of the common options for as long as it is used. With `--dry-run` nothing of it changes. */
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
      scan: scanDependencies,
    };
    try {
      return await use({ context, actor, flags, copies: copiesFolder(url, io.env) });
    } catch (error) {
      throw await withStoreAdvice(error, { context, actor, flags, io });
    }
  });
}

/** What was written is written: that no note of it could be kept beside the store is told, and fails nothing. */
async function witness(store: RegistryStore, url: string, io: Io): Promise<void> {
  try {
    await keepCheckpoint(store, url, io);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    io.err(`warning: no note of the log was kept: ${plain(error.message)}\n`);
  }
}

async function withStore<T>(
  url: string,
  kind: StoreUse,
  { options, io }: StoreInput,
  use: (store: RegistryStore) => Promise<T>,
): Promise<T> {
  const isDryRun = options["dryRun"] === true;
  const notify = (message: string) => io.err(`note: ${message}\n`);
  const store = await withWaitNotice(notify, () => open(url, isDryRun ? "read" : kind, io));
  if (store === undefined) {
    if (kind === "write" && isDryRun) return await withEmptyStore(use);
    throw missingStore(url, io);
  }
  try {
    const result = await use(isDryRun ? dryRunStore(store) : noticingStore(store, notify));
    if (kind !== "read" && !isDryRun) await witness(store, url, io);
    return result;
  } finally {
    await store.close();
  }
}

/** Undefined where there is none, and none is made. */
async function open(
  url: string,
  kind: StoreUse,
  io: Pick<Io, "env" | "cwd">,
): Promise<RegistryStore | undefined> {
  if (kind === "write") return await openSignedStore(url, io);
  try {
    return kind === "change" && isStoreThere(url)
      ? await openSignedStore(url, io, { create: false })
      : await openRegistryStore(url, storeReadOptions(url));
  } catch (error) {
    if (isNoRegistry(error)) return undefined;
    throw error;
  }
}

/** What would happen in a store that is not there yet is seen in one that goes away again. */
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

/** A store whose transactions are all undone: what a verb answers on it is what would happen, refusals included. */
export function dryRunStore(store: RegistryStore): RegistryStore {
  const transaction = async <T>(work: (tx: RegistryTransaction) => Promise<T>): Promise<T> => {
    let answer: { readonly value: T } | undefined;
    try {
      return await store.transaction<never>(async (tx) => {
        answer = { value: await work(tx) };
        throw new Error("The dry run was rolled back.");
      });
    } catch (error) {
      if (answer === undefined) throw error;
      return answer.value;
    }
  };
  return { ...store, transaction };
}

interface AdviceContext {
  readonly context: RegistryContext;
  readonly actor: Actor;
  /** The options that name the store. */
  readonly flags: string;
  readonly io: Pick<Io, "env" | "cwd">;
}

/** The table's advice is for skills in folders; of a store it can be said which skills and agents there are. */
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
  if (code === "REVISION_NOT_FOUND") return `\`skillhold versions ${id}${flags}\` lists the revisions.`;
  if (code === "INTEGRITY_FAILED") return `\`skillhold fsck${flags}\` says what is damaged.`;
  if (code === "AGENT_NOT_FOUND") return await adviseAgent(String(details["key"]), about);
  if (code !== "SKILL_NOT_FOUND") return undefined;
  const ids = (await context.store.listSkills()).map((skill) => skill.id);
  if (ids.length === 0) return "`skillhold publish <folder>` takes a skill in.";
  const near = await findVisible(suggest(id, ids, MAX_NEAR), about);
  return didYouMean(near) ?? `\`skillhold list --source registry${flags}\` shows which there are.`;
}

const MAX_NEAR = 20;
const MAX_SHOWN = 3;

/** Names of skills that are not for someone are not given away by a typing error. */
async function findVisible(ids: readonly string[], about: AdviceContext): Promise<readonly string[]> {
  const known: string[] = [];
  for (const id of ids)
    if (known.length < MAX_SHOWN && (await isSkillVisible(id, about, about.io))) known.push(id);
  return known;
}

async function adviseAgent(wanted: string, { context, flags }: AdviceContext): Promise<string> {
  const keys = (await context.store.listAgents()).map(({ key }) => key);
  return didYouMean(suggest(wanted, keys)) ?? `\`skillhold agent list${flags}\` lists the agents there are.`;
}

/** What a verb advises holds everywhere; here it can be said what to type. */
function adviseAdmin({ code, hint }: SkillError, { actor }: AdviceContext): string | undefined {
  if (code !== "POLICY_DENIED" || actor.role === "admin" || !/administrator/.test(hint)) return undefined;
  return `${hint} Who is one adds --role admin.`;
}
