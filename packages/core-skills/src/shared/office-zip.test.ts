import { execFileSync } from "node:child_process";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import type { InputFile } from "./input-file.ts";
import { officeBounds, readOfficeZip, readXmlPart, writeOfficeZip } from "./office-zip.ts";

const fileOf = (bytes: Uint8Array): InputFile => ({
  path: "a.docx",
  absolute: "/a.docx",
  name: "a.docx",
  bytes,
});
const parts = new Map([
  ["word/document.xml", strToU8("<w:document/>")],
  ["[Content_Types].xml", strToU8("<Types/>")],
]);

test("parts survive a round trip, content types first [S-40]", () => {
  const read = readOfficeZip(fileOf(writeOfficeZip(parts)));
  expect([...read.keys()]).toEqual(["[Content_Types].xml", "word/document.xml"]);
  expect(readXmlPart(read, "word/document.xml", fileOf(new Uint8Array()))).toBe("<w:document/>");
  expect(readXmlPart(read, "missing.xml", fileOf(new Uint8Array()))).toBeUndefined();
});

test("the same parts give the same bytes in every time zone [S-40]", () => {
  const script =
    `const { writeOfficeZip } = await import(${JSON.stringify(new URL("office-zip.ts", import.meta.url).href)});` +
    `process.stdout.write(Buffer.from(writeOfficeZip(new Map([["a.xml", Buffer.from("<a/>")]]))).toString("hex"));`;
  const packIn = (TZ: string) =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { env: { ...process.env, TZ } });
  expect(packIn("Asia/Tokyo").toString()).toBe(packIn("America/Lima").toString());
});

test("rejects a bomb before unpacking it, by size, ratio and number of parts [S-40]", () => {
  const bomb = zipSync({ "a.xml": new Uint8Array(20_000_000) });
  expect(() => readOfficeZip(fileOf(bomb))).toThrow(/far more than a document/);
  const small = { ...officeBounds, maxRatio: 1_000_000 };
  expect(() => readOfficeZip(fileOf(bomb), { ...small, maxPartBytes: 1_000_000 })).toThrow(/far more/);
  expect(() => readOfficeZip(fileOf(bomb), { ...small, maxTotalBytes: 1_000_000 })).toThrow(/far more/);
  const many = zipSync(
    Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, strToU8("x")])),
  );
  expect(() => readOfficeZip(fileOf(many), { ...officeBounds, maxParts: 20 })).toThrow(/far more/);
});

test("unpacks no more of a part than it declares [S-40]", () => {
  const packed = Buffer.from(zipSync({ "a.xml": new Uint8Array(5_000_000) }));
  // The size unpacked stands 24 bytes into the entry of the central directory.
  const central = packed.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  packed.writeUInt32LE(1000, central + 24);
  expect(readOfficeZip(fileOf(new Uint8Array(packed))).get("a.xml")).toHaveLength(1000);
  packed.writeUInt32LE(5_000_001, central + 24);
  const bounds = { ...officeBounds, maxRatio: 10_000 };
  expect(() => readOfficeZip(fileOf(new Uint8Array(packed)), bounds)).toThrow(
    /another length than the archive declares/,
  );
});

test("distinguishes files that are not complete office documents [S-40]", () => {
  const codeOf = (bytes: Uint8Array) => {
    try {
      readOfficeZip(fileOf(bytes));
      return "none";
    } catch (error) {
      return error instanceof Error && "code" in error ? error.code : error;
    }
  };
  expect(codeOf(strToU8("plain text, long enough to be looked at"))).toBe("NOT_AN_OFFICE_FILE");
  expect(codeOf(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1]))).toBe("ENCRYPTED_OR_LEGACY");
  expect(codeOf(writeOfficeZip(parts).slice(0, -30))).toBe("BROKEN_FILE");
  expect(codeOf(strToU8("PK"))).toBe("BROKEN_FILE");
});

test("rejects a part with a document type, because entities multiply [S-40]", () => {
  const file = fileOf(
    writeOfficeZip(new Map([["a.xml", strToU8('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')]])),
  );
  expect(() => readXmlPart(readOfficeZip(file), "a.xml", file)).toThrow(/document type/);
});
