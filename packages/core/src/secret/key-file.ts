import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { SkillError } from "@skillhold/protocol/error";
import { ensurePrivateFile } from "./ensure-file.ts";
import { openPrivateFile } from "./private-file.ts";
import { KEY_BYTES } from "./seal.ts";
import type { KeySource } from "./secret.ts";

const TITLE = { title: "The key file" };

/** The key in a file, which is made when it is not there: processes that make it at the same time get the same key. */
export function keyFile(path: string): KeySource {
  return {
    key: async () => {
      await ensurePrivateFile(path, () => randomBytes(KEY_BYTES), TITLE);
      return await readKey(path);
    },
  };
}

async function readKey(path: string): Promise<Uint8Array> {
  const handle = await openPrivateFile(path, constants.O_RDONLY, TITLE);
  try {
    const { size } = await handle.stat();
    if (size === KEY_BYTES) return await handle.readFile();
    throw new SkillError(
      "CONFIG_INVALID",
      `The key file ${path} has ${size} bytes instead of ${KEY_BYTES}.`,
      {
        hint: "Restore it from a backup; or move it away, and set the secrets again.",
        details: { path },
      },
    );
  } finally {
    await handle.close();
  }
}
