import type { Clock } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { Principal } from "../auth/principal.ts";
import { type CloseCode, closeCodes } from "./close-code.ts";
import type { SocketConnection } from "./socket-connection.ts";
import type { SocketLimits } from "./socket-limits.ts";

/** All who are connected, and who they are. */
export class SocketCrowd {
  readonly #limits: SocketLimits;
  readonly #clock: Clock;
  readonly #members = new Map<SocketConnection, Principal | undefined>();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(limits: SocketLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#timers = [
      setInterval(() => this.#beat(), limits.pingMs).unref(),
      setInterval(() => this.#look(), limits.lookMs).unref(),
    ];
  }

  get size(): number {
    return this.#members.size;
  }

  /**
   * Of too many strangers the first has to go, and one of the same address before others': whoever means well says at
   * once who they are.
   */
  add(connection: SocketConnection): void {
    const strangers = [...this.#members].filter(
      ([{ line }, principal]) => principal === undefined && line.isOpen,
    );
    const { address } = connection.visitor;
    const [first] = strangers.find(([{ visitor }]) => visitor.address === address) ?? strangers[0] ?? [];
    if (strangers.length >= this.#limits.strangers) first?.line.drop();
    this.#members.set(connection, undefined);
  }

  remove(connection: SocketConnection): void {
    this.#members.delete(connection);
  }

  /** Notes who someone is. One who is gone meanwhile is not taken in again. */
  admit(connection: SocketConnection, principal: Principal): void {
    if (!this.#members.has(connection)) throw new SkillError("INTERRUPTED", "The connection is closed.");
    const { perToken } = this.#limits;
    if (this.admitted().filter(([, { token }]) => token === principal.token).length >= perToken)
      throw new SkillError("RATE_LIMITED", `This token has ${perToken} connections.`, {
        hint: "Close those that are not needed, or use another token.",
      });
    this.#members.set(connection, principal);
  }

  admitted(): readonly (readonly [SocketConnection, Principal])[] {
    return [...this.#members].flatMap(([connection, principal]) =>
      principal === undefined ? [] : [[connection, principal] as const],
    );
  }

  /** The same text to all whom it is meant for. */
  send(text: Buffer, isMeant: (principal: Principal) => boolean = () => true): void {
    for (const [{ line }, principal] of this.#members)
      if (principal !== undefined && isMeant(principal)) line.send(text);
  }

  /** Ends the connections of those that are meant. */
  dismiss(isMeant: (principal: Principal) => boolean, code: CloseCode, reason: string): void {
    for (const [{ line }, principal] of this.admitted()) if (isMeant(principal)) line.close(code, reason);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const lines = [...this.#members.keys()].map(({ line }) => line);
    for (const line of lines) line.close(closeCodes.goingAway, "The gateway is shutting down.");
    await Promise.all(lines.map((line) => line.closed(LAST_WORDS_MS)));
  }

  #beat(): void {
    for (const { line } of this.#members.keys()) line.beat();
  }

  #look(): void {
    const now = this.#clock.now().getTime();
    this.dismiss(({ expiresAt }) => Date.parse(expiresAt) <= now, closeCodes.refused, "The token is over.");
    for (const { line } of this.#members.keys()) line.rejectSlow();
  }
}

const LAST_WORDS_MS = 1000;
