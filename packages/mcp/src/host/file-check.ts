import { hashSkillFile } from "@skillhold/core/bundle";
import { z } from "zod";
import type { ListedFile } from "./listed-skill.ts";
import { refuse } from "./refusal.ts";
import { isSameUri } from "./skill-uri.ts";

const Content = z.object({ uri: z.string(), text: z.string().optional(), blob: z.string().optional() });
const Answer = z.object({ contents: z.array(Content) });

/** The bytes of a listed file out of the answer to `resources/read`: of its size and digest, or none. */
export function readAnswer(answer: unknown, file: ListedFile): Uint8Array {
  const parsed = Answer.safeParse(answer);
  const own = parsed.success ? parsed.data.contents.filter(({ uri }) => isSameUri(uri, file.uri)) : [];
  const [content] = own;
  if (content === undefined || own.length > 1)
    throw refuse(
      "MCP_FILE_MISSING",
      `The server did not answer with ${file.uri} and nothing else of that address.`,
      {
        uri: file.uri,
      },
    );
  const bytes = decode(content, file);
  checkFile(bytes, file);
  return bytes;
}

export function checkFile(bytes: Uint8Array, file: ListedFile): void {
  if (bytes.length !== file.size) throw otherSize(`${bytes.length}`, file);
  const digest = hashSkillFile(bytes);
  if (digest === file.digest) return;
  throw refuse(
    "MCP_DIGEST_DIFFERS",
    `${file.uri} is not what is listed: its digest is ${digest}, not ${file.digest}.`,
    {
      uri: file.uri,
    },
  );
}

/** A text that is too long is not even decoded. */
function decode({ text, blob }: z.infer<typeof Content>, file: ListedFile): Uint8Array {
  if (text !== undefined) {
    // No character is less than a byte.
    if (text.length > file.size) throw otherSize(`at least ${text.length}`, file);
    return Buffer.from(text, "utf8");
  }
  const encoded = blob ?? "";
  // Four characters for three bytes, and the last ones may stand for fewer.
  if (encoded.length > Math.ceil(file.size / 3) * 4) throw otherSize("more", file);
  return Buffer.from(encoded, "base64");
}

function otherSize(size: string, { uri, size: listed }: ListedFile) {
  return refuse("MCP_SIZE_DIFFERS", `${uri} is not what is listed: it has ${size} bytes, not ${listed}.`, {
    uri,
  });
}
