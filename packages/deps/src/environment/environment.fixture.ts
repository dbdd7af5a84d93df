import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RuntimeKind, Sandbox } from "@skillhold/core/run";
import type { Need } from "@skillhold/core/test/dependency/need";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import { bubblewrap } from "@skillhold/sandbox/test/backend/bubblewrap";
import { findRuntime, type Runtime } from "@skillhold/sandbox/test/backend/runtime";
import { unconfined } from "@skillhold/sandbox/test/backend/unconfined";
import type { CheckPorts } from "./checker.ts";
import type { InstallPorts } from "./installer.ts";

/** Shared by all tests of a file. */
export const sandbox = bubblewrap();

const made: string[] = [];

/** Call after each test. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Makes a folder with these files that every user can read. */
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

/** Makes a program from shell text. */
export function makeProgram(name: string, text: string, folder = makeFolder()): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Makes a fake interpreter that the sandbox can run. */
export function fakeRuntime(text: string): Runtime {
  const program = makeProgram("interpreter", text);
  return { program, mounts: [{ source: program, target: "/opt/interpreter", isWritable: false }] };
}

export function need(kind: Need["kind"], name: string, module = name, optional = false): Need {
  return { kind, name, import: module, optional };
}

/** Allows enough time for interpreters to start on a busy machine. */
export function checkPorts(settings: Partial<CheckPorts> = {}): CheckPorts {
  return { sandbox, findRuntime, limits: withLimits({ dependencyCheckMs: 45_000 }), ...settings };
}

/**
 * A fake npm: packages named "bad" do not exist, and "odd" conflicts with every other package. The first call writes
 * a lock, the second installs its packages.
 */
export const FAKE_NPM = `
if [ "$1" = config ]; then echo '{ "registry": "https://registry.example.org/" }'; exit 0; fi
command=$1
while [ $# -gt 0 ] && [ "$1" != -- ]; do if [ "$1" = --prefix ]; then prefix=$2; fi; shift; done
if [ "$command" = ci ]; then
  for path in $(grep -o '"node_modules/[^"]*"' "$prefix/package-lock.json" | tr -d '"'); do
    mkdir -p "$prefix/$path"
    echo '{}' > "$prefix/$path/package.json"
  done
  exit 0
fi
shift
for spec; do
  case "$spec" in
    bad*) echo "npm error 404 Not Found - GET $spec - Not found" >&2; exit 1;;
    odd*) if [ $# -gt 1 ]; then echo "npm error ERESOLVE could not resolve" >&2; exit 1; fi;;
    slow*) touch "$(dirname "$0")/started"; sleep 60;;
  esac
done
comma=
{
  printf '{ "lockfileVersion": 3, "packages": {'
  for spec in $(printf '%s\\n' "$@" | sed 's/\\(.\\)@[0-9].*/\\1/' | sort); do
    printf '%s "node_modules/%s": { "version": "1.0.0", "resolved": "https://registry.example.org/%s.tgz", "integrity": "sha512-${"A".repeat(86)}==" }' "$comma" "$spec" "$spec"
    comma=,
  done
  printf '} }'
} > "$prefix/package-lock.json"
echo "$*" 2>/dev/null >> "$(dirname "$0")/calls" || true
`;

const wheel = (name: string, version: string) => ({
  metadata: { name, version },
  download_info: {
    url: `https://pip.example.org/${name}.whl`,
    archive_info: { hashes: { sha256: "0".repeat(64) } },
  },
});
const RESOLVED = JSON.stringify({ install: [wheel("six", "1.17.0"), wheel("attrs", "23.2.0")] });

/** A fake Python whose pip records its arguments. */
export const FAKE_PYTHON = `
if [ "$4" = config ]; then env | sed -n "s/^PIP_INDEX_URL=\\(.*\\)/:env:.index-url='\\1'/p"; exit 0; fi
printf '%s\\n' "$@" > "$(dirname "$0")/argv-$5"
env > "$(dirname "$0")/env"
case "$5" in
  --dry-run) echo '${RESOLVED}' > "$8";;
  --target) mkdir -p "$6/six" "$6/six-1.17.0.dist-info";;
esac
`;

/** Runs programs on the host, for fake package managers that record their calls. */
export const openSandbox: Sandbox = {
  id: "bubblewrap",
  probe: async () => ({ ...(await unconfined().probe()), isAvailable: true }),
  start: (spec) => unconfined().start(spec),
};

/** A host with a fake npm, in the folder `host.env.PATH`. */
export function installPorts(settings: Partial<InstallPorts> & { readonly npm?: string } = {}): InstallPorts {
  const { npm = FAKE_NPM, ...rest } = settings;
  const folder = dirname(makeProgram("npm", npm));
  return {
    home: makeFolder(),
    findRuntime,
    sandbox: openSandbox,
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

/** Uses the machine's interpreters, except for one. */
export function runtimeInstead(kind: RuntimeKind, runtime: () => Runtime | Promise<Runtime>) {
  return async (asked: RuntimeKind): Promise<Runtime> =>
    asked === kind ? await runtime() : await findRuntime(asked);
}
