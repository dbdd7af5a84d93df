import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir, networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { findMarked, newMark } from "@skillhold/sandbox/test/backend/marked-process.fixture";

export interface Script {
  readonly language: Language;
  readonly script: string;
}

export type Language = "python" | "shell";

const skillText = "---\nname: attack\ndescription: A skill that means harm.\n---\n";
/** The first output of every script, because a script that never ran is no proof. */
export const begins = "the attack begins";
const mountedText = "mounted read-only";
const prelude = readFileSync(join(import.meta.dirname, "prelude.py"), "utf8");

/** The harmless targets on the host that all attacks share: canaries to read and servers to reach. */
export class Stage {
  readonly token = `canary-${randomBytes(12).toString("hex")}`;
  readonly home = openFolder(homedir(), ".skillhold-escape-");
  readonly temporary = openFolder(tmpdir(), "skillhold-escape-");
  readonly heard = new Set<string>();
  readonly #servers: { close(): unknown }[] = [];
  #facts: Readonly<Record<string, string>> = {};

  async open(): Promise<this> {
    const address = findAddress();
    const socket = join(this.temporary, "socket");
    const abstract = `skillhold-${randomBytes(8).toString("hex")}`;
    for (const folder of [this.home, this.temporary])
      writeFileSync(join(folder, "canary"), this.token, { mode: 0o644 });
    const port = await this.#listen({ host: "0.0.0.0", port: 0 });
    await this.#listen({ path: socket });
    chmodSync(socket, 0o777);
    await this.#listen({ path: `\0${abstract}` });
    this.#facts = {
      HOME_CANARY: join(this.home, "canary"),
      TEMPORARY_CANARY: join(this.temporary, "canary"),
      ...{ ADDRESS: address, PORT: `${port}`, DATAGRAM_PORT: `${await this.#listenForDatagrams()}` },
      ...{ SOCKET: socket, ABSTRACT: abstract },
    };
    // The run starts from this process, whose environment must not reach it.
    process.env["ESCAPE_CANARY"] = this.token;
    return this;
  }

  async set(attack: Script): Promise<Scene> {
    const name = newMark();
    const victim = await startVictim(name, this.token);
    return new Scene(attack, this, victim, { ...this.#facts, VICTIM_NAME: name });
  }

  close(): void {
    delete process.env["ESCAPE_CANARY"];
    for (const server of this.#servers) server.close();
    for (const folder of [this.home, this.temporary]) rmSync(folder, { recursive: true, force: true });
  }

  async #listen(place: object): Promise<number> {
    const server: Server = createServer((socket) => {
      socket.on("data", (data) => this.heard.add(data.toString("latin1")));
      socket.on("error", () => undefined);
    });
    server.listen(place);
    await once(server, "listening");
    this.#servers.push(server);
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  async #listenForDatagrams(): Promise<number> {
    const ear = createSocket("udp4", (data) => this.heard.add(data.toString("latin1")));
    ear.bind(0, "0.0.0.0");
    await once(ear, "listening");
    this.#servers.push(ear);
    return ear.address().port;
  }
}

/** The targets on the host for one attack. */
export class Scene {
  readonly mark = `mark-${randomBytes(16).toString("hex")}`;
  readonly token: string;
  /** Files that must not appear. */
  readonly places: readonly string[];
  readonly skill: string;
  /** A folder to mount read-only, and a file in it. */
  readonly shown: string;
  readonly mounted: string;
  /** A folder to mount writable. */
  readonly shared: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly script: string;
  readonly #folder: string;
  readonly #stage: Stage;
  readonly #victim: ChildProcess;

  constructor(attack: Script, stage: Stage, victim: ChildProcess, facts: Readonly<Record<string, string>>) {
    this.token = stage.token;
    this.#stage = stage;
    this.#victim = victim;
    this.#folder = openFolder(stage.temporary, "scene-");
    this.places = [stage.home, stage.temporary, "/tmp", "/var/tmp", "/dev/shm"].map((place) =>
      join(place, `${this.mark}-outside`),
    );
    this.skill = join(this.#folder, "skill");
    mkdirSync(this.skill);
    chmodSync(this.skill, 0o777);
    this.script = attack.language === "python" ? "attack.py" : "attack.sh";
    const text = attack.language === "python" ? prelude + attack.script : `echo ${begins}; ${attack.script}`;
    this.shown = join(this.#folder, "shown");
    this.mounted = join(this.shown, "mounted");
    this.shared = join(this.#folder, "shared");
    for (const folder of [this.shown, this.shared]) {
      mkdirSync(folder);
      chmodSync(folder, 0o777);
    }
    for (const [file, content] of [
      [join(this.skill, "SKILL.md"), skillText],
      [join(this.skill, this.script), text],
      [this.mounted, mountedText],
    ] as const) {
      writeFileSync(file, content);
      chmodSync(file, 0o666);
    }
    mkdirSync(this.collected);
    this.facts = {
      ...facts,
      MARK: this.mark,
      SEGMENT: `${this.segment}`,
      PLACES: this.places.join(" "),
      VICTIM: `${victim.pid}`,
    };
  }

  get collected(): string {
    return join(this.#folder, "collected");
  }

  /** The key of the memory segment that an attack shares. */
  get segment(): number {
    return Number.parseInt(this.mark.slice(-7), 16);
  }

  isSegmentShared(): boolean {
    return new RegExp(`^\\s*${this.segment}\\s`, "m").test(readFileSync("/proc/sysvipc/shm", "utf8"));
  }

  heard(): boolean {
    return this.#stage.heard.has(this.mark);
  }

  isVictimAlive(): boolean {
    // The system knows before this process receives the event.
    const text = readQuietly(`/proc/${this.#victim.pid}/stat`);
    return text !== "" && !/\) [ZX] /.test(text);
  }

  isSkillChanged(): boolean {
    const names = readdirSync(this.skill).sort().join(" ");
    if (names !== ["SKILL.md", this.script].join(" ")) return true;
    const file = join(this.skill, "SKILL.md");
    return readFileSync(file, "utf8") !== skillText || (statSync(file).mode & 0o777) !== 0o666;
  }

  isMountChanged(): boolean {
    const stats = statSync(this.mounted, { throwIfNoEntry: false });
    return (
      stats === undefined ||
      (stats.mode & 0o777) !== 0o666 ||
      readFileSync(this.mounted, "utf8") !== mountedText
    );
  }

  /** Files with a setuid or setgid bit. */
  setIdFiles(): readonly string[] {
    const names = [".", ...readdirSync(this.shared)];
    return names.filter((name) => (lstatSync(join(this.shared, name)).mode & 0o6000) !== 0);
  }

  /** Host processes that carry the mark of the run, under any name. */
  survivors(): readonly number[] {
    return findMarked(this.mark, "environ").map(({ pid }) => pid);
  }

  /** Ends processes that an unconfined attack left behind, and removes its files. */
  close(): void {
    for (const pid of this.survivors()) killQuietly(pid);
    this.#victim.kill("SIGKILL");
    if (this.isSegmentShared()) spawnSync("ipcrm", ["-M", `${this.segment}`]);
    for (const place of [...this.places, `/dev/shm/${this.mark}`, this.#folder])
      rmSync(place, { recursive: true, force: true });
  }
}

async function startVictim(name: string, token: string): Promise<ChildProcess> {
  const env = { PATH: "/usr/bin:/bin", VICTIM_CANARY: token };
  const victim = spawn("sleep", [`98.${name}`], { stdio: "ignore", detached: true, env });
  await once(victim, "spawn");
  return victim;
}

/** Open to every user, so that the sandbox and not a file mode blocks access. */
function openFolder(parent: string, prefix: string): string {
  const folder = mkdtempSync(join(parent, prefix));
  chmodSync(folder, 0o777);
  return folder;
}

function findAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find((each) => each.family === "IPv4" && !each.internal)?.address ?? "127.0.0.1";
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // The process is gone or belongs to another user.
    return "";
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process is gone.
  }
}
