import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** An npm registry and a pip index on the loopback address, with packages that attack their installer. */
export class PackageServer {
  readonly folder = openFolder();
  /** The attacks create this file on the host. */
  readonly marker = join(this.folder, "marker");
  readonly #answers = new Map<string, Uint8Array | string>();
  readonly #server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname);
    const answer = this.#answers.get(path);
    response.statusCode = answer === undefined ? 404 : 200;
    response.setHeader("content-type", path.startsWith("/simple/") ? "text/html" : "application/json");
    response.end(answer ?? "{}");
  });

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    // Everyone may write, so that only the sandbox keeps an attack from its marker.
    chmodSync(this.folder, 0o777);
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }

  get url(): string {
    // A server that listens has an address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds an npm package. */
  addNpm(name: string, manifest: Readonly<Record<string, unknown>> = {}, hasIntegrity = true): void {
    const version = "1.0.0";
    const whole = { name, version, ...manifest };
    const files = {
      "package/package.json": JSON.stringify(whole),
      "package/index.js": "module.exports = 1;",
    };
    const tarball = this.#tar(files);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const shasum = createHash("sha1").update(tarball).digest("hex");
    const path = `/${name}/-/${name}-${version}.tgz`;
    const dist = { tarball: `${this.url}${path}`, shasum, ...(hasIntegrity ? { integrity } : {}) };
    this.#answers.set(path, tarball);
    const versions = { [version]: { ...whole, dist } };
    this.#answers.set(`/${name}`, JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  }

  /** A repository whose settings make npm run a program of it instead of git. */
  makeRepository(): string {
    const folder = join(this.folder, "repository");
    const script = `#!/bin/sh\ntouch '${this.marker}'\nexit 1\n`;
    const files = {
      "package.json": JSON.stringify({
        ...{ name: "inner", version: "1.0.0", scripts: { prepare: "true" } },
        // Only an installation inside the clone needs it.
        devDependencies: { other: "git+file:///nowhere" },
      }),
      ".npmrc": "git=./x.sh\n",
      "x.sh": script,
    };
    writeAll(folder, files);
    chmodSync(join(folder, "x.sh"), 0o755);
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      [...AUTHOR, "commit", "-q", "-m", "x"],
    ])
      run("git", ["-C", folder, ...args]);
    return folder;
  }

  /** Adds a wheel and returns its hash. */
  addWheel(name: string, requires: readonly string[] = []): string {
    const file = `${name}-1.0-py3-none-any.whl`;
    const metadata = [
      ...["Metadata-Version: 2.1", `Name: ${name}`, "Version: 1.0"],
      ...requires.map((each) => `Requires-Dist: ${each}`),
    ];
    const entries = {
      [`${name}.py`]: "value = 1\n",
      [`${name}-1.0.dist-info/METADATA`]: `${metadata.join("\n")}\n`,
      [`${name}-1.0.dist-info/WHEEL`]:
        "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
      [`${name}-1.0.dist-info/RECORD`]: "",
    };
    const path = join(this.folder, file);
    const script =
      "import json,sys,zipfile\nwith zipfile.ZipFile(sys.argv[1],'w') as z:\n for n,t in json.loads(sys.argv[2]).items(): z.writestr(n,t)";
    run("/usr/bin/python3", ["-c", script, path, JSON.stringify(entries)]);
    const wheel = readFileSync(path);
    const hash = createHash("sha256").update(wheel).digest("hex");
    this.#answers.set(`/files/${file}`, wheel);
    this.#answers.set(`/simple/${name}/`, `<a href="${this.url}/files/${file}#sha256=${hash}">${file}</a>`);
    return hash;
  }

  /** A source package whose build is its own program. Returns its address. */
  addSource(name: string, program = `open(${JSON.stringify(this.marker)}, "w").close()\n`): string {
    const root = `${name}-1.0`;
    const tarball = this.#tar({
      [`${root}/pyproject.toml`]:
        '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n',
      [`${root}/PKG-INFO`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
      [`${root}/evil.py`]: program,
    });
    this.#answers.set(`/files/${root}.tar.gz`, tarball);
    return `${this.url}/files/${root}.tar.gz`;
  }

  #tar(files: Readonly<Record<string, string>>): Uint8Array {
    const folder = mkdtempSync(join(this.folder, "tar-"));
    writeAll(folder, files);
    run("tar", ["-czf", join(folder, "x.tgz"), "-C", folder, ...new Set(Object.keys(files).map(topOf))]);
    return readFileSync(join(folder, "x.tgz"));
  }
}

/**
 * A build that succeeds, and leaves a process behind. The process puts links and a module where the installation writes
 * later, and replaces pip's report of the resolution with one for the wheel `good`.
 */
export function forgingBuild(link: string, url: string, hash: string): string {
  const wheel = `${url}/files/good-1.0-py3-none-any.whl`;
  const report = {
    install: [
      {
        metadata: { name: "good", version: "1.0" },
        download_info: { url: wheel, archive_info: { hashes: { sha256: hash } } },
      },
    ],
  };
  return `import json, os, time
root = "/environment"
report = root + "/.scratch/report.json"
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 64)
    os.makedirs(root + "/site", exist_ok=True)
    with open(root + "/site/planted.py", "w") as file: file.write("value = 2")
    for name in ("requirements.lock", "environment.json"):
        if not os.path.lexists(root + "/" + name): os.symlink(${JSON.stringify(link)}, root + "/" + name)
    while True:
        time.sleep(0.001)
        try:
            if '"is_direct": true' not in open(report).read(): continue
            with open(report + "2", "w") as file: file.write(${JSON.stringify(JSON.stringify(report))})
            os.replace(report + "2", report)
        except OSError: pass
def prepare_metadata_for_build_wheel(folder, settings=None):
    os.mkdir(folder + "/helper-1.0.dist-info")
    with open(folder + "/helper-1.0.dist-info/METADATA", "w") as file:
        file.write("Metadata-Version: 2.1\\nName: helper\\nVersion: 1.0\\n")
    return "helper-1.0.dist-info"
def build_wheel(folder, settings=None, metadata=None): raise SystemExit(1)
`;
}

const AUTHOR = ["-c", "user.name=x", "-c", "user.email=x@example.com"];

function topOf(path: string): string {
  return path.split("/")[0] ?? path;
}

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

function openFolder(): string {
  return mkdtempSync(join(tmpdir(), "skillhold-packages-"));
}
