import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, storeFile, json, text, skill } = registryScene({ beforeEach, afterEach });

describe("serve", () => {
  test.each([
    [["--host", "0.0.0.0"], "without TLS", "--behind-tls"],
    [["--host", "192.168.1.5"], "without TLS", "--insecure-bind"],
    [["--host", "::"], "without TLS", "--insecure-bind"],
    [["--host", "example.org"], "without TLS", "--insecure-bind"],
    [["--behind-tls"], "--behind-tls needs the name", "--allow-host"],
    [["--port", "70000"], "--port takes a whole number", "--help"],
    [["--allow-host", "http://x"], "is not a host name", "without a scheme"],
    [["--allow-host", "a b"], "is not a host name", "without a scheme"],
    [["--allow-origin", "x"], "is not an origin", "https://"],
    [["--allow-origin", "null"], "is not an origin", "https://"],
    [["--allow-origin", "https://x/path"], "is not an origin", "without a path"],
    [["--limit", "archiveBytes"], "does not set a limit", "archiveBytes="],
    [["--limit", "archiveBytes=x"], "does not set a limit", "archiveBytes="],
    [["--limit", "nothing=1"], "The limit nothing does not exist", "hint:"],
    [["--limit", "archiveBytes=1"], "from 1048576 to 524288000", "hint:"],
    [["--data", ""], "--data is empty", "Name a folder"],
    [["--store", "mysql://x"], "unknown scheme", "postgres://"],
  ])("rejects %j with a reason [S-53] [S-60]", async (args, message, hint) => {
    const { code, out, err } = await text(["serve", ...args]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain(hint);
  });

  test("names an unreachable database server without its password, with a hint [S-53]", async () => {
    const env = { SKILLHOLD_STORE: "postgres://ann:open-sesame@127.0.0.1:1/skills" };
    const { code, error } = await json(["serve", "--port", "0"], { env });
    expect([code, error]).toMatchObject([1, { code: "STORE_FAILED", hint: expect.stringMatching(/\w/) }]);
    expect(JSON.stringify(error)).not.toContain("open-sesame");
  });

  test("does not change a store of a newer version [S-53]", async () => {
    await text(["publish", skill("one")]);
    const database = new DatabaseSync(storeFile());
    database.exec("insert into migration (id, name, checksum, at) values (999, 'later', 'x', '2099')");
    database.close();
    const { code, error } = await json(["serve", "--port", "0"]);
    expect([code, error]).toMatchObject([
      2,
      { code: "CONFIG_INVALID", hint: expect.stringContaining("newer Skillhold") },
    ]);
  });

  test("does not change a database of another program [S-53]", async () => {
    mkdirSync(dirname(storeFile()), { recursive: true });
    writeFileSync(storeFile(), "This is no database, and no empty file either.");
    const { code, error } = await json(["serve", "--port", "0"]);
    expect([code, error]).toMatchObject([2, { code: "CONFIG_INVALID", hint: expect.stringMatching(/\w/) }]);
  });

  test("names a data folder that cannot be written [S-53]", async () => {
    writeFileSync(join(root(), "a-file"), "");
    const others = process.platform === "linux" ? ["/proc/skillhold", "/sys/skillhold/below"] : [];
    for (const data of ["a-file", "a-file/below", ...others]) {
      const { code, error } = await json(["serve", "--port", "0", "--data", data]);
      if (data.startsWith("a-file")) expect(error.message).toContain("a file is in its place");
      expect([code, error]).toMatchObject([
        1,
        {
          code: "IO_FAILED",
          message: expect.stringContaining(data),
          hint: expect.stringContaining("--data"),
        },
      ]);
    }
  });
});
