// Adds to package-lock.json the optional platform packages that `npm install` left out, because the registry it
// asked does not carry them. Without them `npm ci` refuses the lock file, and other platforms miss their binaries.
// npm keeps the added entries, but a dependency that it resolves anew comes without them: run this after every
// change of a dependency. The integrity of an added entry comes from the registry; one that does not carry the version
// leaves it out. `--check` accepts that only for the optional packages of one platform in unverified-packages.json, and
// never for Linux on x64. To shorten that list, run this with a complete registry, then with `--list`.
//   node scripts/complete-lock.mjs [path of the lock file]
//   node scripts/complete-lock.mjs --list   writes unverified-packages.json
//   node scripts/complete-lock.mjs --check [paths]   every lock file: each package has a SHA-512 integrity and no source of its own
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const systems = {
  aix: "aix",
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  fsevents: "darwin",
  linux: "linux",
  netbsd: "netbsd",
  openbsd: "openbsd",
  openharmony: "openharmony",
  sunos: "sunos",
  win: "win32",
  win32: "win32",
  windows: "win32",
};
const processors = [
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];
const libraries = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" };

const root = fileURLToPath(new URL("..", import.meta.url));
const lockFiles = [
  "package-lock.json",
  "tests/adapters/package-lock.json",
  "tests/clients/package-lock.json",
];

const unverifiedFile = `${root}scripts/unverified-packages.json`;

const [first, ...rest] = process.argv.slice(2);
if (first === "--list") writeUnverified();
else if (first === "--check") check(rest.length > 0 ? rest : lockFiles.map((file) => `${root}${file}`));
else complete(first ?? `${root}package-lock.json`);

function complete(path) {
  const text = readFileSync(path, "utf8");
  const lock = JSON.parse(text);
  const { added, skipped } = completeLock(lock.packages);
  addIntegrity(lock.packages);
  lock.packages = sortKeys(lock.packages);
  const completed = `${JSON.stringify(lock, undefined, 2)}\n`;
  if (completed !== text) writeFileSync(path, completed);
  for (const line of skipped) console.error(`skipped: ${line}`);
  console.log(added.length === 0 ? "The lock file is complete." : `Added:\n  ${added.join("\n  ")}`);
  if (skipped.length > 0) process.exitCode = 1;
}

function check(paths) {
  const accepted = new Set(JSON.parse(readFileSync(unverifiedFile, "utf8")));
  const faults = paths.flatMap((path) =>
    findFaults(readPackages(path), accepted).map((fault) => `${path.replace(root, "")}: ${fault}`),
  );
  const unverified = new Set(paths.flatMap((path) => listUnverified(readPackages(path))));
  const stale = [...accepted].filter((spec) => !unverified.has(spec));
  if (paths.length === lockFiles.length && stale.length > 0)
    faults.push(`scripts/unverified-packages.json: no longer needed: ${stale.join(", ")}`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages;
}

function writeUnverified() {
  const specs = new Set(lockFiles.flatMap((file) => listUnverified(readPackages(`${root}${file}`))));
  writeFileSync(unverifiedFile, `${JSON.stringify([...specs].sort(), undefined, 2)}\n`);
}

function listUnverified(packages) {
  return installed(packages)
    .filter(([, entry]) => entry.integrity === undefined)
    .map(([path, { version }]) => `${nameOf(path)}@${version}`);
}

/** Entries that npm would install without comparing their bytes, or from elsewhere than the configured registry. */
function findFaults(packages, accepted) {
  return installed(packages).flatMap(([path, entry]) => {
    if (entry.resolved !== undefined) return [`${path} has a source of its own: ${entry.resolved}`];
    if (entry.integrity === undefined)
      return isUnseen(entry) && accepted.has(`${nameOf(path)}@${entry.version}`)
        ? []
        : [`${path} has no integrity`];
    return /^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity) ? [] : [`${path} has no SHA-512 integrity`];
  });
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** Packages of a registry: not the workspace, its members or links to them. */
function installed(packages) {
  return Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
}

/** An optional binary of a platform other than Linux with glibc on x64. */
function isUnseen({ optional, os, cpu, libc }) {
  const isFor = (list, value) => list === undefined || list.includes(value);
  const isPlatform = (os ?? cpu) !== undefined;
  return (
    optional === true && isPlatform && !(isFor(os, "linux") && isFor(cpu, "x64") && isFor(libc, "glibc"))
  );
}

function addIntegrity(packages) {
  for (const [path, entry] of installed(packages)) {
    if (entry.integrity !== undefined) continue;
    const integrity = askIntegrity(`${nameOf(path)}@${entry.version}`);
    if (integrity !== undefined) packages[path] = { version: entry.version, integrity, ...entry };
  }
}

function askIntegrity(spec) {
  try {
    const answer = execFileSync("npm", ["view", spec, "dist.integrity"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return answer.trim() || undefined;
  } catch {
    // The registry does not carry the package.
    return undefined;
  }
}

function completeLock(packages) {
  const added = [];
  const skipped = [];
  for (const [parentPath, parent] of Object.entries(packages)) {
    const siblings = parent.optionalDependencies ?? {};
    for (const [name, version] of Object.entries(siblings)) {
      if (isLocked(packages, parentPath, name, version)) continue;
      const platform = readPlatform(name, siblings);
      if (platform === undefined || !/^\d+\.\d+\.\d+[^ ]*$/.test(version)) {
        skipped.push(
          `${name}@${version} (of ${parentPath || "the workspace"}): platform or version is unclear`,
        );
        continue;
      }
      packages[choosePath(packages, parentPath, name)] = makeEntry(version, platform, parent);
      added.push(`${name}@${version}`);
    }
  }
  return { added, skipped };
}

/** Looks where Node would look: beside the parent, then further up. Assumes that a found version meets a range. */
function isLocked(packages, parentPath, name, version) {
  for (const folder of ancestors(parentPath)) {
    const found = packages[`${folder}node_modules/${name}`];
    if (found !== undefined) return found.version === version || !/^\d/.test(version);
  }
  return false;
}

function ancestors(path) {
  if (path === "") return [""];
  const parent = path.slice(0, Math.max(0, path.lastIndexOf("node_modules/") - 1));
  return [`${path}/`, ...ancestors(path.includes("node_modules/") ? parent : "")];
}

function choosePath(packages, parentPath, name) {
  const top = `node_modules/${name}`;
  return packages[top] === undefined ? top : `${parentPath}/${top}`;
}

function readPlatform(name, siblings) {
  const words = name.split(/[-/.]/);
  const os = systems[words.find((word) => word in systems)];
  const cpu = words.find((word) => processors.includes(word));
  if (os === undefined && cpu === undefined) return undefined;
  const named = libraries[words.find((word) => word in libraries)];
  // Where a package has a twin for musl, the one that names no library is for glibc.
  const libc = named ?? (`${name}-musl` in siblings ? "glibc" : undefined);
  return { os, cpu, libc: os === "linux" ? libc : undefined };
}

/** Keys in npm's order; undefined ones are not written. */
function makeEntry(version, { os, cpu, libc }, parent) {
  return {
    version,
    cpu: cpu && [cpu],
    dev: parent.dev,
    devOptional: parent.devOptional,
    libc: libc && [libc],
    optional: true,
    os: os && [os],
    peer: parent.peer,
  };
}

function sortKeys(packages) {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en")));
}
