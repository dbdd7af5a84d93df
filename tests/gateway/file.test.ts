import { grantSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, engines, openOn, put } from "./skill.fixture.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const svg = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";

describe.each(engines)("files over HTTP on %s", (engine) => {
  let gateway: TestGateway;
  let owner: ReturnType<typeof asker>;
  beforeEach(async () => {
    gateway = await openOn(engine);
    owner = asker(gateway, await gateway.asRole("publisher", "ada"));
    const binary = new Uint8Array([0, 1, 2, 255]);
    const files = { "a.html": "<script>1</script>", "b.png": png, "c.svg": svg, "d e'.bin": binary };
    await put(gateway, "own", { files: { ...files, "references/deep.md": "0123456789" } });
  });
  afterEach(() => gateway.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    owner("GET", `/v1/skills/own/files/${path}`, { headers });

  test("lists and reads files with their digest as ETag [S-45]", async () => {
    const { files, revision, treeHash } = await answerOf(
      "listFiles",
      await owner("GET", "/v1/skills/own/files"),
    );
    expect(revision).toBe(1);
    expect(treeHash).toMatch(/^sha256:/);
    for (const { path, digest, size } of files) {
      const response = await get(path.split("/").map(encodeURIComponent).join("/"));
      expect([response.status, response.headers.get("etag")]).toEqual([200, `"${digest}"`]);
      expect((await response.arrayBuffer()).byteLength).toBe(size);
    }
  });

  test("never serves a file as a page or script of the gateway [S-53]", async () => {
    const types = {
      "a.html": ["text/plain; charset=utf-8", null],
      "b.png": ["image/png", null],
      "c.svg": ["text/plain; charset=utf-8", null],
      "d%20e%27.bin": [
        "application/octet-stream",
        `attachment; filename="d_e_.bin"; filename*=UTF-8''d%20e%27.bin`,
      ],
    };
    for (const [path, [type, disposition]] of Object.entries(types)) {
      const { headers } = await get(path);
      expect([path, headers.get("content-type"), headers.get("content-disposition")]).toEqual([
        path,
        type,
        disposition,
      ]);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
    }
  });

  test("serves a range and rejects one outside the file [S-53]", async () => {
    const part = async (range: string, more: Readonly<Record<string, string>> = {}) => {
      const response = await get("references/deep.md", { range, ...more });
      return [response.status, response.headers.get("content-range"), await response.text()];
    };
    expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await part("bytes=8-")).toEqual([206, "bytes 8-9/10", "89"]);
    expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=-99")).toEqual([206, "bytes 0-9/10", "0123456789"]);
    expect(await part("bytes=5-99")).toEqual([206, "bytes 5-9/10", "56789"]);
    for (const whole of ["bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=a-b"])
      expect(await part(whole)).toEqual([200, null, "0123456789"]);
    const etag = (await get("references/deep.md")).headers.get("etag") ?? "";
    expect((await part("bytes=0-0", { "if-range": etag }))[0]).toBe(206);
    expect((await part("bytes=0-0", { "if-range": '"other"' }))[0]).toBe(200);
    for (const beyond of ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=999999999999999-"]) {
      const refused = await get("references/deep.md", { range: beyond });
      expect(refused.headers.get("content-range")).toBe("bytes */10");
      expect(await problemOf(refused)).toMatchObject({ status: 416, code: "RANGE_REFUSED" });
    }
  });

  test("HEAD returns the headers of GET [S-53]", async () => {
    const response = await owner("HEAD", "/v1/skills/own/files/references/deep.md");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe("10");
    expect(await response.text()).toBe("");
  });

  test("returns 304 for a current copy [S-53]", async () => {
    for (const path of ["", "/files", "/files/a.html", "/versions", "/archive", "/diff?from=1&to=1"]) {
      const first = await owner("GET", `/v1/skills/own${path}`);
      expect([path, first.status]).toEqual([path, 200]);
      const etag = first.headers.get("etag") ?? "";
      const again = await owner("GET", `/v1/skills/own${path}`, { headers: { "if-none-match": etag } });
      expect([path, again.status, await again.text()]).toEqual([path, 304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
      const other = await owner("GET", `/v1/skills/own${path}`, { headers: { "if-none-match": '"x"' } });
      expect(other.status).toBe(200);
    }
  });

  test("rejects a path outside the skill and a missing file [S-26]", async () => {
    const paths = {
      "..%2f..%2fetc%2fpasswd": "RESOURCE_OUTSIDE_SKILL",
      "references%2f..%2f..%2fother": "RESOURCE_OUTSIDE_SKILL",
      "%2fetc%2fpasswd": "RESOURCE_OUTSIDE_SKILL",
      "a%00.html": "RESOURCE_OUTSIDE_SKILL",
      "nothing.md": "PATH_NOT_FOUND",
      "%252e%252e%252fa.html": "PATH_NOT_FOUND",
    };
    for (const [path, code] of Object.entries(paths))
      expect([path, (await problemOf(await get(path))).code]).toEqual([path, code]);
  });

  test("serves files of earlier revisions, and only the pinned one to a pinned caller [S-43]", async () => {
    const { registry } = gateway;
    await put(gateway, "own", { files: { "new.md": "new" } });
    await put(gateway, "own", { files: { "third.md": "new" } });
    await grantSkill("own", { kind: "user", key: "bob" }, { by: ada }, registry);
    await grantSkill("own", { kind: "user", key: "pia" }, { by: ada, pin: 2 }, registry);
    const bob = asker(gateway, await gateway.asRole("viewer", "bob"));
    const pia = asker(gateway, await gateway.asRole("viewer", "pia"));
    const eve = asker(gateway, await gateway.asRole("viewer", "eve"));
    const statuses = async (who: typeof bob) =>
      Promise.all(
        [
          "/files?revision=1",
          "/files?revision=2",
          "/files?revision=3",
          "/files/new.md?revision=2",
          "/files/new.md",
        ]
          .concat(["/archive?revision=1", "/archive?revision=2", "/diff?from=1&to=3", "/diff?from=2&to=2"])
          .map(async (rest) => (await who("GET", `/v1/skills/own${rest}`)).status),
      );
    expect(await statuses(bob)).toEqual([200, 200, 200, 200, 404, 200, 200, 200, 200]);
    expect(await statuses(pia)).toEqual([404, 200, 404, 200, 200, 404, 200, 404, 200]);
    expect(await statuses(eve)).toEqual(Array.from({ length: 9 }, () => 404));
    const versions = async (who: typeof bob) =>
      (await answerOf("listVersions", await who("GET", "/v1/skills/own/versions"))).versions;
    expect((await versions(bob)).map(({ revision }) => revision)).toEqual([3, 2, 1]);
    expect((await versions(pia)).map(({ revision }) => revision)).toEqual([2]);
    const refused = await pia("GET", "/v1/skills/own/files?revision=3");
    expect(await problemOf(refused)).toMatchObject({ code: "REVISION_NOT_FOUND" });
    expect((await bob("GET", "/v1/skills/own/files?revision=4")).status).toBe(404);
    expect(await answerOf("getSkill", await pia("GET", "/v1/skills/own"))).toMatchObject({
      entry: { revision: 2 },
      registry: { revision: 2, lastRevision: 2 },
    });
    const rows = async (who: typeof bob) =>
      (await answerOf("listSkills", await who("GET", "/v1/skills"))).skills.map((row) => row.registry);
    expect(await rows(pia)).toMatchObject([{ revision: 2, lastRevision: 2 }]);
    expect(await rows(bob)).toMatchObject([{ revision: 3, lastRevision: 3 }]);
    const found = await answerOf("searchSkills", await pia("GET", "/v1/skills/search?q=own"));
    expect(found.hits).toMatchObject([{ row: { registry: { revision: 2, lastRevision: 2 } } }]);
  });
});
