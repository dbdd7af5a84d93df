import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { findRealPath } from "@skillhold/core/bundle";
import { FolderWatch } from "@skillhold/core/library";
import { type CancelTimer, systemTimers, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import {
  type ComposedWorkspace,
  composeWorkspace,
  type Peer,
  type WorkspaceCard,
  type WorkspaceSession,
} from "./compose-workspace.ts";
import {
  applyHotFields,
  readWorkspaceConfig,
  type WorkspaceConfig,
  type WorkspaceProblem,
} from "./workspace-config.ts";
import { readWorkspaceFolder } from "./workspace-folder.ts";

export interface LiveWorkspaceOptions {
  /** The key of the workspace. */
  readonly id: string;
  /** The folder of the parent, whose shared files appear in the prompt. */
  readonly parent?: string | undefined;
  /** The address of the workspace, for its card. */
  readonly url?: string | undefined;
  /** False reads the folder once. */
  readonly watch?: boolean;
  /** The quiet time after the last change of a file; 2 seconds by default, which is enough for a `git pull`. */
  readonly debounceMs?: number;
  readonly timers?: Timers;
  readonly limits?: Limits;
}

/** One reload: all changes of the folder since the last one. */
export interface WorkspaceChange {
  readonly isCardChanged: boolean;
  readonly isPromptChanged: boolean;
  /** The ids of skills that were added to the card, and of those that were removed. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly problems: readonly WorkspaceProblem[];
}

const DEBOUNCE_MS = 2000;
/** The longest delay during continuous changes. */
const LONGEST_WAIT_MS = 10_000;
/** Changes that no watch reported are found with this interval. */
const POLL_MS = 30_000;
const MAX_WATCHES = 4096;
const EMPTY_CONFIG = readWorkspaceConfig("").config;

/** A workspace's folder, kept up to date: a change of files is one reload after a quiet time. */
export class LiveWorkspace {
  readonly id: string;
  /** The real path. */
  readonly folder: string;
  readonly #options: LiveWorkspaceOptions;
  readonly #timers: Timers;
  readonly #listeners = new Set<(change: WorkspaceChange) => void>();
  readonly #watch: FolderWatch;
  readonly #cancelPoll: CancelTimer;
  #cancelReload: CancelTimer | undefined;
  #firstHintAt = 0;
  #peers: readonly Peer[] = [];
  #config: WorkspaceConfig;
  #session: WorkspaceSession;
  #composed: ComposedWorkspace;

  /** Throws PATH_NOT_FOUND for a missing folder. Every other problem is in `problems`. */
  constructor(folder: string, options: LiveWorkspaceOptions) {
    const real = findRealPath(folder);
    if (real === undefined) throw new SkillError("PATH_NOT_FOUND", `The folder ${folder} does not exist.`);
    this.id = options.id;
    this.folder = real;
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#watch = new FolderWatch(() => this.#meetHint());
    // The watch starts before the first reading, so that no change is missed between them.
    this.#setWatches();
    const { config, session } = this.#read(undefined);
    this.#config = config;
    this.#session = session;
    this.#composed = composeWorkspace(config, session, []);
    this.#cancelPoll = options.watch === false ? () => {} : this.#timers.every(POLL_MS, () => this.reload());
  }

  get config(): WorkspaceConfig {
    return this.#config;
  }

  get card(): WorkspaceCard {
    return this.#composed.card;
  }

  get problems(): readonly WorkspaceProblem[] {
    return this.#composed.problems;
  }

  get peers(): readonly Peer[] {
    return this.#peers;
  }

  /** The ids of the loaded skills, in the order of the list. */
  get skills(): readonly string[] {
    return this.#session.skills.map(({ id }) => id);
  }

  /** The prompt with these texts of the loaded skills. A skill without a text is left out. */
  prompt(texts: ReadonlyMap<string, string>): string {
    const skills = this.#session.skills.flatMap((skill) => {
      const text = texts.get(skill.id);
      return text === undefined ? [] : [{ ...skill, text }];
    });
    return composeWorkspace(this.#config, { ...this.#session, skills }, this.#peers).prompt;
  }

  onChange(listener: (change: WorkspaceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rebuilds the prompt with other peers. */
  setPeers(peers: readonly Peer[]): void {
    if (isDeepStrictEqual(peers, this.#peers)) return;
    this.#peers = peers;
    this.#swap(this.#config, this.#session);
  }

  /** Reads the folder now; undefined when the workspace is unchanged. */
  reload(): WorkspaceChange | undefined {
    this.#cancelReload?.();
    this.#cancelReload = undefined;
    this.#setWatches();
    const { config, session } = this.#read(this.#config);
    return this.#swap(config, session);
  }

  close(): void {
    this.#cancelReload?.();
    this.#cancelPoll();
    this.#watch.close();
    this.#listeners.clear();
  }

  /** A config that cannot be read keeps the running one. */
  #read(running: WorkspaceConfig | undefined): {
    readonly config: WorkspaceConfig;
    readonly session: WorkspaceSession;
  } {
    const { parent, limits = defaultLimits, url } = this.#options;
    const next = readWorkspaceFolder(this.folder, this.id, { parent, limits });
    if (running === undefined || next.config === undefined) {
      const config = next.config ?? running ?? emptyConfig();
      const { session } = next.config === undefined ? this.#readWith(config) : next;
      return { config, session: { ...session, url } };
    }
    const { config, problems } = applyHotFields(running, next.config);
    const session = config.runtime === next.config.runtime ? next.session : this.#readWith(config).session;
    return { config, session: { ...session, url, problems: [...session.problems, ...problems] } };
  }

  #readWith(config: WorkspaceConfig) {
    const { parent, limits = defaultLimits } = this.#options;
    return readWorkspaceFolder(this.folder, this.id, { config, parent, limits });
  }

  #swap(config: WorkspaceConfig, session: WorkspaceSession): WorkspaceChange | undefined {
    const before = this.#composed;
    const composed = composeWorkspace(config, session, this.#peers);
    this.#config = config;
    this.#session = session;
    this.#composed = composed;
    const isCardChanged = !isDeepStrictEqual(composed.card, before.card);
    const isPromptChanged = composed.prompt !== before.prompt;
    if (!isCardChanged && !isPromptChanged && isDeepStrictEqual(composed.problems, before.problems))
      return undefined;
    const [old, now] = [idsOf(before.card), idsOf(composed.card)];
    const change = {
      isCardChanged,
      isPromptChanged,
      added: now.filter((id) => !old.includes(id)),
      removed: old.filter((id) => !now.includes(id)),
      problems: composed.problems,
    };
    for (const listener of [...this.#listeners]) listener(change);
    return change;
  }

  /** Restarts the quiet time, unless changes have continued for too long. */
  #meetHint(): void {
    const now = this.#timers.now();
    if (this.#cancelReload === undefined) this.#firstHintAt = now;
    else if (now - this.#firstHintAt > LONGEST_WAIT_MS) return;
    this.#cancelReload?.();
    const { debounceMs = DEBOUNCE_MS } = this.#options;
    this.#cancelReload = this.#timers.after(debounceMs, () => this.reload(), { isBackground: true });
  }

  #setWatches(): void {
    if (this.#options.watch !== false) this.#watch.set(listFolders(this.folder));
  }
}

function emptyConfig(): WorkspaceConfig {
  if (EMPTY_CONFIG !== undefined) return EMPTY_CONFIG;
  throw new Error("An empty config.yaml is valid.");
}

function idsOf({ skills }: WorkspaceCard): readonly string[] {
  return skills.map(({ id }) => id);
}

/** The folder and those below it, without hidden ones, level by level and at most as many as can be watched. */
function listFolders(root: string): readonly string[] {
  const found = [root];
  for (let at = 0; at < found.length && found.length < MAX_WATCHES; at += 1)
    found.push(...below(found[at] ?? root));
  return found.slice(0, MAX_WATCHES);
}

function below(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .map(({ name }) => join(folder, name));
  } catch {
    // A folder that was removed meanwhile has no folders.
    return [];
  }
}
