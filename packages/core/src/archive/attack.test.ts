import { gzipSync } from "node:zlib";
import { SkillError } from "@skillhold/protocol/error";
import { describe, expect, test } from "vitest";
import { archiveInMemory } from "./archive-bytes.ts";
import type { Attack } from "./attack.fixture.ts";
import { tarAttacks } from "./tar-attack.fixture.ts";
import { unpack } from "./unpack.ts";
import { zipAttacks } from "./zip-attack.fixture.ts";

async function attempt(archive: Buffer): Promise<SkillError> {
  const error = await unpack(archiveInMemory(archive)).then(
    () => new Error("it was unpacked"),
    (failure: unknown) => failure,
  );
  if (error instanceof SkillError) return error;
  throw error;
}

function expectRefused(error: SkillError, { reason, entry }: Attack): void {
  const { code, details, message } = error;
  expect({ code, reason: details["reason"], entry: details["entry"] }).toEqual({
    code: reason === "limit" ? "LIMIT_EXCEEDED" : "ARCHIVE_INVALID",
    reason,
    entry,
  });
  if (entry !== undefined) expect(message).toContain(JSON.stringify(entry));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  expect(message).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200b\u202e]/);
}

describe("hostile ZIPs", () => {
  test.each(zipAttacks)("rejects $name with a named reason [S-42]", async (attack) => {
    expectRefused(await attempt(attack.make()), attack);
  });

  test("covers at least 75 attacks [S-42]", () => expect(zipAttacks.length).toBeGreaterThanOrEqual(75));
});

describe("hostile tars", () => {
  test.each(tarAttacks)("rejects $name with a named reason [S-42]", async (attack) => {
    expectRefused(await attempt(attack.make()), attack);
  });

  test.each(tarAttacks.filter((attack) => !isCompressed(attack)))(
    "rejects $name, compressed, for the same reason [S-42]",
    async (attack) => expectRefused(await attempt(gzipSync(attack.make())), attack),
  );
});

function isCompressed({ name, make }: Attack): boolean {
  return name.includes("gzip") || make()[0] === 0x1f;
}
