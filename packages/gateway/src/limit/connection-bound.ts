import type { Socket } from "node:net";

export interface ConnectionLimits {
  /** All connections of the port. */
  readonly all: number;
  /** WebSockets. The rest is for requests, such as health checks and administration. */
  readonly upgraded: number;
  /** Kept free for new connections by closing ones that have sent no request. */
  readonly reserve: number;
}

export const connectionLimits: ConnectionLimits = { all: 16_384, upgraded: 12_288, reserve: 256 };

/**
 * Keeps room for new connections. When the port is almost full, the connection that has been silent for longest is closed,
 * of the address that has the most silent ones. A client that opens connections and sends no request only loses its own.
 */
export class ConnectionBound {
  readonly #limits: ConnectionLimits;
  readonly #silent = new Map<string, Set<Socket>>();
  readonly #addresses = new WeakMap<Socket, string>();
  #count = 0;
  #upgraded = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    this.#count += 1;
    this.#addresses.set(socket, address);
    const silent = this.#silent.get(address) ?? new Set();
    this.#silent.set(address, silent.add(socket));
    socket.once("close", () => {
      this.#count -= 1;
      this.heard(socket);
    });
    if (this.#count > this.#limits.all - this.#limits.reserve) this.#evict();
  }

  /** The connection sent a request. */
  heard(socket: Socket): void {
    const address = this.#addresses.get(socket) ?? "";
    const silent = this.#silent.get(address);
    silent?.delete(socket);
    if (silent?.size === 0) this.#silent.delete(address);
  }

  /** Whether one more WebSocket may be opened on this connection. */
  upgrade(socket: Socket): boolean {
    if (this.#upgraded >= this.#limits.upgraded) return false;
    this.#upgraded += 1;
    socket.once("close", () => {
      this.#upgraded -= 1;
    });
    return true;
  }

  #evict(): void {
    let most: Set<Socket> | undefined;
    for (const silent of this.#silent.values()) if (silent.size > (most?.size ?? 0)) most = silent;
    const [oldest] = most ?? [];
    if (oldest === undefined) return;
    this.heard(oldest);
    oldest.destroy();
  }
}
