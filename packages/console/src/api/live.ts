import type { DependencyEvent, InstallProgressStep, ServerMessage } from "@skillhold/protocol/http";
import { useEffect, useSyncExternalStore } from "react";
import { csrf, type RouteKey } from "./client.ts";
import { staleBy } from "./live-table.ts";
import { queries } from "./use-api.ts";

export type LiveState = "connecting" | "live" | "lost" | "off";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const GATHER_MS = 80;

/**
 * Keeps the views up to date over one WebSocket, which resumes from the last received event after a disconnect. Events
 * mark queries as stale; events that arrive together cause one refetch.
 */
class Live {
  #socket: WebSocket | undefined;
  #state: LiveState = "off";
  #last: number | undefined;
  #wait = FIRST_WAIT_MS;
  #timer: number | undefined;
  readonly #stale = new Set<RouteKey>();
  #gathering: number | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #progress = new Set<(event: DependencyEvent) => void>();
  readonly #installs = new Set<(step: InstallProgressStep) => void>();

  get state(): LiveState {
    return this.#state;
  }

  start(): void {
    if (this.#state !== "off") return;
    window.addEventListener("offline", this.#doubt);
    window.addEventListener("online", this.#hurry);
    this.#connect();
  }

  stop(): void {
    window.removeEventListener("offline", this.#doubt);
    window.removeEventListener("online", this.#hurry);
    window.clearTimeout(this.#timer);
    this.#set("off");
    this.#socket?.close();
    this.#socket = undefined;
    this.#last = undefined;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onProgress(listener: (event: DependencyEvent) => void): () => void {
    this.#progress.add(listener);
    return () => this.#progress.delete(listener);
  }

  onInstall(listener: (step: InstallProgressStep) => void): () => void {
    this.#installs.add(listener);
    return () => this.#installs.delete(listener);
  }

  /** A socket does not notice for minutes that its network is gone; another one does at once. */
  readonly #doubt = (): void => {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#lose(socket);
    this.#socket = undefined;
    socket.close();
  };

  readonly #hurry = (): void => {
    if (this.#state !== "lost") return;
    window.clearTimeout(this.#timer);
    const before = this.#socket;
    this.#connect();
    before?.close();
  };

  #connect(): void {
    if (this.#state !== "lost") this.#set("connecting");
    const address = new URL("/ws", window.location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => {
      socket.send(JSON.stringify({ id: 0, method: "hello", params: { csrf: csrf.read() } }));
      const params = this.#last === undefined ? {} : { after: this.#last };
      socket.send(JSON.stringify({ id: 1, method: "events.subscribe", params }));
    };
    // The gateway sends what the protocol says.
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)) as ServerMessage);
    socket.onclose = () => this.#lose(socket);
  }

  #take(message: ServerMessage): void {
    if ("seq" in message) this.#last = message.seq;
    if ("id" in message && message.id === 1 && "result" in message) {
      this.#wait = FIRST_WAIT_MS;
      this.#set("live");
      // Changes before the connection opened are unknown, so every query is refetched.
      void queries.invalidateQueries();
    }
    if ("event" in message) this.#mark(message.event.type);
    if ("changed" in message) this.#mark("skill.");
    if ("install" in message) for (const listener of this.#installs) listener(message.install);
    if ("progress" in message) {
      this.#mark(message.progress.type);
      for (const listener of this.#progress) listener(message.progress);
    }
  }

  #mark(type: string): void {
    for (const key of staleBy(type)) this.#stale.add(key);
    this.#gathering ??= window.setTimeout(() => {
      this.#gathering = undefined;
      const keys = [...this.#stale];
      this.#stale.clear();
      for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
    }, GATHER_MS);
  }

  #lose(socket: WebSocket): void {
    if (socket !== this.#socket || this.#state === "off") return;
    this.#set("lost");
    // It may have been lost before, and wait to try again.
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#connect(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
  }

  #set(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const live = new Live();

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => live.listen(listener),
    () => live.state,
  );
}

/** Calls back for what goes on while dependencies are looked at and installed. Contract: the listener stays the same. */
export function useProgress(listener: (event: DependencyEvent) => void): void {
  useEffect(() => live.onProgress(listener), [listener]);
}

/** Calls back for the steps of installs that this browser started. Contract: the listener stays the same. */
export function useInstallSteps(listener: (step: InstallProgressStep) => void): void {
  useEffect(() => live.onInstall(listener), [listener]);
}
