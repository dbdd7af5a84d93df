import type { Clock } from "@skillhold/core/port";
import type { Digest } from "@skillhold/protocol";
import type { BlobEntry, BlobStore } from "@skillhold/registry/record";
import { beforeEach, describe, expect, test } from "vitest";
import { digest } from "../table/registry.fixture.ts";

/** The blobs of one engine, with direct access for tests. */
export interface BlobSubject {
  readonly blobs: BlobStore;
  /** Changes the stored bytes but not their length. */
  damage(digest: Digest): Promise<void>;
  close(): Promise<void>;
}

const time = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes));
const blob = (content: string | Uint8Array) => {
  const bytes = Buffer.from(content);
  return { digest: digest(bytes), bytes };
};
const blobDamaged = { code: "INTEGRITY_FAILED" };

/** The contract of every blob store. */
export function blobStoreContract(engine: string, open: (clock: Clock) => Promise<BlobSubject>): void {
  describe(`blobs on ${engine}`, () => {
    let minutes = 0;
    let subject: BlobSubject;
    beforeEach(async () => {
      minutes = 0;
      subject = await open({ now: () => time(minutes) });
      return () => subject.close();
    });

    async function list(): Promise<readonly BlobEntry[]> {
      const entries: BlobEntry[] = [];
      for await (const entry of subject.blobs.list()) entries.push(entry);
      return entries.toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
    }

    test("returns any bytes by their hash [S-41]", async () => {
      const blobs = [
        blob(""),
        blob("a"),
        blob(Buffer.alloc(6_000_000, 7)),
        blob(Uint8Array.of(0, 255, 0xc3)),
      ];
      await subject.blobs.put([...blobs, ...blobs]);
      for (const each of blobs) {
        expect(Buffer.compare(await subject.blobs.get(each.digest), each.bytes)).toBe(0);
      }
      await subject.blobs.put([]);
    });

    test("returns staged bytes, new and existing ones [S-41]", async () => {
      const blobs = [blob("old"), blob("new")];
      await subject.blobs.put(blobs.slice(0, 1));
      minutes = 5;
      await subject.blobs.put(blobs, "staged");
      expect(await Promise.all(blobs.map(({ digest: name }) => subject.blobs.get(name)))).toEqual(
        blobs.map(({ bytes }) => Buffer.from(bytes)),
      );
      expect((await list()).map(({ putAt }) => putAt)).toEqual([time(5), time(5)]);
    });

    test("lists all blobs with size and time of the last put [S-41]", async () => {
      const blobs = Array.from({ length: 1300 }, (_, index) => blob(`blob ${index}`));
      await subject.blobs.put(blobs);
      minutes = 5;
      const [first = blob("")] = blobs;
      await subject.blobs.put([first]);
      const expected = blobs.map(({ digest: name, bytes }) => ({
        digest: name,
        size: bytes.length,
        putAt: name === first.digest ? time(5) : time(0),
      }));
      expect(await list()).toEqual(expected.toSorted((a, b) => (a.digest < b.digest ? -1 : 1)));
    });

    test("never returns missing or changed bytes [S-41]", async () => {
      await subject.blobs.put([blob("good"), blob("other")]);
      await subject.damage(blob("good").digest);
      await expect(subject.blobs.get(blob("good").digest)).rejects.toMatchObject(blobDamaged);
      await expect(subject.blobs.get(blob("never put").digest)).rejects.toMatchObject(blobDamaged);
      expect(Buffer.from(await subject.blobs.get(blob("other").digest)).toString()).toBe("other");
    });

    test("lists missing blobs by digest [S-41]", async () => {
      const blobs = Array.from({ length: 600 }, (_, index) => blob(`blob ${index}`));
      const names = blobs.map((each) => each.digest);
      await subject.blobs.put(blobs.slice(1));
      expect(await subject.blobs.missing([...names, digest("other")])).toEqual([names[0], digest("other")]);
      expect(await subject.blobs.missing([])).toEqual([]);
    });

    test("repairs changed bytes on the next put [S-41]", async () => {
      await subject.blobs.put([blob("good")]);
      await subject.damage(blob("good").digest);
      await subject.blobs.put([blob("good")]);
      expect(Buffer.from(await subject.blobs.get(blob("good").digest)).toString()).toBe("good");
    });

    test("rejects a batch that contains bytes with a wrong digest [S-41]", async () => {
      const put = subject.blobs.put([blob("good"), { digest: digest("a"), bytes: Buffer.from("b") }]);
      await expect(put).rejects.toMatchObject(blobDamaged);
      await expect(subject.blobs.get(digest("a"))).rejects.toMatchObject(blobDamaged);
      expect(await list()).toEqual([]);
    });

    test("removes and counts the blobs last put before the given time [S-45]", async () => {
      const old = Array.from({ length: 600 }, (_, index) => blob(`old ${index}`));
      await subject.blobs.put([...old, blob("renewed")]);
      minutes = 10;
      await subject.blobs.put([blob("renewed"), blob("new")]);
      const all = [...old, blob("renewed"), blob("new"), blob("unknown")].map((each) => each.digest);
      expect(await subject.blobs.remove(all, time(0))).toBe(0);
      expect(await subject.blobs.remove(all, time(10))).toBe(600);
      expect(await list()).toHaveLength(2);
      expect(await subject.blobs.remove(all, time(11))).toBe(2);
      expect([await list(), await subject.blobs.sweep(time(99))]).toEqual([[], 0]);
    });

    test("keeps a blob that is put while it is removed [S-41]", async () => {
      const blobs = Array.from({ length: 20 }, (_, index) => blob(`blob ${index}`));
      const names = blobs.map((each) => each.digest);
      for (let round = 1; round <= 15; round += 1) {
        minutes = round;
        // Blobs of earlier rounds are removed, and those of this round stay.
        await Promise.all([
          subject.blobs.remove(names, time(round)),
          subject.blobs.put(blobs),
          subject.blobs.remove(names.toReversed(), time(round)),
          subject.blobs.put(blobs.toReversed()),
        ]);
        for (const name of names) await subject.blobs.get(name);
      }
      expect(await list()).toHaveLength(20);
    });
  });
}
