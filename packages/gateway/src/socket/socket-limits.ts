const KB = 1024;
const MB = 1024 * KB;

/** The limits of sockets, in milliseconds and bytes. */
export interface SocketLimits {
  /** The time until a client must be authenticated. */
  readonly helloMs: number;
  /** The number of connections that are not authenticated yet. */
  readonly strangers: number;
  /** Connections per token. */
  readonly perToken: number;
  readonly messageBytes: number;
  /** Queued messages per connection; above it, reading pauses. */
  readonly waiting: number;
  /** Consecutive messages that may exceed the rate limit before the connection closes. */
  readonly refusals: number;
  readonly pingMs: number;
  /** The interval of the checks for slow clients and expired tokens. */
  readonly lookMs: number;
  /** A client is too slow with more unread bytes than this for `slowMs`, or more than `mostBytes` at any time. */
  readonly slowBytes: number;
  readonly slowMs: number;
  readonly mostBytes: number;
  /** The time after a close in which the client must read pending bytes or answer. */
  readonly closeMs: number;
  /** The interval between two change notifications. */
  readonly changedMs: number;
}

export const socketLimits: SocketLimits = {
  helloMs: 5000,
  strangers: 1000,
  perToken: 100,
  messageBytes: 64 * KB,
  waiting: 16,
  refusals: 100,
  pingMs: 30_000,
  lookMs: 1000,
  slowBytes: MB,
  slowMs: 5000,
  mostBytes: 8 * MB,
  closeMs: 5000,
  changedMs: 100,
};
