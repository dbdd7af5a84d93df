import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Problem, routeTable } from "@skillhold/protocol/http";
import { afterEach, describe, expect, test } from "vitest";
import { get, listIds, ServeScene, signInWith, tokenOf, writeSkill } from "./serve.fixture.ts";

let scene = new ServeScene();
afterEach(async () => {
  await scene.close();
  scene = new ServeScene();
});

const BUNDLED = ["docx", "memory-curation", "pdf", "pptx", "skill-authoring", "skill-creator", "xlsx"];

describe("the first start", () => {
  test("prints the URL, a one-time sign-in link and the command for another [S-53] [S-60]", async () => {
    const data = scene.folder();
    const command = scene.start(["serve", "--port", "0", "--data", data, "--no-seed"]);
    await command.until(() => /For another link, run: .*\n/.test(command.out));
    // In a clone, `skillhold` is on no PATH.
    const other = new RegExp(
      `SKILLHOLD_DATA=${data} (?:npx skillhold|node \\S+skillhold\\.js) token sign-in --url http://127\\.0\\.0\\.1:`,
    );
    expect(command.out).toMatch(other);
    const [, version, address] =
      /^Skillhold (\S+) is at (http:\/\/127\.0\.0\.1:\d+)\n/.exec(command.out) ?? [];
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const [link = ""] = /http:\S+\/sign-in#\S+/.exec(command.out) ?? [];
    expect(link.startsWith(`${address}/sign-in#skh_`)).toBe(true);
    const headers = await signInWith(link);
    const me = await (await fetch(`${address}/v1/me`, { headers })).json();
    expect(me).toMatchObject({ user: "ann", role: "admin" });
    await expect(signInWith(link)).rejects.toThrow("UNAUTHENTICATED");
    expect((await command.terminate()).code).toBe(0);
    expect(command.err).not.toContain("skh_");
    expect(command.out.split("skh_")).toHaveLength(2);

    const start = ["serve", "--port", "0", "--no-seed"];
    const variable = { SKILLHOLD_DATA: data };
    for (const again of [scene.start([...start, "--data", data]), scene.start(start, variable)]) {
      await again.until(() => again.out.includes("To sign in"));
      expect(again.out).toMatch(other);
      expect(again.out).not.toContain("skh_");
    }
  });

  test("a later start prints the command for another link [S-53]", async () => {
    const gateway = await scene.serve(["--no-seed"]);
    await signInWith(gateway.signIn);
    const made = scene.start(["token", "sign-in", "--url", gateway.url, "--json"], {
      SKILLHOLD_DATA: gateway.data,
    });
    const { data } = JSON.parse(await made.line());
    expect(Object.keys(await signInWith(data.link))).toContain("cookie");
  });

  test("stores all data in the given folder [S-53]", async () => {
    const { command, data, url, signIn } = await scene.serve(["--no-seed"]);
    const headers = await tokenOf({ url, signIn });
    await get(`${url}/v1/status`, routeTable.getStatus, headers);
    expect((await command.terminate()).code).toBe(0);
    expect(readdirSync(data)).toEqual(
      expect.arrayContaining(["audit-seen.json", "environments", "registry.db", "registry.db.d", "state.db"]),
    );
    expect(readdirSync(command.home)).toEqual([]);
  });
});

describe("the port", () => {
  test("fails with the port number when the requested port is in use [S-53]", async () => {
    const { url } = await scene.serve(["--no-seed"]);
    const { port } = new URL(url);
    const second = scene.start(["serve", "--port", port, "--data", scene.folder()]);
    expect((await second.ended).code).toBe(6);
    expect(second.err).toContain(`error: Port ${port} on 127.0.0.1 is already in use.\n`);
    expect(second.err).toContain("--port");
    expect(second.out).toBe("");
  });

  test("uses the next free port by default and prints it [S-53]", async () => {
    const serve = async () => {
      const command = scene.start(["serve", "--data", scene.folder(), "--json", "--no-seed"]);
      const { url } = JSON.parse(await command.line()).data;
      const taken = [...command.err.matchAll(/^note: port (\d+) is taken; trying (\d+)\./gm)];
      return { port: Number(new URL(url).port), tried: taken.map(([, port]) => Number(port)) };
    };
    // Other programs of the machine may use the default port, so the first gateway may have another.
    const first = await serve();
    const second = await serve();
    for (const { port, tried } of [first, second])
      expect([...tried, port]).toEqual(tried.concat(port).map((_, index) => 7878 + index));
    expect(second.tried).toContain(first.port);
  });

  test("is public only with both options, and still checks the Host [S-53]", async () => {
    const { url } = await scene.serve([
      "--no-seed",
      "--host",
      "0.0.0.0",
      "--insecure-bind",
      "--allow-host",
      "team.test",
    ]);
    const { port } = new URL(url);
    const status = async (host: string) => {
      return await new Promise((resolve, reject) =>
        request({ port, host: "127.0.0.1", path: "/healthz", headers: { host } }, (response) =>
          resolve(response.resume().statusCode),
        )
          .on("error", reject)
          .end(),
      );
    };
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`team.test:${port}`)).toBe(200);
    expect(await status(`evil.test:${port}`)).toBe(403);
  });

  test("uses https links and secure cookies behind TLS [S-53]", async () => {
    const { url, signIn } = await scene.serve([
      "--no-seed",
      "--behind-tls",
      "--allow-host",
      "skills.example.org",
    ]);
    expect(url).toBe("https://skills.example.org");
    expect(signIn).toMatch(/^https:\/\/skills\.example\.org\/sign-in#skh_/);
  });
});

describe("the bundled skills", () => {
  test("are published before the gateway is ready, and not with --no-seed [S-40] [S-53]", async () => {
    const { url, signIn, command } = await scene.serve();
    const headers = await tokenOf({ url, signIn });
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    await expect.poll(readiness).toBe(200);
    expect(await listIds(url, headers)).toEqual(BUNDLED);
    expect(command.err).toContain('"event":"gateway.ready"');
    expect(command.err).not.toContain('"level":"error"');
    const other = await scene.serve(["--no-seed"]);
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
    const token = await tokenOf(other);
    expect(await listIds(other.url, token)).toEqual([]);
  });

  test("a skill that fails to publish stops neither the start nor the others [S-39] [S-40]", async () => {
    const data = scene.folder();
    const mine = writeSkill(scene.folder(), "pdf");
    const published = scene.start(["publish", mine], { SKILLHOLD_DATA: data });
    expect((await published.ended).code).toBe(0);
    const { url, signIn, command } = await scene.serve([], { data });
    const headers = await tokenOf({ url, signIn });
    await command.until(() => /seed\.refused[^\n]*pdf/.test(command.err) && command.err.includes('"xlsx"'));
    expect(await listIds(url, headers)).toEqual(BUNDLED);
    const readiness = async () => await (await fetch(`${url}/readyz`)).json();
    await expect.poll(readiness).toEqual({ status: "ready", warnings: [expect.any(String)] });
    const pdf = await get(`${url}/v1/skills/pdf`, routeTable.getSkill, headers);
    expect(pdf.registry).toMatchObject({ owner: "ann", system: false });
  });

  test("serves skills of a folder beside them [S-53]", async () => {
    const root = scene.folder();
    writeSkill(root, "from-folder");
    const { url, signIn } = await scene.serve(["--no-seed", "--root", root]);
    const headers = await tokenOf({ url, signIn });
    expect(await listIds(url, headers)).toEqual(["from-folder"]);
    const status = await get(`${url}/v1/status`, routeTable.getStatus, headers);
    expect(status).toMatchObject({
      engine: "sqlite",
      skills: 1,
      isDiscoverable: false,
      sources: [{ path: root }, { label: "registry" }],
    });
  });

  test("logs a malformed runtime and long instructions once, at the start and after a change [S-7] [S-11]", async () => {
    const root = scene.folder();
    const write = (id: string, fields: string, body: string) => {
      mkdirSync(join(root, id), { recursive: true });
      writeFileSync(join(root, id, "SKILL.md"), `---\nname: ${id}\ndescription: x\n${fields}---\n${body}\n`);
    };
    write("odd", "runtime: 123\n", "Do it.");
    const { command } = await scene.serve(["--no-seed", "--root", root]);
    const logged = () => command.err.split("\n").filter((line) => line.includes('"skill.warning"'));
    await command.until(() => logged().length === 1);
    write("long", "", "many words ".repeat(20_000));
    await command.until(() => logged().length === 2);
    const lines = logged().map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { event: "skill.warning", message: expect.stringContaining("`runtime`") },
      { event: "skill.warning", message: expect.stringContaining("8000 is the advised maximum") },
    ]);
  });

  test("--strict rejects folder skills that break the specification [S-4] [S-53]", async () => {
    const root = scene.folder();
    writeSkill(root, "good");
    mkdirSync(join(root, "odd"));
    writeFileSync(join(root, "odd/SKILL.md"), "---\nname: Another Name\ndescription: x\n---\nDo it.\n");
    const served = async (...options: readonly string[]) => {
      const gateway = await scene.serve(["--no-seed", "--root", root, ...options]);
      return await listIds(gateway.url, await tokenOf(gateway));
    };
    expect(await served()).toEqual(["good", "odd"]);
    expect(await served("--strict")).toEqual(["good"]);
  });

  test("--no-watch turns off reloading of folders [S-18] [S-53]", async () => {
    const root = scene.folder();
    writeSkill(root, "early");
    const watching = await scene.serve(["--no-seed", "--root", root]);
    const still = await scene.serve(["--no-seed", "--no-watch", "--root", root]);
    const configured = await scene.serve(["--no-seed", "--root", root], { env: { SKILLHOLD_WATCH: "0" } });
    const ids = async (gateway: typeof still) => await listIds(gateway.url, await tokenOf(gateway));
    writeSkill(root, "late");
    const headers = await tokenOf(watching);
    await expect.poll(() => listIds(watching.url, headers)).toEqual(["early", "late"]);
    expect(await ids(still)).toEqual(["early"]);
    expect(await ids(configured)).toEqual(["early"]);
  });

  test("only administrators see the path of a folder, also with a duplicate name [S-53]", async () => {
    const place = scene.folder();
    const roots = ["one/skills", "two/skills", "registry", "skills (2)"].map((name) => join(place, name));
    roots.forEach((root, at) => void writeSkill(root, `from-${at}`));
    const { url, signIn } = await scene.serve(["--no-seed", ...roots.flatMap((root) => ["--root", root])]);
    const headers = await tokenOf({ url, signIn });
    const { secret } = await fetch(`${url}/v1/tokens`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name: "eve", role: "viewer", user: "eve" }),
    }).then(async (response) => routeTable.issueToken.answer.parse(await response.json()));
    const viewer = { authorization: `Bearer ${secret}` };
    for (const path of [
      "status",
      "skills",
      "skills/from-1",
      "skills/from-1/access",
      "explain",
      "catalogue",
    ]) {
      const told = await fetch(`${url}/v1/${path}`, { headers: viewer });
      expect([path, (await told.text()).includes(place)]).toEqual([path, false]);
    }
    const { sources } = await get(`${url}/v1/status`, routeTable.getStatus, headers);
    expect(sources.map(({ path }) => path)).toEqual([...roots, undefined]);
    expect(new Set(sources.map(({ label }) => label)).size).toBe(5);
  });
});

test("serves a skill that the CLI publishes to the same store at once [S-55]", async () => {
  const { url, signIn, data } = await scene.serve(["--no-seed"]);
  const headers = await tokenOf({ url, signIn });
  expect(await listIds(url, headers)).toEqual([]);
  const folder = scene.folder();
  for (const id of ["one", "two"]) {
    const published = scene.start(["publish", writeSkill(folder, id)], { SKILLHOLD_DATA: data });
    expect((await published.ended).code).toBe(0);
    expect(await listIds(url, headers)).toContain(id);
  }
});

test("uses the limits from the start options [S-66]", async () => {
  const root = scene.folder();
  writeSkill(root, "near");
  writeSkill(join(root, "a/b/c"), "far");
  const set = ["--limit", "archiveBytes=1048576", "--limit", "discoveryDepth=2"];
  const gateway = await scene.serve(["--no-seed", "--root", root, ...set]);
  const headers = await tokenOf(gateway);
  const { limits } = await get(`${gateway.url}/v1/status`, routeTable.getStatus, headers);
  expect(limits).toMatchObject({ archiveBytes: 1_048_576, unpackedBytes: 50 * 1024 * 1024 });
  expect(await listIds(gateway.url, headers)).toEqual(["near"]);
  const response = await fetch(`${gateway.url}/v1/skills/upload`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/zip" },
    body: new Uint8Array(1_048_577),
  });
  expect(Problem.parse(await response.json())).toMatchObject({
    code: "LIMIT_EXCEEDED",
    hint: expect.stringContaining("raise the limit"),
  });
});

test("an administrator can probe the sandbox [S-29] [S-53]", async () => {
  const { url, signIn } = await scene.serve(["--no-seed"]);
  const headers = await tokenOf({ url, signIn });
  const response = await fetch(`${url}/v1/status/sandbox-test`, {
    method: "POST",
    headers,
  });
  expect(response.status).toBe(200);
  const report = routeTable.getSandbox.answer.parse(await response.json());
  expect(report).toMatchObject({ ok: true, sandbox: "bubblewrap" });
  expect(Object.keys(report)).toEqual(expect.arrayContaining(["checks", "enforced"]));
});
