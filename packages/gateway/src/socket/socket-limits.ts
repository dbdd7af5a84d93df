const KB = 1024;
const MB = 1024 * KB;

/** What sockets are held to. Times are milliseconds, sizes bytes. */
export interface SocketLimits {
  /** Until it is known who someone is. */
  readonly helloMs: number;
  /** How many may be connected that have not said who they are. */
  readonly strangers: number;
  /** How many connections a token may have. */
  readonly perToken: number;
  readonly messageBytes: number;
  /** How many messages of one connection wait while others are answered; more are not read meanwhile. */
  readonly waiting: number;
  /** How many messages may be refused for their rate, one after the other. */
  readonly refusals: number;
  readonly pingMs: number;
  /** How often it is looked at who is slow and whose token is over. */
  readonly lookMs: number;
  /** Whoever has more than this before them for longer than `slowMs`, or more than `mostBytes` at any time, is too slow. */
  readonly slowBytes: number;
  readonly slowMs: number;
  readonly mostBytes: number;
  /** How long the other side may take to close. */
  readonly closeMs: number;
  /** Between two notices that something changed. */
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
