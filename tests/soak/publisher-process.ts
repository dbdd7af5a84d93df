import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileCache } from "../compile-cache.ts";

/** A publication that the store acknowledged to a publisher. */
export interface Acknowledged {
  readonly id: string;
  readonly revision: number;
  readonly treeHash: string;
}

export interface PublisherOptions {
  readonly url: string;
  /** Where it makes the skills that it publishes. */
  readonly folder: string;
  /** When the clock of all publishers started. */
  readonly startedAt: number;
  /** How much faster than time it goes. */
  readonly speed: number;
  readonly count: number;
  readonly mix: "publish" | "all";
}

export interface Publisher {
  /** Resolves at the first thing that is acknowledged, or at the end. */
  readonly begun: Promise<void>;
  /** Resolves when the process has ended and all it said has been read. */
  readonly ended: Promise<{ readonly acknowledged: readonly Acknowledged[]; readonly errors: string }>;
  kill(): void;
}

const script = join(import.meta.dirname, "publisher.ts");

export function startPublisher({ url, folder, startedAt, speed, count, mix }: PublisherOptions): Publisher {
  const args = [url, folder, startedAt, speed, count, mix].map(String);
  const child = spawn(process.execPath, ["--conditions=@skillhold/source", script, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...compileCache },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { begun, ended } = listen(child);
  return { begun, ended, kill: () => child.kill("SIGKILL") };
}

function listen(child: ChildProcess): Pick<Publisher, "begun" | "ended"> {
  const acknowledged: Acknowledged[] = [];
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const { stdout } = child;
  if (stdout === null) throw new Error("The publisher has no output.");
  const lines = createInterface({ input: stdout });
  const begun = Promise.race([once(lines, "line"), once(child, "close")]).then(() => undefined);
  lines.on("line", (line) => {
    // A killed process may end with half a line: that publication was not acknowledged.
    if (line.endsWith("}")) acknowledged.push(JSON.parse(line));
  });
  const closed = Promise.all([once(child, "close"), once(lines, "close")]);
  return { begun, ended: closed.then(() => ({ acknowledged, errors })) };
}
