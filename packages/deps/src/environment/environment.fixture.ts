import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RuntimeKind } from "@skillhold/core/run";
import type { Need } from "@skillhold/core/test/dependency/need";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import { bubblewrap } from "@skillhold/sandbox/test/backend/bubblewrap";
import { findRuntime, type Runtime } from "@skillhold/sandbox/test/backend/runtime";
import type { CheckPorts } from "./checker.ts";
import type { InstallPorts } from "./installer.ts";

/** One for all tests of a file. */
export const sandbox = bubblewrap();

const made: string[] = [];

/** After each test. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A folder that every user can read, with these files. */
export function makeFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-environment-"));
  chmodSync(folder, 0o755);
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A program that is a shell's text. */
export function makeProgram(name: string, text: string, folder = makeFolder()): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** An interpreter of our making, as the sandbox can run it. */
export function fakeRuntime(text: string): Runtime {
  const program = makeProgram("interpreter", text);
  return { program, mounts: [{ source: program, target: "/opt/interpreter", isWritable: false }] };
}

export function need(kind: Need["kind"], name: string, module = name, optional = false): Need {
  return { kind, name, import: module, optional };
}

/** With time for interpreters to start on a machine that has much else to do. */
export function checkPorts(settings: Partial<CheckPorts> = {}): CheckPorts {
  return { sandbox, findRuntime, limits: withLimits({ dependencyCheckMs: 45_000 }), ...settings };
}

/** npm as a shell's text: what is called bad is not there, what is called odd goes with nothing else. */
const FAKE_NPM = `
while [ "$1" != -- ]; do if [ "$1" = --prefix ]; then prefix=$2; fi; shift; done
shift
for spec; do
  case "$spec" in
    bad*) echo "npm error 404 Not Found - GET $spec - Not found" >&2; exit 1;;
    odd*) if [ $# -gt 1 ]; then echo "npm error ERESOLVE could not resolve" >&2; exit 1; fi;;
    slow*) sleep 60;;
  esac
  mkdir -p "$prefix/node_modules/$spec"
  echo '{}' > "$prefix/node_modules/$spec/package.json"
done
echo "$*" >> "$(dirname "$0")/calls"
`;

/** Python whose pip writes down how it was called. */
export const FAKE_PYTHON = `
printf '%s\\n' "$@" > "$(dirname "$0")/argv"
env > "$(dirname "$0")/env"
mkdir -p "$6/six" "$6/six-1.17.0.dist-info"
`;

/** A host on which npm is our own. Its folder is `host.env.PATH`. */
export function installPorts(settings: Partial<InstallPorts> & { readonly npm?: string } = {}): InstallPorts {
  const { npm = FAKE_NPM, ...rest } = settings;
  const folder = dirname(makeProgram("npm", npm));
  return {
    home: makeFolder(),
    findRuntime,
    clear: async () => {},
    host: {
      env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder },
      platform: "linux",
      osRelease: join(makeFolder({ "os-release": "ID=debian\n" }), "os-release"),
      isRoot: false,
    },
    limits: defaultLimits,
    ...rest,
  };
}

/** The machine's interpreters but for one. */
export function runtimeInstead(kind: RuntimeKind, runtime: () => Runtime | Promise<Runtime>) {
  return async (asked: RuntimeKind): Promise<Runtime> =>
    asked === kind ? await runtime() : await findRuntime(asked);
}
