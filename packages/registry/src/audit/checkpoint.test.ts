import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readCheckpoint, signCheckpoint } from "./checkpoint.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const signer = { name: "skillhold", key: privateKey };
const trusted = [{ name: "skillhold", key: publicKey }];
const checkpoint = { origin: "skillhold/audit", size: 12, root: "ab".repeat(32) };

test("reads a signed checkpoint back [S-62]", () => {
  const note = signCheckpoint(checkpoint, signer);
  expect(note.split("\n").slice(0, 2)).toEqual(["skillhold/audit", "12"]);
  expect(readCheckpoint(note, trusted)).toEqual(checkpoint);
});

test("rejects a note with another key, another name or no signature [S-62]", () => {
  const note = signCheckpoint(checkpoint, signer);
  const other = generateKeyPairSync("ed25519");
  expect(readCheckpoint(note, [{ name: "skillhold", key: other.publicKey }])).toBeUndefined();
  expect(readCheckpoint(note, [{ name: "else", key: publicKey }])).toBeUndefined();
  expect(readCheckpoint(note, [])).toBeUndefined();
  expect(readCheckpoint(note.slice(0, note.indexOf("—")), trusted)).toBeUndefined();
});

test("detects a change of any character of a note [S-62]", () => {
  const note = signCheckpoint(checkpoint, signer);
  fc.assert(
    fc.property(
      fc.nat({ max: note.length - 1 }),
      fc.string({ minLength: 1, maxLength: 1 }),
      (at, character) => {
        const changed = note.slice(0, at) + character + note.slice(at + 1);
        const read = readCheckpoint(changed, trusted);
        // Base64 can encode the same bytes in several ways, so a changed note may have the same content.
        expect([undefined, checkpoint]).toContainEqual(read);
      },
    ),
  );
});
