import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withSettings } from "./serve-setting.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "skillhold-serve-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const read = (options: Record<string, unknown>, env: Record<string, string> = {}) =>
  withSettings(options, { env: { HOME: cwd, ...env }, cwd });

test("the command line wins over variables, and variables over the file [S-71]", () => {
  writeFileSync(
    join(cwd, "c.yaml"),
    "port: 1\nhost: a\nbehindTls: true\nseed: false\nlimits: { archiveBytes: 5 }\n",
  );
  const env = { SKILLHOLD_CONFIG: "c.yaml", SKILLHOLD_HOST: "b", SKILLHOLD_PORT: "2" };
  expect(read({ port: "3", seed: true }, env)).toEqual({
    port: "3",
    host: "b",
    behindTls: true,
    seed: false,
    limit: ["archiveBytes=5"],
  });
  expect(read({ config: "c.yaml", seed: true }, { SKILLHOLD_SEED: "1" })).toMatchObject({
    port: "1",
    seed: true,
  });
});

test("the file can turn watching off, and the command line wins [S-18] [S-71]", () => {
  writeFileSync(join(cwd, "c.yaml"), "watch: false\n");
  expect(read({ config: "c.yaml", watch: true })).toMatchObject({ watch: false });
  expect(read({ config: "c.yaml", watch: true }, { SKILLHOLD_WATCH: "1" })).toMatchObject({ watch: true });
  expect(read({ config: "c.yaml", watch: false }, { SKILLHOLD_WATCH: "1" })).toMatchObject({ watch: false });
});

test("retention comes from the command line, variables or the file, in this order [S-71]", () => {
  writeFileSync(join(cwd, "c.yaml"), "retention: { auditDays: 90, outputsDays: 7 }\n");
  expect(read({ config: "c.yaml" })).toMatchObject({ auditDays: "90", outputsDays: "7" });
  const env = { SKILLHOLD_OUTPUTS_DAYS: "5" };
  expect(read({ config: "c.yaml" }, env)).toMatchObject({ auditDays: "90", outputsDays: "5" });
  expect(read({ config: "c.yaml", outputsDays: "3" }, env)).toMatchObject({ outputsDays: "3" });
  expect(read({ config: "c.yaml", auditDays: "30" })).toMatchObject({ auditDays: "30" });
  for (const text of ["auditDays: 0", "auditDays: 1.5", "outputs: 3"]) {
    writeFileSync(join(cwd, "c.yaml"), `retention: { ${text} }\n`);
    expect(() => read({ config: "c.yaml" })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  }
});

test("paths in the file are relative to the file [S-71]", () => {
  mkdirSync(join(cwd, "etc"));
  writeFileSync(join(cwd, "etc/c.yaml"), "data: data\nroots: [skills]\nstore: sqlite:r.db\n");
  expect(read({ config: "etc/c.yaml" })).toMatchObject({
    data: join(cwd, "etc/data"),
    root: [join(cwd, "etc/skills")],
    store: `sqlite:${join(cwd, "etc/r.db")}`,
  });
});

test("serve.yaml in the data folder is read without being named [S-71]", () => {
  mkdirSync(join(cwd, "data"));
  writeFileSync(join(cwd, "data/serve.yaml"), "port: 7000\n");
  expect(read({ data: "data" })).toMatchObject({ port: "7000", data: "data" });
  expect(read({ data: "other" })).toEqual({ data: "other" });
});

test.each([
  ["prot: 1\n", "prot is not a known key"],
  ["port: many\n", 'port is "many", and must be a number'],
  ["port: 70000\n", "port is 70000, and must be at most 65535"],
  ["retention:\n  auditDays: 1.5\n", "retention.auditDays is 1.5, and must be a whole number"],
  ["retention:\n  days: 1\n", "retention.days is not a known key"],
  ['roots: [""]\n', 'roots.0 is "", and must be at least 1 characters long'],
  ["webhooks:\n  - name: a\n", "webhooks.0.url is missing"],
  ["port: [\n", "the YAML is not valid"],
  ["- a\n", 'the file is ["a"], and must be a list of keys and values'],
  ["a: &a [1]\nb: *a\n", ""],
])("rejects the file %j and names the problem [S-71]", (text, part) => {
  writeFileSync(join(cwd, "c.yaml"), text);
  expect(() => read({ config: "c.yaml" })).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(part),
      hint: expect.stringContaining("serve.schema.json"),
    }),
  );
});

test.each([
  { SKILLHOLD_PORT: "x" },
  { SKILLHOLD_PORT: "70000" },
  { SKILLHOLD_AUDIT_DAYS: "0" },
  { SKILLHOLD_BEHIND_TLS: "yes" },
])("rejects the variables %j [S-71]", (env) => {
  expect(() => read({}, env)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});

test("reports a named file that does not exist [S-71]", () => {
  expect(() => read({ config: "none.yaml" })).toThrow(expect.objectContaining({ code: "IO_FAILED" }));
});
