import type { ServerMessage } from "@skillhold/protocol/http";
import type { StoredEvent } from "@skillhold/registry/record";
import type { Share } from "./event-audience.ts";
import { redactEvent } from "./event-redaction.ts";

/** An event as it is sent: written once, to however many. */
export class EventText {
  readonly #stored: StoredEvent;
  #all: Buffer | undefined;
  #part: Buffer | undefined;

  constructor(stored: StoredEvent) {
    this.#stored = stored;
  }

  of(share: Exclude<Share, "none">): Buffer {
    const { seq, event } = this.#stored;
    if (share === "all") {
      this.#all ??= write({ seq, event });
      return this.#all;
    }
    this.#part ??= write({ seq, event: redactEvent(event) });
    return this.#part;
  }
}

function write(message: ServerMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}
