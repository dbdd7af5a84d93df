import type { nodeHost } from "@skillhold/core/source";
import { type Check, ok, warn } from "./check.ts";

interface Program {
  readonly name: string;
  readonly use: string;
  readonly fix: string;
}

const programs: readonly Program[] = [
  { name: "node", use: "runs the JavaScript of skills", fix: "Install Node from https://nodejs.org." },
  { name: "python3", use: "runs the Python of skills", fix: "Install Python 3." },
  { name: "git", use: "fetches skills from repositories", fix: "Install Git." },
];

/** Programs are looked for on PATH and never started. */
export function checkPrograms(host: Pick<ReturnType<typeof nodeHost>, "hasBin">): readonly Check[] {
  return programs.map(({ name, use, fix }) =>
    host.hasBin(name)
      ? ok(name === "node" ? "node on PATH" : name, `Found; it ${use}.`)
      : warn(name === "node" ? "node on PATH" : name, `Not found; it ${use}.`, fix),
  );
}
