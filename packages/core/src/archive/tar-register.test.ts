import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import type { TarBlock } from "@skillhold/skill/tar";
import { describe, expect, test } from "vitest";
import { TarRegister } from "./tar-register.ts";
import type { TarStreamEntry } from "./tar-stream-reader.ts";

const block: TarBlock = { kind: "file", path: "demo/a", start: 512, size: 6 };

function witnessed(header: Partial<TarStreamEntry["header"]> = {}, start = 512): TarStreamEntry {
  const owner = { uid: 0, gid: 0, uname: "", gname: "", devmajor: 0, devminor: 0 };
  const rest = { mode: 0o644, mtime: new Date(0), linkname: "", ...owner };
  return { header: { name: "demo/a", size: 6, type: "file", ...rest, ...header }, start };
}

function register(blocks: readonly TarBlock[], entries: readonly TarStreamEntry[], limits = defaultLimits) {
  const both = new TarRegister(limits);
  for (const each of blocks) both.add(each);
  for (const each of entries) both.admit(each);
  return both.finish();
}

describe("two readings of a tar", () => {
  test("agree when they find the same entries [S-42]", () => {
    expect(register([block], [witnessed()])).toMatchObject([{ path: "demo/a", size: 6, start: 512 }]);
  });

  test.each([
    ["of another size", [witnessed({ size: 5 })]],
    ["of another kind", [witnessed({ type: "directory", size: 6 })]],
    ["in another place", [witnessed({}, 1024)]],
    ["of another name", [witnessed({ name: "demo/b" })]],
    ["less", []],
    ["more", [witnessed(), witnessed({ name: "demo/b" }, 1536)]],
  ])("reject an archive when one finds an entry %s [S-42]", (_, entries) => {
    expect(() => register([block], entries)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ reason: "mismatch" }) }),
    );
  });

  test("stop at the entry limit, even if the other finds none [S-66]", () => {
    const blocks = Array.from({ length: 11 }, (_, at) => ({ ...block, start: at * 1024 }));
    expect(() => register(blocks, [], withLimits({ bundleFiles: 1 }))).toThrow(
      expect.objectContaining({ code: "LIMIT_EXCEEDED" }),
    );
  });
});
