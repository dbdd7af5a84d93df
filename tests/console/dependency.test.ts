import { hash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { writeArchive } from "@skillhold/core/archive";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkAccessible, eventually, openOwnConsole, settled } from "./browser.ts";

const NAME = "zzz-skillhold-there";

/** Serves one package as npm's registry does, and has no other. */
let source: Server;
let address: string;
beforeEach(async () => {
  const text = {
    "package/package.json": JSON.stringify({ name: NAME, version: "1.0.0" }),
    "package/index.js": "",
  };
  const files = Object.entries(text).map(([path, content]) => ({
    path,
    executable: false,
    content: Buffer.from(content),
  }));
  const archive = await writeArchive("tar.gz", files);
  source = createServer(({ url }, response) => {
    if (url === `/${NAME}/-/${NAME}-1.0.0.tgz`) response.end(archive);
    else if (url === `/${NAME}`) {
      const version = {
        name: NAME,
        version: "1.0.0",
        dist: {
          tarball: `${address}${url}/-/${NAME}-1.0.0.tgz`,
          integrity: `sha512-${hash("sha512", archive, "base64")}`,
        },
      };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ name: NAME, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
      );
    } else response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve));
  // It listens to a port of TCP, which has an address.
  address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
});
afterEach(() => void source.close());

test("installs missing dependencies live, and names those that cannot be installed [S-36] [S-54] [S-59]", async () => {
  const skills = {
    counts: { "scripts/count.mjs": `import "${NAME}";\nimport "zzz-skillhold-absent";\n` },
  };
  const env = { npm_config_registry: address };
  const { page, gateway } = await openOwnConsole({ env, skills, at: "/dependencies" });
  await page.getByRole("button", { name: "Install all (2)" }).waitFor();
  await checkAccessible(page);
  await page.getByRole("button", { name: "Install all (2)" }).click();
  const results = page.getByRole("region", { name: "Results" });
  await eventually(() => results.getByRole("row", { name: NAME }).textContent()).toMatch("installed");
  expect(await results.getByRole("row", { name: "zzz-skillhold-absent" }).textContent()).toMatch("failed");
  const log = page.getByRole("region", { name: "Log, newest first" });
  await eventually(() => log.textContent()).toContain(NAME);
  await page.getByRole("button", { name: "Install all (1)" }).waitFor();
  await page.goto(`${gateway.url}/skills/counts/dependencies`);
  await settled(page);
  const main = page.getByRole("main");
  await eventually(() => main.textContent()).toContain(NAME);
  expect(await main.textContent()).toContain("zzz-skillhold-absent");
});
