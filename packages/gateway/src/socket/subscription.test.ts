import type { StoredEvent } from "@skillhold/registry/record";
import { expect, test } from "vitest";
import { Subscription, type SubscriptionPorts } from "./subscription.ts";

const event = { type: "session.closed", at: "2026-01-01T00:00:00.000Z", session: "s" } as const;

test("a client catches up with every stored event, also with those the stream has not reached [S-54]", async () => {
  const log: readonly StoredEvent[] = [1, 2, 3].map((seq) => ({ seq, event }));
  const sent: string[] = [];
  const ports = {
    live: { last: 1, join: () => {}, leave: () => {} },
    pages: { read: async (after: number) => log.slice(after, after + 2) },
    owners: { note: () => {} },
    audience: () => ({ shareOf: async () => "all" }),
    onFailure: (error: unknown) => {
      throw error;
    },
    // A subscription without a workspace uses these members only.
  } as unknown as SubscriptionPorts;
  const channel = { send: (text: string | Buffer) => sent.push(String(text)), flushed: async () => {} };
  const principal = { user: "eve", role: "viewer" } as const;
  const options = { principal, after: 0, end: 3, types: undefined };
  // The same for the channel.
  const subscription = new Subscription(options as never, channel as never, ports);
  await subscription.start();
  const seen = sent.map((text) => JSON.parse(text));
  expect(seen.map(({ seq, caughtUp = false }) => ({ seq, caughtUp }))).toEqual([
    { seq: 1, caughtUp: false },
    { seq: 2, caughtUp: false },
    { seq: 3, caughtUp: false },
    { seq: 3, caughtUp: true },
  ]);
  // The stream repeats what the client has.
  subscription.receive(log[2] as StoredEvent, "all", undefined as never);
  expect(sent).toHaveLength(4);
});
