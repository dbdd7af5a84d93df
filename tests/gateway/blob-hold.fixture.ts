import type { Digest } from "@skillhold/protocol";
import type { BlobStore } from "@skillhold/registry/record";
import { openTestGateway, type TestGateway } from "./gateway.fixture.ts";

export interface BlobHold {
  /** The number of reads per digest. */
  readonly reads: ReadonlyMap<Digest, number>;
  /** Resolves on the first read of one of these digests. */
  readonly begun: (digest: Digest) => Promise<void>;
  /** Resolves on the first write. */
  readonly putting: Promise<void>;
  /** Releases these and all later calls. */
  readonly release: () => void;
}

/** A gateway whose store holds reads and writes of blobs until they are released. */
export async function openHeldGateway(): Promise<TestGateway & { readonly hold: BlobHold }> {
  const base = await openTestGateway();
  const { registry, context } = base;
  const { blobs } = registry.store;
  const released = Promise.withResolvers<void>();
  const reads = new Map<Digest, number>();
  const begins = new Map<Digest, PromiseWithResolvers<void>>();
  const beginOf = (digest: Digest) => {
    const found = begins.get(digest) ?? Promise.withResolvers<void>();
    begins.set(digest, found);
    return found;
  };
  const get: BlobStore["get"] = async (digest) => {
    reads.set(digest, (reads.get(digest) ?? 0) + 1);
    beginOf(digest).resolve();
    await released.promise;
    return await blobs.get(digest);
  };
  const putting = Promise.withResolvers<void>();
  const put: BlobStore["put"] = async (given) => {
    putting.resolve();
    await released.promise;
    return await blobs.put(given);
  };
  const own: Readonly<Record<string | symbol, unknown>> = { get, put };
  const held = new Proxy(blobs, {
    get: (target, name) => {
      const value: unknown = own[name] ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const slow = { ...registry, store: { ...registry.store, blobs: held } };
  const { skills, library, audit } = context;
  const gateway = await openTestGateway({ registry: slow, skills, library, audit });
  const hold = {
    reads,
    begun: (digest: Digest) => beginOf(digest).promise,
    putting: putting.promise,
    release: () => released.resolve(),
  };
  const close = async () => {
    released.resolve();
    await gateway.close();
    await base.close();
  };
  return { ...gateway, registry, folder: base.folder, asRole: base.asRole, hold, close };
}
