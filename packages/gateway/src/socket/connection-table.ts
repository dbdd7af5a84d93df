import type { CancelTimer, Clock, Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { Principal } from "../auth/principal.ts";
import { type CloseCode, closeCodes } from "./close-code.ts";
import type { SocketConnection } from "./socket-connection.ts";
import type { SocketLimits } from "./socket-limits.ts";

export interface TablePorts {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** All connections and their principals. */
export class ConnectionTable {
  readonly #limits: SocketLimits;
  readonly #clock: Clock;
  readonly #members = new Map<SocketConnection, Principal | undefined>();
  readonly #cancels: readonly CancelTimer[];

  constructor(limits: SocketLimits, { clock, timers }: TablePorts) {
    this.#limits = limits;
    this.#clock = clock;
    this.#cancels = [
      timers.every(limits.pingMs, () => this.#ping()),
      timers.every(limits.lookMs, () => this.#check()),
    ];
  }

  get size(): number {
    return this.#members.size;
  }

  /**
   * Above the limit of unauthenticated connections the oldest is dropped, preferably one of the same address. A
   * well-behaved client authenticates at once.
   */
  add(connection: SocketConnection): void {
    const unauthenticated = [...this.#members].filter(
      ([{ channel }, principal]) => principal === undefined && channel.isOpen,
    );
    const { address } = connection.client;
    const [first] =
      unauthenticated.find(([{ client }]) => client.address === address) ?? unauthenticated[0] ?? [];
    if (unauthenticated.length >= this.#limits.strangers) first?.channel.drop();
    this.#members.set(connection, undefined);
  }

  remove(connection: SocketConnection): void {
    this.#members.delete(connection);
  }

  /** Sets the principal of a connection. Throws INTERRUPTED when the connection is already closed. */
  admit(connection: SocketConnection, principal: Principal): void {
    if (!this.#members.has(connection)) throw new SkillError("INTERRUPTED", "The connection is closed.");
    const { perToken } = this.#limits;
    if (this.admitted().filter(([, { token }]) => token === principal.token).length >= perToken)
      throw new SkillError("RATE_LIMITED", `This token has ${perToken} connections, which is the limit.`, {
        hint: "Close unused connections, or use another token.",
      });
    this.#members.set(connection, principal);
  }

  admitted(): readonly (readonly [SocketConnection, Principal])[] {
    return [...this.#members].flatMap(([connection, principal]) =>
      principal === undefined ? [] : [[connection, principal] as const],
    );
  }

  /** Sends a message to all matching principals, except to workspaces, which get envelopes only. */
  send(text: Buffer, isMatch: (principal: Principal) => boolean = () => true): void {
    for (const [{ channel, client }, principal] of this.#members)
      if (principal !== undefined && client.workspace === undefined && isMatch(principal)) channel.send(text);
  }

  /** Closes the connections of matching principals. */
  disconnect(isMatch: (principal: Principal) => boolean, code: CloseCode, reason: string): void {
    for (const [{ channel }, principal] of this.admitted())
      if (isMatch(principal)) channel.close(code, reason);
  }

  async close(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    const channels = [...this.#members.keys()].map(({ channel }) => channel);
    for (const channel of channels) channel.close(closeCodes.goingAway, "The gateway is shutting down.");
    await Promise.all(channels.map((channel) => channel.closed(CLOSE_MS)));
  }

  #ping(): void {
    for (const { channel } of this.#members.keys()) channel.ping();
  }

  #check(): void {
    const now = this.#clock.now().getTime();
    this.disconnect(
      ({ expiresAt }) => Date.parse(expiresAt) <= now,
      closeCodes.refused,
      "The token expired.",
    );
    for (const { channel } of this.#members.keys()) {
      channel.rejectSlow();
      channel.watchClose();
    }
  }
}

const CLOSE_MS = 1000;
