import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { PDFDocument, PDFName } from "@cantoo/pdf-lib";
import { afterAll, expect, test } from "vitest";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { encodePng } from "./png.ts";
import { undoPredictor } from "./predictor.ts";
import { program } from "./program.ts";

const cwd = makeTempFolder(afterAll);
const call = (argv: readonly string[], stdin = "") => callProgram(program, argv, { cwd, stdin });
const at = (name: string) => join(cwd, name);

/** A file with one page that has the given streams among its resources. */
async function writeImages(
  name: string,
  images: readonly { dict: object; bytes: Uint8Array }[],
): Promise<void> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const page = document.addPage([100, 100]);
  images.forEach(({ dict, bytes }, index) => {
    const entries = { Type: "XObject", Subtype: "Image", ...dict };
    const stream = document.context.stream(bytes, entries);
    page.node.setXObject(PDFName.of(`Im${index}`), document.context.register(stream));
  });
  writeFileSync(at(name), await document.save());
}

test("pixels survive a round trip, including transparency [S-40]", async () => {
  const samples = Uint8Array.from({ length: 6 * 3 * 4 }, (_, index) => (index * 37) % 256);
  const png = encodePng({ width: 6, height: 3, bitDepth: 8, kind: "rgba", samples });
  writeFileSync(at("pic.png"), png);
  await call(["create", "-", "--out", "pic.pdf"], "![](pic.png)\n\n\\newpage\n\n![](pic.png)");
  const { json } = await call(["images", "pic.pdf", "--out-dir", "out"]);
  expect(json).toMatchObject({
    total: 1,
    images: [{ page: 1, path: "out/page-1-image-1.png" }],
    skipped: [],
  });
  expect(readFileSync(at("out/page-1-image-1.png")).equals(png)).toBe(true);
});

test("extracts a photograph byte for byte [S-40]", async () => {
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9]);
  const dict = { Width: 8, Height: 8, BitsPerComponent: 8, ColorSpace: "DeviceRGB", Filter: "DCTDecode" };
  await writeImages("photo.pdf", [{ dict, bytes: jpeg }]);
  await call(["images", "photo.pdf", "--out-dir", "photo"]);
  expect(readFileSync(at("photo/page-1-image-1.jpg")).equals(jpeg)).toBe(true);
});

test("converts gray, indexed, CMYK and one-bit images to PNG, and gives a reason for unreadable ones [S-40]", async () => {
  const size = { Width: 2, Height: 1, BitsPerComponent: 8 };
  await writeImages("kinds.pdf", [
    { dict: { ...size, ColorSpace: "DeviceGray" }, bytes: Buffer.from([10, 200]) },
    { dict: { ...size, ColorSpace: "DeviceCMYK" }, bytes: Buffer.from([0, 255, 255, 0, 0, 0, 0, 255]) },
    {
      dict: { ...size, BitsPerComponent: 1, ColorSpace: "DeviceGray", Decode: [1, 0] },
      bytes: Buffer.from([0x40]),
    },
    { dict: { ...size, ColorSpace: "DeviceGray", Filter: "CCITTFaxDecode" }, bytes: Buffer.from([1]) },
    { dict: { ...size, ColorSpace: "DeviceRGB" }, bytes: Buffer.from([1, 2]) },
    { dict: { ...size, ColorSpace: "Pattern" }, bytes: Buffer.from([1, 2]) },
  ]);
  const { json } = await call(["images", "kinds.pdf", "--out-dir", "kinds"]);
  expect(json).toMatchObject({
    images: [{ number: 1 }, { number: 2 }, { number: 3 }],
    skipped: [
      { reason: "its format is CCITTFaxDecode" },
      { reason: "it is cut short" },
      { reason: /colors/ },
    ].map((each) => ({
      reason: typeof each.reason === "string" ? each.reason : expect.stringMatching(each.reason),
    })),
  });
  const expected = (kind: "gray" | "rgb", bitDepth: number, ...bytes: number[]) =>
    Buffer.from(encodePng({ width: 2, height: 1, bitDepth, kind, samples: Uint8Array.from(bytes) }));
  const read = (number: number) => readFileSync(at(`kinds/page-1-image-${number}.png`));
  expect(read(1).equals(expected("gray", 8, 10, 200))).toBe(true);
  expect(read(2).equals(expected("rgb", 8, 255, 0, 0, 0, 0, 0))).toBe(true);
  expect(read(3).equals(expected("gray", 1, 0xbf))).toBe(true);
});

test("skips an image that unpacks to gigabytes, and small ones on request [S-40]", async () => {
  const bomb = deflateSync(Buffer.alloc(300 * 1024 * 1024), { level: 1 });
  const dict = {
    Width: 20_000,
    Height: 15_000,
    BitsPerComponent: 8,
    ColorSpace: "DeviceGray",
    Filter: "FlateDecode",
  };
  await writeImages("bomb.pdf", [{ dict, bytes: bomb }]);
  expect(await call(["images", "bomb.pdf", "--out-dir", "bomb"])).toMatchObject({
    code: 0,
    json: { images: [], skipped: [{ width: 20_000 }] },
  });
  expect(await call(["images", "bomb.pdf", "--min-size", "30000", "--out-dir", "bomb"])).toMatchObject({
    json: { total: 0 },
  });
});

test("decodes every PNG row filter [S-40]", () => {
  const shape = { predictor: 15, colors: 1, bitDepth: 8, columns: 3 };
  const rows = Uint8Array.from([
    ...[0, 10, 20, 30],
    ...[1, 1, 1, 1],
    ...[2, 5, 5, 5],
    ...[3, 10, 10, 10],
    ...[4, 1, 1, 1],
  ]);
  expect([...undoPredictor(rows, shape)]).toEqual([10, 20, 30, 1, 2, 3, 6, 7, 8, 13, 20, 24, 14, 21, 25]);
  expect([...undoPredictor(Uint8Array.from([1, 1, 1, 2, 2, 2]), { ...shape, predictor: 2 })]).toEqual([
    1, 2, 3, 2, 4, 6,
  ]);
});
