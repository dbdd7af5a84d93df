import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openFolderGateway } from "./folder.fixture.ts";
import { answerOf, problemOf } from "./gateway.fixture.ts";
import { asker, put, skillText } from "./skill.fixture.ts";

let gateway: Awaited<ReturnType<typeof openFolderGateway>>;
beforeEach(async () => {
  gateway = await openFolderGateway({
    "local/SKILL.md": skillText("local", "From a folder."),
    "local/data.bin": new Uint8Array([0, 255, 1]),
    "local/long.txt": "é".repeat(800_000),
    "both/SKILL.md": skillText("both", "From a folder."),
  });
});
afterEach(() => gateway.close());

const as = async (...who: Parameters<typeof gateway.asRole>) => asker(gateway, await gateway.asRole(...who));

test("lists and reads skills in folders beside registry skills, without their paths [S-53]", async () => {
  await put(gateway, "stored", { visibility: "public" });
  const eve = await as("viewer", "eve");
  const { skills } = await answerOf("listSkills", await eve("GET", "/v1/skills"));
  expect(skills.map(({ entry, registry }) => [entry.id, entry.path, registry?.owner])).toEqual([
    ["both", "local:both", undefined],
    ["local", "local:local", undefined],
    ["stored", "registry:stored@1", "ada"],
  ]);
  const text = await (await eve("GET", "/v1/skills/local")).text();
  expect(text).toContain("From a folder.");
  expect(text).not.toContain(gateway.folder);
  const { files, revision } = await answerOf("listFiles", await eve("GET", "/v1/skills/local/files"));
  expect([files.length, revision]).toEqual([3, undefined]);
  const long = await eve("GET", "/v1/skills/local/files/long.txt");
  expect(await long.text()).toBe("é".repeat(800_000));
  const bytes = await eve("GET", "/v1/skills/local/files/data.bin");
  expect(Buffer.from(await bytes.arrayBuffer()).toString("hex")).toBe("00ff01");
  expect((await eve("GET", "/v1/skills/local/archive")).status).toBe(200);
  expect(await answerOf("listVersions", await eve("GET", "/v1/skills/local/versions"))).toEqual({
    versions: [],
  });
  for (const rest of ["/files?revision=1", "/diff?from=1&to=1", "/archive?revision=1"])
    expect(await problemOf(await eve("GET", `/v1/skills/local${rest}`))).toMatchObject({
      code: "REVISION_NOT_FOUND",
    });
});

test("toggles a folder's skill only with a matching ETag [S-44] [S-53]", async () => {
  const admin = await as("admin", "root");
  const etagOf = async () => (await admin("GET", "/v1/skills/local")).headers.get("etag") ?? "";
  const toggle = (enabled: boolean, etag?: string) =>
    admin("POST", "/v1/skills/local/toggle", {
      body: { enabled },
      ...(etag === undefined ? {} : { headers: { "if-match": etag } }),
    });
  const first = await etagOf();
  await writeFile(join(gateway.root, "local", "SKILL.md"), skillText("local", "Edited."));
  expect(await problemOf(await toggle(false, first))).toMatchObject({ code: "PRECONDITION_FAILED" });
  const seen = await etagOf();
  const both = await Promise.all([toggle(false, seen), toggle(false, seen)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  // A disabled skill is shown to no client, so it has no ETag.
  expect((await toggle(true, seen)).status).toBe(412);
  expect((await toggle(true)).status).toBe(200);
});

test("never serves the old text of a changed file [S-55]", async () => {
  const eve = await as("viewer", "eve");
  const read = async () => (await answerOf("getSkill", await eve("GET", "/v1/skills/local"))).body;
  expect(await read()).toBe("From a folder.\n");
  await writeFile(join(gateway.root, "local", "SKILL.md"), skillText("local", "Edited."));
  expect(await read()).toBe("Edited.\n");
  const list = async () => (await answerOf("listSkills", await eve("GET", "/v1/skills"))).skills;
  const text = skillText("local", "Edited.").replace("Does local things.", "Other words.");
  await writeFile(join(gateway.root, "local", "SKILL.md"), text);
  await vi.waitFor(
    async () =>
      expect((await list()).find(({ entry }) => entry.id === "local")?.entry.description).toBe(
        "Other words.",
      ),
    { timeout: 120_000 },
  );
});

test("only administrators toggle a folder's skill, and its content changes only in the folder [S-44]", async () => {
  const root = await as("admin", "root");
  const ada = await as("publisher", "ada");
  const toggle = (who: typeof root, enabled: boolean) =>
    who("POST", "/v1/skills/local/toggle", { body: { enabled } });
  expect(await problemOf(await toggle(ada, false))).toMatchObject({ code: "POLICY_DENIED" });
  expect(await answerOf("toggleSkill", await toggle(root, false))).toMatchObject({ enabled: false });
  expect((await ada("GET", "/v1/skills/local")).status).toBe(404);
  expect(await problemOf(await toggle(ada, true))).toMatchObject({ code: "SKILL_NOT_FOUND" });
  const { skills } = await answerOf("listSkills", await root("GET", "/v1/skills?view=all"));
  expect(skills.map(({ entry, access }) => [entry.id, access.reason])).toEqual([
    ["both", "visible"],
    ["local", "disabled"],
  ]);
  expect(await problemOf(await root("GET", "/v1/skills/local"))).toMatchObject({ code: "NOT_READY" });
  expect(await answerOf("toggleSkill", await toggle(root, true))).toMatchObject({ enabled: true });
  for (const [method, rest, body] of [
    ["PUT", "", { name: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/rollback", { revision: 1 }],
    ["POST", "/status", { status: "archived" }],
  ] as const)
    expect(await problemOf(await root(method, `/v1/skills/local${rest}`, { body }))).toMatchObject({
      code: "CONFLICT",
    });
});

test("a UUID names the registry skill that a folder's skill shadows [S-53]", async () => {
  const { uid } = await put(gateway, "both", { body: "From the registry." });
  const ada = await as("publisher", "ada");
  const read = async (key: string) =>
    (await answerOf("getSkill", await ada("GET", `/v1/skills/${key}`))).body;
  expect(await read("both")).toBe("From a folder.\n");
  expect(await read(uid ?? "")).toBe("From the registry.\n");
  const edited = await ada("PUT", `/v1/skills/${uid}`, { body: { description: "Other." } });
  expect((await answerOf("updateSkill", edited)).row).toMatchObject({
    entry: { description: "Other." },
    registry: { uid },
  });
  const eve = await as("viewer", "eve");
  expect((await eve("GET", `/v1/skills/${uid}`)).status).toBe(404);
  expect((await eve("GET", "/v1/skills/both")).status).toBe(200);
});
