import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readImage } from "./image-file.ts";
import { tinyPng } from "./office-oracle.fixture.ts";
import { processIo } from "./script-io.ts";
import { makeTempFolder } from "./temp-folder.fixture.ts";

const cwd = makeTempFolder(afterAll);
const io = { ...processIo(), cwd };
const save = (name: string, bytes: Uint8Array) => writeFileSync(join(cwd, name), bytes);

test("reads the kind and size of an image from its bytes, not from its name [S-40]", async () => {
  save("png.txt", tinyPng);
  expect(await readImage("png.txt", io)).toMatchObject({ format: "png", width: 1, height: 1 });
  save("a.gif", Buffer.from(`474946383961${"0a00"}${"1400"}${"00".repeat(20)}`, "hex"));
  expect(await readImage("a.gif", io)).toMatchObject({ format: "gif", width: 10, height: 20 });
  const jpeg = `ffd8${"ffe00004aabb"}${"ffc0000b08"}${"001e"}${"0028"}${"00".repeat(20)}`;
  save("a.jpg", Buffer.from(jpeg, "hex"));
  expect(await readImage("a.jpg", io)).toMatchObject({ format: "jpeg", width: 40, height: 30 });
});

test.each([
  ["a JPEG whose segments have no length", `ffd8${"ffe00000"}${"00".repeat(40)}`],
  ["a JPEG without a frame", `ffd8${"ffe00030"}${"00".repeat(40)}`],
  ["an image without a width", `89504e470d0a1a0a${"00".repeat(40)}`],
  ["a vector graphic", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("hex")],
])("rejects %s [S-40]", async (_, hex) => {
  save("bad", Buffer.from(hex, "hex"));
  await expect(readImage("bad", io)).rejects.toMatchObject({ code: "UNSUPPORTED_IMAGE" });
});

test.each(["http://127.0.0.1/a.png", "data:image/png;base64,AAAA", "file:///etc/passwd"])(
  "rejects the address %s [S-40]",
  async (path) => {
    await expect(readImage(path, io)).rejects.toMatchObject({ code: "USAGE" });
  },
);
