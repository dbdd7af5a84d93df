import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FakeHostOptions, runJson, runMain } from "@skillhold/cli/test/fake-host";

/** A user with a home, a project and a store of their own. */
export interface InstallScene {
  readonly root: () => string;
  readonly project: () => string;
  readonly home: () => string;
  readonly text: (argv: readonly string[], options?: FakeHostOptions) => ReturnType<typeof runMain>;
  readonly json: (argv: readonly string[], options?: FakeHostOptions) => ReturnType<typeof runJson>;
  readonly write: (path: string, content: string | Uint8Array) => string;
  readonly read: (path: string) => string;
  readonly has: (path: string) => boolean;
}

interface Hooks {
  readonly beforeEach: (open: () => void) => void;
  readonly afterEach: (close: () => void) => void;
}

export function installScene({ beforeEach, afterEach }: Hooks): InstallScene {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "skillhold-install-scene-"));
    for (const name of ["project", "home"]) mkdirSync(join(root, name));
  });
  afterEach(() => {
    execFileSync("chmod", ["-R", "u+rwX", root]);
    rmSync(root, { recursive: true, force: true });
  });
  const project = () => join(root, "project");
  const withUser = ({ env, ...options }: FakeHostOptions = {}): FakeHostOptions => ({
    ...options,
    env: {
      HOME: join(root, "home"),
      XDG_DATA_HOME: join(root, "data"),
      SKILLHOLD_USER: "ann",
      PATH: process.env["PATH"],
      ...env,
    },
  });
  return {
    root: () => root,
    project,
    home: () => join(root, "home"),
    text: (argv, options) => runMain(argv, project(), withUser(options)),
    json: (argv, options) => runJson(argv, project(), withUser(options)),
    write: (path, content) => {
      const file = join(project(), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    read: (path) => readFileSync(join(project(), path), "utf8"),
    has: (path) => existsSync(join(project(), path)),
  };
}
