import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type SecretPlace, seal, unseal } from "./seal.ts";

const key = randomBytes(32);
const place: SecretPlace = { skill: "pdf", agent: "writer", name: "API_KEY" };
const unreadable = expect.objectContaining({ code: "SECRET_UNREADABLE" });

test("a sealed value opens with its key in its place [S-33]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const value = text.toWellFormed();
      expect(unseal(seal(value, place, key), place, key)).toBe(value);
    }),
  );
});

test("a sealed value shows nothing of the value, and every seal differs [S-33]", () => {
  const value = "a value that is long enough to be recognised";
  const first = Buffer.from(seal(value, place, key));
  const second = Buffer.from(seal(value, place, key));
  expect(first.includes(value.slice(0, 6))).toBe(false);
  expect(first.subarray(1, 13).equals(second.subarray(1, 13))).toBe(false);
  expect(first.subarray(29).equals(second.subarray(29))).toBe(false);
});

test.each<[string, SecretPlace]>([
  ["skill", { ...place, skill: "docx" }],
  ["agent", { ...place, agent: "reader" }],
  ["scope, for all agents", { skill: "pdf", name: "API_KEY" }],
  ["name", { ...place, name: "OTHER" }],
  ["split of the same letters", { skill: "pdfw", agent: "riter", name: "API_KEY" }],
])("a sealed value that is moved to another %s does not open [S-33]", (_, other) => {
  expect(() => unseal(seal("value", place, key), other, key)).toThrow(unreadable);
});

test("another key does not open it, and a key of another length is rejected [S-33]", () => {
  const sealed = seal("value", place, key);
  expect(() => unseal(sealed, place, randomBytes(32))).toThrow(unreadable);
  for (const length of [0, 16, 31, 33]) {
    const wrong = expect.objectContaining({ code: "CONFIG_INVALID" });
    expect(() => seal("value", place, randomBytes(length))).toThrow(wrong);
    expect(() => unseal(sealed, place, randomBytes(length))).toThrow(wrong);
  }
});

test("detects a change of any byte and any truncation [S-33]", () => {
  const sealed = seal("value", place, key);
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Uint8Array.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => unseal(changed, place, key)).toThrow(unreadable);
    expect(() => unseal(sealed.subarray(0, index), place, key)).toThrow(unreadable);
  }
});

test("the error names the secret, but neither value nor key [S-33]", () => {
  const sealed = seal("value", place, key);
  expect(() => unseal(sealed, place, randomBytes(32))).toThrow(
    "The secret API_KEY of pdf and writer cannot be opened.",
  );
});
