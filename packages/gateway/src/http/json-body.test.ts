import { errorCodeOf } from "@skillhold/core/bundle";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJsonBytes, readBytes, rejectExcessive } from "./json-body.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const codeOf = (work: () => unknown) => {
  try {
    work();
    return "none";
  } catch (error) {
    return errorCodeOf(error);
  }
};

describe("JSON from clients", () => {
  test("is parsed as JSON.parse would, for every value within the limits [S-53]", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        fc.pre(!text.includes("__proto__"));
        expect(parseJsonBytes(bytesOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("rejects depth before it parses, whatever follows [S-53]", () => {
    for (const open of ["[", '{"a":', '["]",', '[{"\\"[":'])
      expect(codeOf(() => parseJsonBytes(bytesOf(open.repeat(100))))).toBe("USAGE");
    expect(() => rejectExcessive(bytesOf("[".repeat(33)))).toThrow(/nested/);
    expect(() => rejectExcessive(bytesOf(`"${"[".repeat(33)}"`))).not.toThrow();
    expect(() => rejectExcessive(bytesOf(`"\\"${"[".repeat(33)}"`))).not.toThrow();
    expect(() => rejectExcessive(bytesOf(`"\\\\"${"[".repeat(33)}`))).toThrow(/nested/);
  });

  test("rejects many tiny values and keys that replace a prototype [S-53]", () => {
    expect(codeOf(() => parseJsonBytes(bytesOf(`[${"0,".repeat(200_000)}0]`)))).toBe("LIMIT_EXCEEDED");
    expect(codeOf(() => parseJsonBytes(bytesOf('{"a":[{"__proto__":1}]}')))).toBe("USAGE");
  });

  test("counts a large body as several requests while it arrives [S-53]", async () => {
    const post = (size: number) => new Request("http://host/", { method: "POST", body: "x".repeat(size) });
    const taken: number[] = [];
    await readBytes(post(1024 * 1024), 2 * 1024 * 1024, (count) => taken.push(count));
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(64);
    taken.length = 0;
    await readBytes(post(1000), 2000, (count) => taken.push(count));
    expect(taken).toEqual([]);
    await expect(readBytes(post(3000), 2000)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });
});
