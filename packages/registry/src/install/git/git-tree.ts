import { SkillError } from "@skillhold/protocol/error";

/** One entry of `ls-tree -r -z`. */
export interface GitEntry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  readonly path: string;
}

const MOST_ENTRIES = 200_000;

export function parseTree(output: Buffer): readonly GitEntry[] {
  const entries: GitEntry[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    if (end === -1) break;
    const [, mode, type, id, path] =
      /^(\d{6}) (blob|commit|tree) ([0-9a-f]{40,64})\t([\s\S]+)$/.exec(output.toString("utf8", start, end)) ??
      [];
    start = end + 1;
    if (mode === undefined || type === undefined || id === undefined || path === undefined) continue;
    entries.push({ mode, type, id, path });
    if (entries.length > MOST_ENTRIES)
      throw new SkillError("LIMIT_EXCEEDED", `The repository has more than ${MOST_ENTRIES} files.`, {
        hint: "Name a folder of the repository that holds the skill.",
      });
  }
  return entries;
}

/** The entries of one skill, by their paths in it. A link or a submodule refuses the skill: it would be a hole in it. */
export function entriesOf(entries: readonly GitEntry[], folder: string): readonly GitEntry[] | SkillError {
  const prefix = folder === "." ? "" : `${folder}/`;
  const inside = entries.flatMap((entry) =>
    entry.path.startsWith(prefix) ? [{ ...entry, path: entry.path.slice(prefix.length) }] : [],
  );
  const odd = inside.find(({ mode }) => mode !== "100644" && mode !== "100755");
  if (odd === undefined) return inside;
  const kinds: Readonly<Record<string, string>> = { "120000": "a symbolic link", "160000": "a submodule" };
  return new SkillError(
    "SKILL_INVALID",
    `The skill ${folder} holds ${kinds[odd.mode] ?? `an entry of mode ${odd.mode}`}: ${odd.path.slice(0, 120)}.`,
    {
      hint: "Ask the author to replace links and submodules by files.",
      details: { path: odd.path.slice(0, 120) },
    },
  );
}

/** The contents of blobs, from `cat-file --batch`, by id. */
export function parseBatch(output: Buffer): ReadonlyMap<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0x0a, start);
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(output.toString("latin1", start, end)) ?? [];
    if (end === -1 || id === undefined)
      throw new SkillError("REMOTE_FAILED", "The repository did not send every file of the skill.");
    const from = end + 1;
    blobs.set(id, output.subarray(from, from + Number(size)));
    start = from + Number(size) + 1;
  }
  return blobs;
}
