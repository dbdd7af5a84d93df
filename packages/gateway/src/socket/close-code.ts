/** Why a socket ends, in the numbers of the protocol. */
export const closeCodes = {
  /** The gateway goes away. */
  goingAway: 1001,
  /** What was sent is of a kind that is not taken. */
  unsupported: 1003,
  /** Who is there may not be, or not any more. */
  refused: 1008,
  /** Something went wrong here. */
  failed: 1011,
  /** Come again later, and go on after the last event that came. */
  tryLater: 1013,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];
