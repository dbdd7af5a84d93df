import { isDeepStrictEqual } from "node:util";
import { hashSkillFile } from "@skillhold/core/bundle";
import type { Limits } from "@skillhold/protocol/limits";
import { type ParsedSkill, parseSkill, validateSkill } from "@skillhold/skill";
import { z } from "zod";
import type { ListedResource, ListedSkill } from "./listed-skill.ts";
import { refuse } from "./refusal.ts";
import { isSameUri } from "./skill-uri.ts";

const Content = z.object({ uri: z.string(), text: z.string().optional(), blob: z.string().optional() });
const Answer = z.object({ contents: z.array(Content) });

/** The bytes of a listed file from the result of `resources/read`. Throws unless size and digest match the list. */
export function readFileResult(answer: unknown, file: ListedResource): Uint8Array {
  const parsed = Answer.safeParse(answer);
  const own = parsed.success ? parsed.data.contents.filter(({ uri }) => isSameUri(uri, file.uri)) : [];
  const [content] = own;
  if (content === undefined || own.length > 1)
    throw refuse("MCP_FILE_MISSING", `The server did not return exactly one content for ${file.uri}.`, {
      uri: file.uri,
    });
  const bytes = decode(content, file);
  checkFile(bytes, file);
  return bytes;
}

export function checkFile(bytes: Uint8Array, file: ListedResource): void {
  if (bytes.length !== file.size) throw otherSize(`${bytes.length}`, file);
  const digest = hashSkillFile(bytes);
  if (digest === file.digest) return;
  throw refuse(
    "MCP_DIGEST_DIFFERS",
    `${file.uri} differs from the list: its digest is ${digest}, not ${file.digest}.`,
    {
      uri: file.uri,
    },
  );
}

/** Checks the length first, so that a too long text is not decoded. */
function decode({ text, blob }: z.infer<typeof Content>, file: ListedResource): Uint8Array {
  if (text !== undefined) {
    // Each character has at least one byte.
    if (text.length > file.size) throw otherSize(`at least ${text.length}`, file);
    return Buffer.from(text, "utf8");
  }
  const encoded = blob ?? "";
  // Base64 has four characters for three bytes, with padding at the end.
  if (encoded.length > Math.ceil(file.size / 3) * 4) throw otherSize("more", file);
  return Buffer.from(encoded, "base64");
}

function otherSize(size: string, { uri, size: listed }: ListedResource) {
  return refuse("MCP_SIZE_DIFFERS", `${uri} differs from the list: it has ${size} bytes, not ${listed}.`, {
    uri,
  });
}

/**
 * Parses SKILL.md and checks that its frontmatter equals the listed one, because people and models chose the skill by it.
 *
 * Contract: the bytes have the listed digest.
 */
export function readSkillFile(bytes: Uint8Array, { uri, listed }: ListedSkill, limits: Limits): ParsedSkill {
  const skill = parseSkill(bytes, limits);
  const { valid, diagnostics } = validateSkill(skill, { folder: uri.name }, "mcp", limits);
  if (!valid) {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const messages = errors.map(({ message }) => message).join(" ");
    throw refuse("MCP_SKILL_UNREADABLE", `${uri.text} is invalid: ${messages}`, { uri: uri.text });
  }
  const fields = findDifferences(listed, skill);
  if (fields.length === 0) return skill;
  throw refuse("MCP_FRONTMATTER_DIFFERS", `${uri.text} differs from its entry in ${fields.join(", ")}.`, {
    uri: uri.text,
    fields,
  });
}

function findDifferences(listed: ParsedSkill, skill: ParsedSkill): readonly string[] {
  const [before, after] = [listed.frontmatter, skill.frontmatter];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !isDeepStrictEqual(before[field], after[field])).sort();
}
