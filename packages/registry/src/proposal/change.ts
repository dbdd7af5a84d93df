import { hashSkillFile, normalizeRelative } from "@skillhold/core/bundle";
import type { ProposedChange } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { comparePaths, withBody, withDescription } from "@skillhold/skill";
import { applyPatch, parsePatch } from "diff";
import type { StagedFile } from "../record/staged-skill.ts";
import { findSkillFile } from "../release/skill-file.ts";

/**
 * The files of a skill after a proposed change. Each edit must match its old text exactly once, and each hunk of a diff
 * must match exactly. Throws USAGE with the file and the reason.
 */
export function applyChange(
  base: readonly StagedFile[],
  change: ProposedChange,
  limits: Limits,
): readonly StagedFile[] {
  const files = new Map(base.map((file) => [file.path, file]));
  const draft = new Draft(files, limits);
  for (const { path, old, new: text } of change.edits ?? []) draft.edit(path, old, text);
  for (const { path, content } of change.files ?? []) draft.put(path, content);
  if (change.diff !== undefined) draft.patch(change.diff);
  const { body, description } = change;
  if (body !== undefined && (change.edits ?? change.diff) !== undefined)
    throw invalid("A proposal has a body and edits, or a body and a diff.", "Send one of them.");
  if (body !== undefined) draft.rewrite((text) => withBody(text, body));
  if (description !== undefined) draft.rewrite((text) => withDescription(text, description));
  return [...files.values()].sort((a, b) => comparePaths(a.path, b.path));
}

class Draft {
  readonly #files: Map<string, StagedFile>;
  readonly #limits: Limits;

  constructor(files: Map<string, StagedFile>, limits: Limits) {
    this.#files = files;
    this.#limits = limits;
  }

  edit(path: string | undefined, old: string, text: string): void {
    const name = this.#pathOf(path ?? this.#skillFile());
    const before = this.#textOf(name);
    if (old === "") throw invalid(`An edit of ${name} has an empty old text.`);
    const at = before.indexOf(old);
    if (at < 0) throw invalid(`The old text of an edit is not in ${name}.`);
    if (before.includes(old, at + 1))
      throw invalid(`The old text of an edit is in ${name} more than once.`, "Add lines around the text.");
    this.#write(name, before.slice(0, at) + text + before.slice(at + old.length));
  }

  /** Writes a file, or removes it where the content is null. */
  put(path: string, content: string | null): void {
    const name = this.#pathOf(path);
    if (content !== null) this.#write(name, content);
    else if (!this.#files.delete(name)) throw invalid(`The skill has no file ${name} to remove.`);
  }

  /** Rewrites the SKILL.md. */
  rewrite(change: (text: string) => string): void {
    const name = this.#skillFile();
    this.#write(name, change(this.#textOf(name)));
  }

  patch(diff: string): void {
    const patches = readPatches(diff);
    if (patches.length === 0) throw invalid("The diff contains no change.");
    for (const patch of patches) {
      const from = patchPath(patch.oldFileName);
      const to = patchPath(patch.newFileName);
      const name = this.#pathOf(to ?? from ?? this.#skillFile());
      if (to === undefined && from !== undefined) {
        this.put(name, null);
        continue;
      }
      const before = from === undefined ? "" : this.#textOf(this.#pathOf(from));
      const after = applyPatch(before, patch, { fuzzFactor: 0 });
      if (after === false)
        throw invalid(`The diff does not match ${name}.`, "Send exact edits instead of a diff.");
      this.#write(name, after);
    }
  }

  #pathOf(path: string): string {
    return normalizeRelative(path, this.#limits);
  }

  #skillFile(): string {
    return findSkillFile([...this.#files.values()])?.path ?? "SKILL.md";
  }

  #textOf(path: string): string {
    const file = this.#files.get(path);
    if (file === undefined) throw invalid(`The skill has no file ${path}.`);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file.content);
    } catch {
      throw invalid(`${path} is not a text file.`, "Send the whole file in `files`.");
    }
  }

  #write(path: string, text: string): void {
    if (!text.isWellFormed()) throw invalid(`The text of ${path} contains a lone surrogate.`);
    const content = Buffer.from(text);
    const executable = this.#files.get(path)?.executable ?? false;
    this.#files.set(path, {
      path,
      content,
      size: content.length,
      executable,
      digest: hashSkillFile(content),
    });
  }
}

function readPatches(diff: string): ReturnType<typeof parsePatch> {
  try {
    return parsePatch(diff).filter(({ hunks }) => hunks.length > 0);
  } catch (error) {
    throw invalid(`The diff cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : ""}.`);
  }
}

/** Undefined for `/dev/null` and for a diff without file names. */
function patchPath(name: string | undefined): string | undefined {
  if (name === undefined || name === "" || name === "/dev/null") return undefined;
  return name.replace(/^[ab]\//, "");
}

function invalid(
  message: string,
  hint = "Read the file again and send the change with its exact text.",
): SkillError {
  return new SkillError("USAGE", message, { hint });
}
