import { spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits, SkillId } from "@skillhold/protocol";
import { fsck } from "@skillhold/registry/fsck";
import { applyProposal, propose, reviewProposal } from "@skillhold/registry/proposal";
import type { RegistryContext } from "@skillhold/registry/record";
import { publishFolder } from "@skillhold/registry/release";
import { readBundle } from "@skillhold/registry/test/release/read-bundle";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { startPostgres } from "../postgres-cluster.ts";

export interface ProposalSoakOptions {
  readonly engine: "sqlite" | "postgres";
  readonly count: number;
  readonly say: (text: string) => void;
}

const author = { user: "ada", role: "publisher" } as const;
const admin = { user: "root", role: "admin" } as const;
const script = join(import.meta.dirname, "proposal-applier.ts");
/** Proposals per applier: enough that most appliers are killed at work. */
const BATCH = 6;
/** Files of a skill, so that a half-written one differs. */
const FILES = ["a.md", "b.md", "c.md", "d.md"];

/** Kills appliers of proposals at random instants. Returns each proposal that is half applied or lost. */
export async function soakProposals({ engine, count, say }: ProposalSoakOptions): Promise<readonly string[]> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "skillhold-soak-"));
  const cluster = engine === "postgres" ? await startPostgres() : undefined;
  const url = (await cluster?.createDatabase()) ?? `sqlite:${join(folder, "registry.db")}`;
  const store = await openRegistryStore(url);
  try {
    const ids = { next: () => randomUUID() };
    const clock = { now: () => new Date() };
    const run = new ProposalSoak(
      { store, clock, ids, limits: defaultLimits, scan: scanDependencies },
      url,
      folder,
    );
    for (let kills = 1; kills <= count; kills += 1) {
      await run.killOne();
      if (kills % 50 === 0) say(`${engine}: ${kills} kills\n`);
    }
    const { findings } = await fsck({}, run.context);
    const damage = findings.filter(({ severity }) => severity !== "info").map(({ message }) => message);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    say(
      `${engine}: ${count} kills in ${seconds} s, ${run.made} proposals, ${run.acknowledged} acknowledged, `,
    );
    say(
      `${run.between} found between, ${run.half.length} half applied, ${run.lost.length} lost, ${damage.length} fsck findings\n`,
    );
    return [...run.half, ...run.lost, ...damage];
  } finally {
    await store.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Made {
  readonly id: string;
  readonly skill: string;
  /** Undefined for a skill of the registry. */
  readonly folder: string | undefined;
}

interface Seen {
  readonly state: string | undefined;
  /** Undefined for a skill in a folder. */
  readonly content: string | undefined;
}

class ProposalSoak {
  readonly context: RegistryContext;
  readonly half: string[] = [];
  readonly lost: string[] = [];
  made = 0;
  acknowledged = 0;
  /** Proposals that were not applied when their applier was killed. */
  between = 0;
  readonly #url: string;
  readonly #folder: string;

  constructor(context: RegistryContext, url: string, folder: string) {
    this.context = context;
    this.#url = url;
    this.#folder = folder;
  }

  async killOne(): Promise<void> {
    const batch: Made[] = [];
    for (let index = 0; index < BATCH; index += 1) batch.push(await this.#make(index % 2 === 0));
    const done = await this.#kill(batch.map(({ id }) => id));
    this.acknowledged += done.size;
    for (const each of batch) await this.#look(each, done.has(each.id));
  }

  async #make(isFolder: boolean): Promise<Made> {
    this.made += 1;
    const skill = SkillId.parse(`skill-${this.made}`);
    const place = join(this.#folder, "skills", skill);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "SKILL.md"), `---\nname: ${skill}\ndescription: Does ${skill}.\n---\nold\n`);
    for (const file of FILES) writeFileSync(join(place, file), "old\n");
    const edits = ["SKILL.md", ...FILES].map((path) => ({ path, old: "old", new: "new" }));
    const subject = isFolder
      ? {
          kind: "folder" as const,
          skill,
          folder: place,
          files: (await readBundle(place, {}, defaultLimits)).files,
        }
      : {
          kind: "registry" as const,
          skill,
          base: (await publishFolder(place, { by: author }, this.context)).treeHash,
        };
    const request = { author, origin: "api", subject, change: { edits }, justification: "Better." } as const;
    const { id } = await propose(request, this.context);
    await reviewProposal(id, { by: admin, decision: "approve" }, this.context);
    return { id, skill, folder: isFolder ? place : undefined };
  }

  /** The proposals that the applier acknowledged before it was killed. */
  async #kill(proposals: readonly string[]): Promise<ReadonlySet<string>> {
    const env = { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: join(this.#folder, "compile-cache") };
    const args = ["--conditions=@skillhold/source", script, this.#url, ...proposals];
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    const done = new Set<string>();
    const begun = Promise.race([once(lines, "line"), once(child, "close")]);
    lines.on("line", (line) => {
      // A killed process may end with half a line.
      if (line.endsWith(".")) done.add(line.slice(0, -1));
    });
    const closed = Promise.all([once(child, "close"), once(lines, "close")]);
    await begun;
    await setTimeout(randomInt(400));
    child.kill("SIGKILL");
    await closed;
    return done;
  }

  /** Checks a proposal after the kill, and again after another process applied it. */
  async #look(made: Made, isAcknowledged: boolean): Promise<void> {
    const { id } = made;
    const { context } = this;
    const { state, content } = await this.#settled(made);
    if (isAcknowledged && state !== "applied") this.lost.push(`${id}: acknowledged and ${state}`);
    if (state !== "applied") this.between += 1;
    if (content !== undefined && content !== (state === "applied" ? "new" : "old"))
      this.half.push(`${id}: ${state} with ${content} content`);
    const { isNew } = await applyProposal(id, admin, context);
    const about = await context.store.eventsAbout(made.skill, "proposal.applied", 10);
    if (about.length !== 1 || (isNew && state === "applied"))
      this.half.push(`${id}: applied ${about.length} times`);
    const after = made.folder === undefined ? await this.#readStored(made.skill) : readAll(made.folder);
    if (after !== "new") this.lost.push(`${id}: ${after} content after it was applied`);
  }

  /** A server may commit the last transaction of a killed client while it is looked at. */
  async #settled({ id, skill, folder }: Made): Promise<Seen> {
    const { store } = this.context;
    for (;;) {
      const state = (await store.findProposal(id))?.state;
      const content = folder === undefined ? await this.#readStored(skill) : undefined;
      if ((await store.findProposal(id))?.state === state) return { state, content };
    }
  }

  async #readStored(skill: string): Promise<string> {
    const { store } = this.context;
    const hash = (await store.findSkill(skill))?.treeHash;
    const files = hash === undefined ? undefined : await store.findTree(hash);
    const contents = new Set<string>();
    for (const { digest } of files ?? [])
      contents.add(lastLine(new TextDecoder().decode(await store.blobs.get(digest))));
    return [...contents].join("+");
  }
}

/** The one word that all files end with; several words for a half-written skill. */
function readAll(folder: string): string {
  const words = ["SKILL.md", ...FILES].map((file) => lastLine(readFileSync(join(folder, file), "utf8")));
  return [...new Set(words)].join("+");
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
