import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeHostOptions, runJson, runMain, skillText, writeFile } from "./fake-host.ts";

/** A working folder and a data folder for each test. */
export interface RegistryScene {
  /** The working folder. */
  readonly root: () => string;
  /** The file of the user's own store. */
  readonly storeFile: () => string;
  readonly text: (argv: readonly string[], options?: FakeHostOptions) => ReturnType<typeof runMain>;
  readonly json: (argv: readonly string[], options?: FakeHostOptions) => ReturnType<typeof runJson>;
  /** Writes a skill to the folder of its name and returns its path. */
  readonly skill: (name: string, body?: string, fields?: string) => string;
  readonly write: (path: string, content: string | Uint8Array) => string;
}

/** The test hooks of vitest. */
interface Hooks {
  readonly beforeEach: (open: () => void) => void;
  readonly afterEach: (close: () => void) => void;
}

export function registryScene({ beforeEach, afterEach }: Hooks): RegistryScene {
  let base = "";
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "skillhold-cli-registry-"));
    writeFile(base, "work/README.txt", "A folder to work in.");
  });
  afterEach(() => removeStores(base));
  const root = () => join(base, "work");
  const withUser = ({ env, ...options }: FakeHostOptions = {}): FakeHostOptions => ({
    ...options,
    env: { XDG_DATA_HOME: join(base, "data"), SKILLHOLD_USER: "ann", PATH: process.env["PATH"], ...env },
  });
  return {
    root,
    storeFile: () => join(base, "data/skillhold/registry.db"),
    text: (argv, options) => runMain(argv, root(), withUser(options)),
    json: (argv, options) => runJson(argv, root(), withUser(options)),
    skill: (name, body = "Do it.\n", fields = "") => {
      writeFile(root(), `${name}/SKILL.md`, skillText(name, `Does ${name}.`, body, fields));
      return name;
    },
    write: (path, content) => writeFile(root(), path, content),
  };
}

/** Removes a folder with stores, whose revision folders are read-only. */
export function removeStores(folder: string): void {
  execFileSync("chmod", ["-R", "u+rwX", folder]);
  rmSync(folder, { recursive: true, force: true });
}
