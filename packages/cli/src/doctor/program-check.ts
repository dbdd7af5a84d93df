import type { nodeHost } from "@skillhold/core";
import { type Check, ok, warn } from "./check.ts";

interface Program {
  readonly name: string;
  readonly use: string;
  readonly fix: string;
  /** The platforms on which it has a use; all when left out. */
  readonly platforms?: readonly string[];
}

const programs: readonly Program[] = [
  { name: "node", use: "runs the JavaScript of skills", fix: "Install Node from https://nodejs.org." },
  { name: "python3", use: "runs the Python of skills", fix: "Install Python 3." },
  { name: "git", use: "fetches skills from repositories", fix: "Install Git." },
  {
    name: "bwrap",
    use: "is the sandbox that scripts run in",
    fix: "Install bubblewrap, for instance with `apt install bubblewrap`.",
    platforms: ["linux"],
  },
];

/** Programs are looked for on PATH and never started. */
export function checkPrograms(
  host: Pick<ReturnType<typeof nodeHost>, "platform" | "hasBin">,
): readonly Check[] {
  return programs
    .filter(({ platforms }) => platforms?.includes(host.platform) ?? true)
    .map(({ name, use, fix }) =>
      host.hasBin(name)
        ? ok(name === "node" ? "node on PATH" : name, `Found; it ${use}.`)
        : warn(name === "node" ? "node on PATH" : name, `Not found; it ${use}.`, fix),
    );
}
