import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { writeArchive } from "@skillhold/core/archive";
import { withLimits } from "@skillhold/protocol/limits";
import { removeAgent } from "@skillhold/registry/access";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { answerOf, HOST, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { asker, engines, openOn, put, send, skillText } from "./skill.fixture.ts";
import { openPort, type TestPort } from "./socket.fixture.ts";

type Files = Readonly<Record<string, string>>;

async function archive(files: Files, format: "zip" | "tar.gz" = "zip"): Promise<Uint8Array> {
  const list = Object.entries(files).map(([path, text]) => ({
    path,
    executable: path.endsWith(".sh"),
    content: Buffer.from(text),
  }));
  return await writeArchive(format, list);
}

/** No uploads and no unpacked files remain. */
async function leftovers({ folder }: TestGateway): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith("skillhold-"));
}

/** Sends some bytes and waits until it is released. */
function halting(first: Uint8Array) {
  const gate = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (sink) => sink.enqueue(first),
    pull: async (sink) => {
      await gate.promise;
      sink.close();
    },
  });
  return { body, go: gate.resolve };
}

describe.each(engines)("uploads on %s", (engine) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await openOn(engine);
  });
  afterEach(() => gateway.close());
  const publisher = () => gateway.asRole("publisher", "ada");

  test("a dry run lists changed files and changed executable bits [S-59]", async () => {
    const headers = { ...(await publisher()), "content-type": "application/zip" };
    const before = { "one/SKILL.md": skillText("one"), "one/run.sh": "echo\n", "one/old.txt": "old" };
    await send(gateway, "/v1/skills/upload", await archive(before), headers);
    const files = [
      { path: "one/SKILL.md", executable: false, content: Buffer.from(`${skillText("one")}More.\n`) },
      { path: "one/run.sh", executable: false, content: Buffer.from("echo\n") },
      { path: "one/new.txt", executable: false, content: Buffer.from("new") },
    ];
    const after = await writeArchive("zip", files);
    const tried = await answerOf(
      "uploadSkills",
      await send(gateway, "/v1/skills/upload?dryRun=true", after, headers),
    );
    expect(tried.skills).toMatchObject([
      {
        revision: 2,
        isDryRun: true,
        changes: [
          { path: "SKILL.md", change: "changed" },
          { path: "new.txt", change: "added" },
          { path: "old.txt", change: "removed" },
          { path: "run.sh", change: "mode" },
        ],
      },
    ]);
    const done = await answerOf("uploadSkills", await send(gateway, "/v1/skills/upload", after, headers));
    expect(done.skills[0]).not.toHaveProperty("changes");
    const again = await answerOf(
      "uploadSkills",
      await send(gateway, "/v1/skills/upload?dryRun=true", after, headers),
    );
    expect(again.skills[0]).toMatchObject({ status: "unchanged" });
    expect(again.skills[0]).not.toHaveProperty("changes");
  });

  test.each([
    ["zip", "application/zip"],
    ["tar.gz", "application/gzip"],
    ["zip", "application/octet-stream"],
  ] as const)("the skills of a %s sent as %s are published, each for itself [S-41]", async (format, type) => {
    await put(gateway, "taken", { by: { user: "eve", role: "publisher" } });
    const bytes = await archive(
      {
        "one/SKILL.md": skillText("one"),
        "one/run.sh": "echo\n",
        "bad/SKILL.md": "no skill",
        "taken/SKILL.md": skillText("taken"),
      },
      format,
    );
    const headers = { ...(await publisher()), "content-type": type };
    const path = "/v1/skills/upload?filename=..%2Fmy%20skills.zip";
    const { skills, archiveDigest } = await answerOf(
      "uploadSkills",
      await send(gateway, path, bytes, headers),
    );
    expect(skills).toMatchObject([
      { status: "failed", path: "bad", error: { code: "SKILL_INVALID" } },
      { status: "published", id: "one", revision: 1, isNew: true, visibility: "private", files: 2 },
      { status: "failed", id: "taken", error: { code: "CONFLICT" } },
    ]);
    const [revision] = await gateway.registry.store.listRevisions(
      (await gateway.registry.store.findSkill("one"))?.uid ?? "",
    );
    expect(revision?.provenance).toMatchObject({ source: "archive", origin: "my skills.zip", archiveDigest });
    expect(await leftovers(gateway)).toEqual([]);
  });

  test("an administrator's upload is internal, and a publisher's is private [S-41]", async () => {
    const bytes = await archive({ "SKILL.md": skillText("one") });
    const upload = async (path: string, headers: Readonly<Record<string, string>>) =>
      (await answerOf("uploadSkills", await send(gateway, path, bytes, headers))).skills;
    const root = await gateway.asRole("admin", "root");
    expect(await upload("/v1/skills/upload?id=two", root)).toMatchObject([
      { id: "two", visibility: "internal" },
    ]);
    expect(await upload("/v1/skills/upload", await publisher())).toMatchObject([
      { id: "one", visibility: "private" },
    ]);
  });

  test("a new skill is granted to the agent of a publisher's token, in the same transaction [S-41]", async () => {
    const headers = await gateway.asRole("publisher", "ada", "bot");
    const upload = async (body: string, query = "") => {
      const bytes = await archive({ "SKILL.md": skillText("one", body) });
      const response = await send(gateway, `/v1/skills/upload${query}`, bytes, headers);
      return (await answerOf("uploadSkills", response)).skills[0];
    };
    const granted = [{ kind: "agent", key: "bot" }];
    expect(await upload("One.", "?dryRun=true")).toMatchObject({ isDryRun: true, granted });
    expect(await gateway.registry.store.listSkills()).toEqual([]);
    const first = await upload("One.");
    expect(first).toMatchObject({ isNew: true, visibility: "internal", trust: "third_party", granted });
    const owner = asker(gateway, await publisher());
    const { grants } = await answerOf("listGrants", await owner("GET", "/v1/skills/one/grants"));
    expect(grants).toMatchObject([{ grantee: granted[0], grantedBy: "ada", canManage: false }]);
    const again = await upload("Two.");
    expect(again).toMatchObject({ revision: 2, isNew: false, visibility: "internal" });
    expect(again).not.toHaveProperty("granted");
    const events = await gateway.registry.store.eventsAfter(0, 1000);
    expect(events.map(({ event }) => event.type).filter((type) => type.startsWith("grant."))).toEqual([
      "grant.given",
    ]);
  });

  test("an agent that was removed gets no grant [S-41]", async () => {
    await gateway.asRole("agent", "ada", "bot");
    await removeAgent("bot", { by: { user: "ada", role: "publisher" } }, gateway.registry);
    const published = await put(gateway, "one", { by: { user: "ada", role: "publisher", agent: "bot" } });
    expect(published).toMatchObject({ visibility: "private" });
    expect(published.granted).toBeUndefined();
  });

  test("a dry run reports the result without changes [S-42]", async () => {
    const bytes = await archive({ "SKILL.md": skillText("one") });
    const response = await send(gateway, "/v1/skills/upload?dryRun=true", bytes, await publisher());
    expect((await answerOf("uploadSkills", response)).skills).toMatchObject([
      { status: "published", id: "one", isDryRun: true },
    ]);
    expect(await gateway.registry.store.listSkills()).toEqual([]);
  });
});

describe("a rejected upload", () => {
  let gateway: TestGateway;
  let port: TestPort;
  beforeEach(async () => {
    gateway = await openTestGateway();
    port = await openPort(gateway);
  });
  afterEach(async () => {
    await port.close();
    await gateway.close();
  });

  test("leaves no files and returns the reason [S-42]", async () => {
    const headers = await gateway.asRole("publisher", "ada");
    const good = await archive({ "SKILL.md": skillText("one") });
    const cases = [
      [good.subarray(0, good.length - 10), {}, "ARCHIVE_INVALID", 422],
      [new Uint8Array(), {}, "ARCHIVE_INVALID", 422],
      [Buffer.from("no archive at all"), {}, "ARCHIVE_INVALID", 422],
      [good, { "content-type": "multipart/form-data; boundary=x" }, "MEDIA_TYPE_REFUSED", 415],
      [good, { "content-type": "application/json" }, "MEDIA_TYPE_REFUSED", 415],
      [good, { "content-type": "" }, "MEDIA_TYPE_REFUSED", 415],
    ] as const;
    for (const [bytes, more, code, status] of cases) {
      const refused = await send(gateway, "/v1/skills/upload", bytes, { ...headers, ...more });
      expect(await problemOf(refused)).toMatchObject({ code, status });
    }
    const form = await send(gateway, "/v1/skills/upload", good, {
      ...headers,
      "content-type": "multipart/form-data",
    });
    expect((await problemOf(form)).hint).toContain(
      "curl --data-binary @skill.zip -H 'Content-Type: application/zip'",
    );
    expect(await leftovers(gateway)).toEqual([]);
  });

  test("above the size limit fails before or while it is read [S-66]", async () => {
    await port.close();
    await gateway.close();
    const limits = withLimits({ archiveBytes: 1024 * 1024 });
    gateway = await openTestGateway();
    const { registry } = gateway;
    const small = await openTestGateway({
      registry: { ...registry, limits },
      skills: gateway.context.skills,
    });
    const smallPort = await openPort(small);
    try {
      const headers = await gateway.asRole("publisher", "ada");
      // Only the headers are sent; the response comes before the body.
      const declared = request({ port: smallPort.port, method: "POST", path: "/v1/skills/upload" });
      for (const [name, value] of Object.entries({ ...headers, "content-type": "application/zip" }))
        declared.setHeader(name, value);
      declared.setHeader("content-length", 500 * 1024 * 1024);
      declared.on("error", () => {});
      declared.flushHeaders();
      const [answer] = await once(declared, "response");
      expect(answer.statusCode).toBe(413);
      declared.destroy();
      let sent = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull: (sink) => {
          sent += 65_536;
          sink.enqueue(new Uint8Array(65_536));
        },
      });
      const refused = await send(small, "/v1/skills/upload", endless, headers);
      expect(await problemOf(refused)).toMatchObject({ code: "LIMIT_EXCEEDED", status: 413 });
      expect(sent).toBeLessThan(4 * 1024 * 1024);
      expect(await leftovers(small)).toEqual([]);
    } finally {
      await smallPort.close();
      await small.close();
      port = await openPort(gateway);
    }
  });

  test("of a disconnected client leaves no files [S-53]", async () => {
    const headers = { ...(await gateway.asRole("publisher", "ada")), "content-type": "application/zip" };
    const good = await archive({ "SKILL.md": skillText("one") });
    const sending = request({ port: port.port, method: "POST", path: "/v1/skills/upload", headers });
    sending.setHeader("content-length", good.length);
    sending.on("error", () => {});
    sending.write(good.subarray(0, 20));
    await vi.waitFor(async () => expect(await leftovers(gateway)).toHaveLength(1), 120_000);
    sending.destroy();
    await vi.waitFor(async () => expect(await leftovers(gateway)).toEqual([]), 120_000);
    expect(await gateway.registry.store.listSkills()).toEqual([]);
  });

  test("is stored in a file that only this user can read [S-53]", async () => {
    const headers = await gateway.asRole("publisher", "ada");
    const { body, go } = halting(new Uint8Array(100));
    const sending = send(gateway, "/v1/skills/upload", body, headers);
    const [name = ""] = await vi.waitFor(async () => {
      const found = await leftovers(gateway);
      expect(found).toHaveLength(1);
      return found;
    }, 120_000);
    expect(name).toMatch(/^skillhold-upload-[0-9a-f-]{36}$/);
    expect((await stat(join(gateway.folder, name))).mode & 0o777).toBe(0o600);
    go();
    expect((await sending).status).toBe(422);
    expect(await leftovers(gateway)).toEqual([]);
  });

  test("of a forbidden role is not read [S-53]", async () => {
    const bytes = await archive({ "SKILL.md": skillText("one") });
    for (const role of ["viewer", "agent"] as const) {
      const refused = await send(gateway, "/v1/skills/upload", bytes, await gateway.asRole(role, "ada"));
      expect(await problemOf(refused)).toMatchObject({ code: "FORBIDDEN" });
    }
    const nobody = await send(gateway, "/v1/skills/upload", bytes, { host: HOST });
    expect(await problemOf(nobody)).toMatchObject({ code: "UNAUTHENTICATED" });
    const owner = asker(gateway, await gateway.asRole("publisher", "ada"));
    expect((await answerOf("listSkills", await owner("GET", "/v1/skills"))).total).toBe(0);
  });
});
