import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandTable } from "@skillhold/cli/test/command-table";
import { parseCommandLine } from "@skillhold/cli/test/program";
import { routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

// No container engine and no service manager runs these files, so the tests check them against the product.
const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const dockerfile = read("deploy/Dockerfile");
const unit = read("deploy/skillhold.service");
const guide = read("docs/guide/operations.md");

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string().optional(),
      environment: z.record(z.string(), z.string()).optional(),
      security_opt: z.array(z.string()).optional(),
      ports: z.array(z.string()).optional(),
    }),
  ),
});
const { services } = Compose.parse(parse(read("deploy/compose.yaml")));

test.each([
  ["the image", () => z.array(z.string()).parse(JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? ""))],
  ["the unit", () => (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "").split(" ")],
])("%s starts the gateway with options that exist [S-71]", async (_, commandOf) => {
  const [program = "", ...argv] = commandOf();
  expect(program).toMatch(/(?:^|\/)skillhold$/);
  expect(argv[0]).toBe("serve");
  const io = { out: () => {}, err: () => {}, color: false, errColor: false, json: false };
  expect(await parseCommandLine(argv, commandTable, { io, version: "1" })).not.toBe(2);
});

test("the unit delegates the controllers of runs and keeps the gateway out of their parent group [S-29] [S-71]", () => {
  expect(/^Delegate=(.*)$/m.exec(unit)?.[1]?.split(" ")).toEqual(["cpu", "memory", "pids"]);
  expect(unit).toMatch(/^DelegateSubgroup=\w+$/m);
  expect(unit).not.toMatch(/^ProtectControlGroups=/m);
});

test("the image is built in stages, runs as another user than root, and has a health check [S-71]", () => {
  expect(dockerfile.match(/^FROM /gm)?.length).toBeGreaterThan(1);
  expect(/^USER (\w+)$/m.exec(dockerfile)?.[1]).toBe("node");
  const [, checked = ""] = /^HEALTHCHECK .*http:\/\/127\.0\.0\.1:7878(\/\w+)/m.exec(dockerfile) ?? [];
  expect(checked).toBe(routeTable.isAlive.path);
  expect(dockerfile).toContain("bubblewrap");
});

test("compose runs PostgreSQL, gives the sandbox its options, and opens only the loopback address [S-71]", () => {
  const { gateway, database } = services;
  expect(database?.image).toMatch(/^postgres:/);
  expect(gateway?.environment?.["SKILLHOLD_STORE"]).toMatch(/^postgres:\/\//);
  for (const option of gateway?.security_opt ?? []) expect(guide).toContain(`--security-opt ${option}`);
  expect(gateway?.security_opt).not.toHaveLength(0);
  expect(gateway?.ports).toEqual(["127.0.0.1:7878:7878"]);
});

test("the guide describes every variable of the deployment files, and the check of the sandbox [S-71]", () => {
  const files = readdirSync(join(root, "deploy")).map((name) => read(`deploy/${name}`));
  const variables = files.flatMap((text) => text.match(/\bSKILLHOLD_[A-Z_]+/g) ?? []);
  expect(variables).not.toHaveLength(0);
  for (const name of variables) expect(guide).toContain(`\`${name}\``);
  expect(guide).toContain("skillhold sandbox test");
});
