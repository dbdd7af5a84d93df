import type { BlobStore } from "@skillhold/core/registry";
import type { Digest } from "@skillhold/protocol";
import { openTestGateway, type TestGateway } from "./gateway.fixture.ts";

export interface BlobHold {
  /** How many are being read now, by their digests. */
  readonly reading: ReadonlyMap<Digest, number>;
  /** Resolves when one of these bytes is first read. */
  readonly begun: (digest: Digest) => Promise<void>;
  /** Lets them, and all later ones, go on. */
  readonly release: () => void;
}

/** A gateway whose store hands over no bytes before it is told to. */
export async function openHeldGateway(): Promise<TestGateway & { readonly hold: BlobHold }> {
  const base = await openTestGateway();
  const { registry, context } = base;
  const { blobs } = registry.store;
  const released = Promise.withResolvers<void>();
  const reading = new Map<Digest, number>();
  const begins = new Map<Digest, PromiseWithResolvers<void>>();
  const beginOf = (digest: Digest) => {
    const found = begins.get(digest) ?? Promise.withResolvers<void>();
    begins.set(digest, found);
    return found;
  };
  const get: BlobStore["get"] = async (digest) => {
    reading.set(digest, (reading.get(digest) ?? 0) + 1);
    beginOf(digest).resolve();
    await released.promise;
    return await blobs.get(digest);
  };
  const held = new Proxy(blobs, {
    get: (target, name) => {
      const value: unknown = name === "get" ? get : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const slow = { ...registry, store: { ...registry.store, blobs: held } };
  const { skills, library } = context;
  const gateway = await openTestGateway({ registry: slow, skills, library });
  const hold = {
    reading,
    begun: (digest: Digest) => beginOf(digest).promise,
    release: () => released.resolve(),
  };
  const close = async () => {
    released.resolve();
    await gateway.close();
    await base.close();
  };
  return { ...gateway, registry, folder: base.folder, asRole: base.asRole, hold, close };
}
