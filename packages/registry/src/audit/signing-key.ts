import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { errorCodeOf } from "@skillhold/core/bundle";
import { ensurePrivateFile, openPrivateFile } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { KEY_NAME } from "./audit-key.ts";
import type { CheckpointSigner, TrustedKey } from "./checkpoint.ts";

const TITLE = { title: "The audit signing key file" };
const PUBLIC_TITLE = { title: "The audit public key file", mayOthersRead: true };

/**
 * The signing key of the log, in a private file that is created if missing. The public key is written beside
 * it with the extension `.pub`.
 */
export async function signingKeyFile(path: string): Promise<CheckpointSigner> {
  const key = await privateKeyFile(path, TITLE);
  const spki = () => createPublicKey(key).export({ format: "pem", type: "spki" });
  await ensurePrivateFile(publicKeyFile(path), spki, PUBLIC_TITLE);
  return { name: KEY_NAME, key };
}

/** An Ed25519 key in a private file that is created if missing. */
export async function privateKeyFile(path: string, title: { readonly title: string }): Promise<KeyObject> {
  await ensurePrivateFile(path, makeKey, title);
  return parseKey(path, await readPrivate(path, title), createPrivateKey);
}

/** The path of the public key. */
export function publicKeyFile(path: string): string {
  return `${path.replace(/\.key$/, "")}.pub`;
}

/** A public key for verification; undefined if the file does not exist. */
export async function findTrustedKey(path: string): Promise<TrustedKey | undefined> {
  try {
    return { name: KEY_NAME, key: parseKey(path, await readFile(path, "utf8"), createPublicKey) };
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    if (error instanceof SkillError) throw error;
    throw new SkillError("IO_FAILED", `${PUBLIC_TITLE.title} ${path} cannot be read.`, {
      details: { path },
      cause: error,
    });
  }
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

async function readPrivate(path: string, title: { readonly title: string }): Promise<string> {
  const handle = await openPrivateFile(path, constants.O_RDONLY, title);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function parseKey(path: string, text: string, parse: (text: string) => KeyObject): KeyObject {
  const key = tryParse(text, parse);
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw new SkillError("CONFIG_INVALID", `The file ${path} does not contain an Ed25519 key.`, {
    hint: "Restore it from a backup, or move it away to sign with a new key.",
    details: { path },
  });
}

function tryParse(text: string, parse: (text: string) => KeyObject): KeyObject | undefined {
  try {
    return parse(text);
  } catch {
    // The caller reports the error.
    return undefined;
  }
}
