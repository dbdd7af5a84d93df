import { closeSync, fstatSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openAll, type SealedFile, sealFile } from "./bubblewrap-process.ts";
import { stageRoot } from "./stage.ts";

test.runIf(process.platform === "linux")(
  "each descriptor of a sealed file starts at the beginning, and the file has no name [S-29]",
  async () => {
    const file = await sealFile("the same for all");
    const opened = openAll({ 20: file, 21: file });
    expect(Object.keys(opened)).toEqual(["20", "21"]);
    for (const descriptor of Object.values(opened)) {
      expect(fstatSync(descriptor).nlink).toBe(0);
      expect(readFileSync(descriptor, "utf8")).toBe("the same for all");
      closeSync(descriptor);
    }
    const mine = readdirSync(await stageRoot()).filter((name) => name.startsWith(`run-${process.pid}-`));
    expect(mine).toEqual([]);
  },
);

test.runIf(process.platform === "linux")("opens all files or none [S-29]", async () => {
  const count = () => readdirSync("/proc/self/fd").length;
  const file = await sealFile("x");
  const broken: SealedFile = {
    open: () => {
      throw new Error("no descriptor is left");
    },
  };
  const before = count();
  expect(() => openAll({ 20: file, 21: broken })).toThrow("no descriptor is left");
  expect(count()).toBe(before);
});
