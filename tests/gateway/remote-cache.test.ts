import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  anyone,
  freshFolder,
  openRemote,
  type ServedGateway,
  serveGateway,
  standBetween,
} from "./remote.fixture.ts";
import { put } from "./skill.fixture.ts";

const run = promisify(execFile);

let served: ServedGateway;
let token: string;
beforeAll(async () => {
  served = await serveGateway();
  await put(served.gateway, "pdf", { visibility: "public", files: { "references/forms.md": "# Forms\n" } });
  token = await served.tokenOf("viewer", "bob");
});
afterAll(() => served.close());

/** The only gateway folder of a cache. */
function folderIn(cache: string): string {
  const [name = ""] = readdirSync(cache);
  return join(cache, name);
}

test("the cache belongs to one user and is addressed by content [S-13]", async () => {
  const cache = join(await freshFolder(), "deep", "cache");
  const library = await openRemote(served.url, token, { cache });
  const { skillHash } = await library.read(anyone, "pdf");
  const folder = folderIn(cache);
  const name = skillHash.replace("sha256:", "");
  expect(readdirSync(folder)).toEqual([name]);
  expect([cache, folder].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400);
});

test("a second start reads files from the cache [S-17]", async () => {
  const cache = await freshFolder();
  const between = await standBetween(served.url);
  const first = await openRemote(between.url, token, { cache });
  await first.read(anyone, "pdf");
  between.seen.length = 0;
  const second = await openRemote(between.url, token, { cache });
  await second.read(anyone, "pdf");
  expect(between.seen.filter((line) => line.includes("SKILL.md"))).toEqual([]);
  expect(between.seen.length).toBeGreaterThan(0);
});

const poisons: Readonly<Record<string, (path: string) => unknown>> = {
  "other bytes of the same length": (path) => {
    writeFileSync(path, Buffer.alloc(statSync(path).size, "x"));
  },
  "the beginning of them": (path) => writeFileSync(path, readFileSync(path).subarray(0, 10)),
  "more of them": (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from("!")])),
  nothing: (path) => writeFileSync(path, ""),
  "a link to another file": (path) => {
    rmSync(path);
    symlinkSync("/etc/passwd", path);
  },
  "a link to the right bytes elsewhere": (path) => {
    writeFileSync(`${path}.moved`, readFileSync(path));
    rmSync(path);
    symlinkSync(`${path}.moved`, path);
  },
  "a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  "a pipe that nobody writes to": async (path) => {
    rmSync(path);
    await run("mkfifo", [path]);
  },
};

test.each(Object.entries(poisons))(
  "fetches a cached file again when it was replaced by %s [S-13]",
  async (_, poison) => {
    const cache = await freshFolder();
    const between = await standBetween(served.url);
    const library = await openRemote(between.url, token, { cache });
    const { skillHash } = await library.read(anyone, "pdf");
    const path = join(folderIn(cache), skillHash.replace("sha256:", ""));
    await poison(path);
    between.seen.length = 0;
    expect((await library.read(anyone, "pdf")).body).toBe("Do it.\n");
    expect(between.seen.filter((line) => line.includes("/files/SKILL.md"))).toHaveLength(1);
  },
);

test("does not return a modified cached file when the gateway is unavailable [S-13]", async () => {
  const cache = await freshFolder();
  let isDown = false;
  const { url } = await standBetween(served.url, ({ url: asked = "" }, response) => {
    if (!isDown || !asked.includes("/files/")) return false;
    response.writeHead(500).end();
    return true;
  });
  const library = await openRemote(url, token, { cache });
  const { skillHash } = await library.read(anyone, "pdf");
  isDown = true;
  expect((await library.read(anyone, "pdf")).body).toBe("Do it.\n");
  writeFileSync(join(folderIn(cache), skillHash.replace("sha256:", "")), "---\nname: pdf\n---\nEvil.\n");
  await expect(library.read(anyone, "pdf")).rejects.toMatchObject({ code: "REMOTE_FAILED" });
});

test("rejects a cache folder that others can read, with the fix [S-53]", async () => {
  const cache = await freshFolder();
  await chmod(cache, 0o755);
  await expect(openRemote(served.url, token, { cache })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    hint: expect.stringContaining("chmod 700"),
  });
});

test("does not share cached files between gateways [S-43]", async () => {
  const cache = await freshFolder();
  const first = await openRemote(served.url, token, { cache });
  await first.read(anyone, "pdf");
  const between = await standBetween(served.url);
  const second = await openRemote(between.url, token, { cache });
  await second.read(anyone, "pdf");
  expect(between.seen.filter((line) => line.includes("/files/SKILL.md"))).toHaveLength(1);
  expect(readdirSync(cache)).toHaveLength(2);
});

test("the cache deletes its oldest files at the size limit [S-66]", async () => {
  const own = await serveGateway();
  try {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`assets/${index}.txt`, `${index} `.repeat(16 * 1024)]),
    );
    await put(own.gateway, "large", { visibility: "public", files });
    const cache = await freshFolder();
    const limits = { remoteCacheBytes: 1024 * 1024 };
    const library = await openRemote(own.url, await own.tokenOf("viewer", "bob"), { cache, limits });
    const content = await library.copy(anyone, "large", await freshFolder());
    const total = content.files.reduce((sum, { size }) => sum + size, 0);
    expect(total).toBeGreaterThan(1.5 * 1024 * 1024);
    const folder = folderIn(cache);
    const kept = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(1024 * 1024);
  } finally {
    await own.close();
  }
});

test("several processes share a cache without reading partial files [S-13]", async () => {
  const own = await serveGateway();
  try {
    const expected: string[] = [];
    for (let number = 0; number < 12; number += 1) {
      const id = `skill-${String(number).padStart(2, "0")}`;
      const text = `${number} `.repeat(20_000);
      await put(own.gateway, id, { visibility: "public", files: { "references/text.md": text } });
      expected.push(`${id} references/text.md ${text}`);
    }
    const cache = await freshFolder();
    const script = resolve(import.meta.dirname, "remote-reader.ts");
    const secret = await own.tokenOf("viewer", "bob");
    const args = ["--conditions=@skillhold/source", script, own.url, secret, cache];
    const outputs = await Promise.all(
      [1, 2, 3].map(async () => (await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })).stdout),
    );
    for (const output of outputs) {
      const read: unknown = JSON.parse(output);
      expect(read).toEqual(expect.arrayContaining(expected));
      expect(read).toHaveLength(24);
    }
    const folder = folderIn(cache);
    const names = readdirSync(folder);
    expect(names).toHaveLength(24);
    for (const name of names) expect(hash("sha256", readFileSync(join(folder, name)), "hex")).toBe(name);
  } finally {
    await own.close();
  }
});
