/** The WebSocket close codes that the gateway uses. */
export const closeCodes = {
  /** The gateway shuts down. */
  goingAway: 1001,
  /** The message type is not supported. */
  unsupported: 1003,
  /** The client is not authenticated, or its token is no longer valid. */
  refused: 1008,
  /** An internal error occurred. */
  failed: 1011,
  /** The client should reconnect and continue after the last event that it received. */
  tryLater: 1013,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];
