import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readInput } from "./input-file.ts";
import { chooseOutput, outputIn, writeOutput } from "./output-file.ts";
import { processIo } from "./script-io.ts";
import { makeTempFolder } from "./temp-folder.fixture.ts";

const cwd = makeTempFolder(afterAll);
const io = { ...processIo(), cwd };
const read = async (name: string, text: string) => {
  writeFileSync(join(cwd, name), text);
  return readInput(name, io);
};

test("writes a whole file in a new folder and leaves no temporary file [S-40]", async () => {
  const output = await chooseOutput({ out: "made/for/it.txt" }, [], io);
  expect(await writeOutput(output, Buffer.from("one"))).toEqual({
    path: "made/for/it.txt",
    bytes: 3,
    replaced: false,
    dryRun: false,
  });
  expect(await writeOutput(output, Buffer.from("two"))).toMatchObject({ replaced: true });
  expect(readFileSync(join(cwd, "made/for/it.txt"), "utf8")).toBe("two");
  expect(readdirSync(join(cwd, "made/for"))).toEqual(["it.txt"]);
});

test("reports a dry run without writing a file [S-40]", async () => {
  const output = await chooseOutput({ out: "never/made.txt", "dry-run": true }, [], io);
  expect(await writeOutput(output, Buffer.from("one"))).toMatchObject({ bytes: 3, dryRun: true });
  expect(readdirSync(cwd)).not.toContain("never");
});

test("rejects an output that is an input under another name [S-40]", async () => {
  const input = await read("in.txt", "old");
  symlinkSync("in.txt", join(cwd, "other-name.txt"));
  const refusal = { code: "OUTPUT_IS_INPUT" };
  await expect(chooseOutput({ out: "in.txt" }, [input], io)).rejects.toMatchObject(refusal);
  await expect(chooseOutput({ out: "./other-name.txt" }, [input], io)).rejects.toMatchObject(refusal);
  expect(() => outputIn({ "out-dir": "." }, "in.txt", [input], io)).toThrow(/also an input file/);
  await writeOutput(await chooseOutput({ "in-place": true }, [input], io), Buffer.from("new"));
  expect(readFileSync(join(cwd, "in.txt"), "utf8")).toBe("new");
});

test("in-place output through a link changes the file and keeps the link and the mode [S-40]", async () => {
  await read("real.txt", "old");
  writeFileSync(join(cwd, "strict.txt"), "old", { mode: 0o600 });
  symlinkSync("strict.txt", join(cwd, "link.txt"));
  const input = await readInput("link.txt", io);
  await writeOutput(await chooseOutput({ "in-place": true }, [input], io), Buffer.from("new"));
  expect(lstatSync(join(cwd, "link.txt")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, "strict.txt"), "utf8")).toBe("new");
  expect(statSync(join(cwd, "strict.txt")).mode & 0o777).toBe(0o600);
});

test("requires exactly one output [S-40]", async () => {
  const input = await read("in2.txt", "old");
  await expect(chooseOutput({}, [input], io)).rejects.toMatchObject({ exit: 2 });
  await expect(chooseOutput({ out: "x", "in-place": true }, [input], io)).rejects.toMatchObject({ exit: 2 });
  expect(() => outputIn({}, "a.txt", [], io)).toThrow(/--out-dir/);
});

test("rejects names outside the folder and outputs that are folders [S-40]", async () => {
  for (const name of ["../a", "a/b", "", ".hidden"]) {
    expect(() => outputIn({ "out-dir": "pages" }, name, [], io)).toThrow(/not a valid file name/);
  }
  const output = await chooseOutput({ out: "." }, [], io);
  await expect(writeOutput(output, Buffer.from("x"))).rejects.toMatchObject({ code: "OUTPUT_IS_FOLDER" });
});
