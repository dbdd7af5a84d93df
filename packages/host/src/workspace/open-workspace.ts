import { lookup } from "node:dns/promises";
import { basename, resolve } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import { systemTimers, type Timers } from "@skillhold/core/port";
import type { PromptSession } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { Fetcher } from "@skillhold/registry/install";
import { GatewayClient } from "@skillhold/registry/remote";
import {
  CardPusher,
  LiveWorkspace,
  type Peer,
  type SendJson,
  type WorkReport,
  type WorkspaceCard,
  type WorkspaceChange,
  type WorkspaceConfig,
  WorkspaceLink,
  type WorkspaceProblem,
} from "@skillhold/registry/workspace";
import { type Env, type Machine, present } from "../place/machine.ts";
import { findSecrets } from "../store/state.ts";
import { openWorkspaceLibrary, type WorkspaceLibrary } from "./workspace-library.ts";

export interface WorkspaceOptions {
  /** The folder with `config.yaml` and `skills/`. */
  readonly folder: string;
  /** The key of the agent; by default the name of the folder. */
  readonly id?: string;
  /** The folder of the parent workspace, whose shared files appear in the prompt. */
  readonly parent?: string;
  /** The address at which other workspaces reach this one. */
  readonly url?: string;
  /** The gateway that lists the peers, with the token of this agent. */
  readonly gateway?: { readonly url: string; readonly token: string; readonly isInsecure?: boolean };
  /** False reads the folder once. */
  readonly watch?: boolean;
  /** The quiet time after the last change of a file; 2 seconds by default. */
  readonly debounceMs?: number;
  readonly timers?: Timers;
}

interface LastPrompt {
  readonly version: number;
  readonly skills: readonly string[];
  readonly text: string;
}

/** Private hosts that may receive agent cards, separated by commas. */
const HOSTS_VARIABLE = "SKILLHOLD_PLATFORM_HOSTS";

/** A workspace of this process: its skills, its prompt, its card and its peers, kept up to date. */
export class Workspace {
  readonly #live: LiveWorkspace;
  readonly #skills: WorkspaceLibrary;
  readonly #pusher: CardPusher;
  readonly #link: WorkspaceLink | undefined;
  readonly #listeners = new Set<(change: WorkspaceChange) => void>();
  readonly #closeFetcher: () => void;
  readonly #onError: (error: unknown) => void;
  /** The last prompt of each session. */
  readonly #prompts = new WeakMap<PromptSession, LastPrompt>();
  /** Grows with each change. */
  #version = 0;
  readonly #refreshes = new SerialQueue();

  constructor(parts: {
    readonly live: LiveWorkspace;
    readonly skills: WorkspaceLibrary;
    readonly pusher: CardPusher;
    readonly link: WorkspaceLink | undefined;
    readonly closeFetcher: () => void;
    readonly onError: (error: unknown) => void;
  }) {
    this.#live = parts.live;
    this.#skills = parts.skills;
    this.#pusher = parts.pusher;
    this.#link = parts.link;
    this.#closeFetcher = parts.closeFetcher;
    this.#onError = parts.onError;
    this.#live.onChange((change) => this.#meetChange(change));
    this.#push();
  }

  get id(): string {
    return this.#live.id;
  }

  get config(): WorkspaceConfig {
    return this.#live.config;
  }

  get card(): WorkspaceCard {
    return this.#live.card;
  }

  /** Every problem of the folder. None stops the other parts. */
  get problems(): readonly WorkspaceProblem[] {
    return this.#live.problems;
  }

  get peers(): readonly Peer[] {
    return this.#live.peers;
  }

  /** The last result of each push of the card to another platform. */
  get pushes() {
    return this.#pusher.results;
  }

  get library(): WorkspaceLibrary["library"] {
    return this.#skills.library;
  }

  /** Calls back after each change of the prompt, the card or the problems. The prompt and the library are then current. */
  onChange(listener: (change: WorkspaceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the folder now, without the quiet time. */
  async reload(): Promise<void> {
    this.#live.reload();
    await this.#refreshes.idle();
  }

  /** Reports the current task and errors to the gateway. */
  async report(report: WorkReport): Promise<void> {
    await this.#link?.report(report);
  }

  /**
   * The system prompt. The instructions of each skill are a recorded activation of the session. Agents ask before each
   * step, so the text is composed again only after a change or when the session dropped a skill.
   */
  async prompt(session: PromptSession): Promise<string> {
    await this.#refreshes.idle();
    const last = this.#prompts.get(session);
    const version = this.#version;
    const active = new Set(session.active().map(({ skill }) => skill));
    if (last?.version === version && last.skills.every((id) => active.has(id))) return last.text;
    const texts = new Map<string, string>();
    for (const id of this.#live.skills) {
      const text = await activate(id, session);
      if (text !== undefined) texts.set(id, text);
    }
    const text = this.#live.prompt(texts);
    this.#prompts.set(session, { version, skills: [...texts.keys()], text });
    return text;
  }

  /** Closes the watch and the connections. The library is closed by its owner. */
  async close(): Promise<void> {
    this.#live.close();
    this.#pusher.close();
    await this.#link?.close();
    this.#closeFetcher();
    await this.#refreshes.idle();
  }

  #meetChange(change: WorkspaceChange): void {
    if (change.isCardChanged) this.#push();
    this.#version += 1;
    void this.#refreshes.run(async () => {
      await this.#skills.refresh().catch(this.#onError);
      for (const listener of [...this.#listeners]) listener(change);
    });
  }

  #push(): void {
    this.#pusher.push(this.#live.card, this.#live.config.platforms);
  }
}

/** Opens a workspace. An unreachable gateway or platform is a warning, and is tried again. */
export async function openWorkspace(
  { folder, id, parent, url, gateway, watch, debounceMs, timers = systemTimers }: WorkspaceOptions,
  machine: Machine,
  limits: Limits = defaultLimits,
): Promise<Workspace> {
  const { env, cwd } = machine;
  const place = resolve(cwd, folder);
  const live = new LiveWorkspace(place, {
    id: id ?? basename(place),
    timers,
    limits,
    ...present({ watch, debounceMs, url, parent: parent === undefined ? undefined : resolve(cwd, parent) }),
  });
  const onError = (error: unknown) => machine.warn(error instanceof Error ? error.message : String(error));
  try {
    const hasSecret = await findSecrets(machine);
    const host = nodeHost({ env, platform: process.platform, cwd, hasSecret });
    const skills = await openWorkspaceLibrary(live, { host, limits });
    const { send, close: closeFetcher } = platformSender(env, limits);
    const clock = { now: () => new Date() };
    const pusher = new CardPusher(live.id, { send, clock, timers, env: (name) => env[name] });
    const pushes = () => pusher.results;
    const link =
      gateway === undefined
        ? undefined
        : new WorkspaceLink(live, {
            client: new GatewayClient(gateway, limits, timers),
            limits,
            timers,
            pushes,
            onError,
          });
    const workspace = new Workspace({ live, skills, pusher, link, closeFetcher, onError });
    await link?.started;
    return workspace;
  } catch (error) {
    live.close();
    throw error;
  }
}

/** Cards go to public hosts over TLS, and to the private hosts that the operator names. */
function platformSender(env: Env, limits: Limits): { readonly send: SendJson; readonly close: () => void } {
  const named = new Set((env[HOSTS_VARIABLE] ?? "").split(",").map((host) => host.trim().toLowerCase()));
  const isNamed = (host: string) => named.has(host);
  const resolveHost = async (host: string) =>
    (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  const fetcher = new Fetcher({
    resolve: resolveHost,
    policy: { isPrivateAllowed: isNamed, isPlainAllowed: isNamed },
    limits,
  });
  const send: SendJson = async (url, body, token) => {
    const headers = {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    await fetcher.fetch(url, {
      method: "POST",
      headers,
      body: bytes,
      maxBytes: 64 * 1024,
      accepts: [201, 202, 204],
    });
  };
  return { send, close: () => fetcher.close() };
}

/** The instructions of a skill; undefined for one that the session may not use. */
async function activate(id: string, session: PromptSession): Promise<string | undefined> {
  try {
    return (await session.activate(id, { again: true })).text;
  } catch (error) {
    if (error instanceof SkillError && (error.code === "SKILL_NOT_FOUND" || error.code === "LIMIT_EXCEEDED"))
      return undefined;
    throw error;
  }
}
