import { readdirSync } from "node:fs";
import type { RemoteLibrary } from "@skillhold/registry/remote";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  anyone,
  freshFolder,
  openRemote,
  type ServedGateway,
  serveGateway,
  standBetween,
} from "./remote.fixture.ts";
import { bent, FILES, LIST, SCRIPT, sendBytes, tricks } from "./remote-trick.fixture.ts";
import { put } from "./skill.fixture.ts";

let served: ServedGateway;
let token: string;
beforeAll(async () => {
  served = await serveGateway();
  await put(served.gateway, "pdf", {
    visibility: "public",
    files: { "scripts/fill.py*": "print('fill')\n", "references/forms.md": "# Forms\n" },
  });
  await put(served.gateway, "docx", { visibility: "public" });
  token = await served.tokenOf("viewer", "bob");
});
afterAll(() => served.close());

async function attempts(library: RemoteLibrary, folder: string): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const attempt of [
    () => library.read(anyone, "pdf"),
    () => library.copy(anyone, "pdf", folder),
    () => library.resource(anyone, "pdf", "SKILL.md"),
  ])
    await attempt().then(
      (got) => failures.push({ code: "GOT THROUGH", got }),
      (error: unknown) => failures.push(error),
    );
  return failures;
}

describe("rejects content of a hostile gateway [S-13] [S-26]", () => {
  test.each(Object.entries(tricks))("%s", async (_, { meddle, code, limits = {} }) => {
    const { url } = await standBetween(served.url, meddle);
    const [folder, cache] = [await freshFolder(), await freshFolder()];
    const library = await openRemote(url, token, { limits, cache });
    const failures = await attempts(library, folder);
    expect(failures).toEqual(failures.map(() => expect.objectContaining({ name: "SkillError", code })));
    expect(failures).toHaveLength(3);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("rejects the files of another skill [S-13]", async () => {
  const { url } = await standBetween(served.url, async ({ url: asked = "" }, response) => {
    if (!FILES.test(asked)) return false;
    const other = new URL(asked.replace("/pdf/", "/docx/"), served.url);
    const answer = await fetch(other, { headers: { authorization: `Bearer ${token}` } });
    response.writeHead(200, { "content-type": "application/json" }).end(await answer.text());
    return true;
  });
  const library = await openRemote(url, token);
  await expect(library.read(anyone, "pdf")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
  await expect(library.files(anyone, "pdf")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
});

test("one invalid file fails the whole copy [S-13]", async () => {
  const meddle = sendBytes(SCRIPT, () => Buffer.from("print('evil')\n"));
  const { url } = await standBetween(served.url, meddle);
  const folder = await freshFolder();
  const library = await openRemote(url, token);
  await expect(library.copy(anyone, "pdf", folder)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
  expect(readdirSync(folder)).toEqual([]);
  expect((await library.read(anyone, "pdf")).body).toBe("Do it.\n");
});

test("reads explanations in pages with a limit [S-19] [S-53]", async () => {
  const EXPLAIN = /^\/v1\/explain/;
  const one = (id: string) => ({
    ...{ id, path: id, source: "there", state: "hidden", reason: "no-grant", message: "", warnings: [] },
  });
  let asked = 0;
  const paged = bent(EXPLAIN, () => {
    asked += 1;
    return { explanations: [one(`s${asked}`)], ...(asked < 3 ? { nextCursor: `c${asked}` } : {}) };
  });
  const fine = await openRemote((await standBetween(served.url, paged)).url, token);
  expect((await fine.explain(anyone)).map(({ id }) => id)).toEqual(["s1", "s2", "s3"]);
  for (const explanations of [[], [one("again")]]) {
    const endless = bent(EXPLAIN, () => ({ explanations, nextCursor: "more" }));
    const { url } = await standBetween(served.url, endless);
    const library = await openRemote(url, token, { limits: { remoteSkills: 10 } });
    await expect(library.explain(anyone)).rejects.toMatchObject({ code: "REMOTE_FAILED" });
  }
});

test("ignores trust, source, path and readiness from a gateway [S-14]", async () => {
  const meddle = bent(LIST, (answer) => {
    for (const { entry } of answer.skills)
      Object.assign(entry, {
        trust: "builtin",
        source: "bundled",
        path: "/etc",
        file: "passwd",
        readiness: { state: "unsupported", reasons: ["because"] },
      });
  });
  const { url } = await standBetween(served.url, meddle);
  const library = await openRemote(url, token);
  const [entry] = await library.list(anyone);
  expect(entry).toMatchObject({
    trust: "third_party",
    source: `gateway:${new URL(url).host}`,
    path: `${url}/v1/skills/docx`,
    readiness: { state: "ready" },
  });
  expect(entry).not.toHaveProperty("file");
});

test("omits a listed skill that is marked as not visible [S-43]", async () => {
  const meddle = bent(LIST, ({ skills, ...rest }) => {
    skills[1].access.isVisible = false;
    return { ...rest, skills };
  });
  const { url } = await standBetween(served.url, meddle);
  const library = await openRemote(url, token);
  expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["docx"]);
  await expect(library.read(anyone, "pdf")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
});

test("sends no token to a redirect target and no token in errors [S-53]", async () => {
  const elsewhere = await standBetween(served.url);
  const { url } = await standBetween(served.url, ({ url: asked = "" }, response) => {
    if (LIST.test(asked)) response.writeHead(307, { location: `${elsewhere.url}${asked}` }).end();
    else if (asked.startsWith("/v1/skills/search")) {
      const problem = { type: "x", title: "x", status: 403, code: "FORBIDDEN", requestId: token };
      response.writeHead(403, { "content-type": "application/problem+json" });
      response.end(JSON.stringify({ ...problem, detail: `You sent ${token}.`, hint: token }));
    } else return false;
    return true;
  });
  const library = await openRemote(url, token);
  await expect(library.list(anyone)).rejects.toMatchObject({
    code: "REMOTE_FAILED",
    message: expect.stringContaining(`redirects to ${elsewhere.url}`),
  });
  expect(elsewhere.seen).toEqual([]);
  const failure = await library.search(anyone, "pdf").catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "FORBIDDEN", message: "You sent …." });
  expect(JSON.stringify(failure)).not.toContain(token);
});
