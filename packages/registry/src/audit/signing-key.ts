import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { errorCodeOf } from "@skillhold/core/bundle";
import { ensurePrivateFile, openPrivateFile } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import type { CheckpointSigner, TrustedKey } from "./checkpoint.ts";

/** The name in the notes; keys of one name are told apart by their hash. */
const NAME = "skillhold";
const TITLE = { title: "The key file of the audit log" };
const PUBLIC_TITLE = { title: "The public key of the audit log", mayOthersRead: true };

/**
 * The key that signs the log, in a file of the user's alone, which is made when it is not there. What is needed to verify
 * lies beside it, in a file that ends in `.pub`.
 */
export async function signingKeyFile(path: string): Promise<CheckpointSigner> {
  await ensurePrivateFile(path, makeKey, TITLE);
  const key = parseKey(path, await readPrivate(path), createPrivateKey);
  const spki = () => createPublicKey(key).export({ format: "pem", type: "spki" });
  await ensurePrivateFile(publicKeyFile(path), spki, PUBLIC_TITLE);
  return { name: NAME, key };
}

/** Where the public key of a private one lies. */
export function publicKeyFile(path: string): string {
  return `${path.replace(/\.key$/, "")}.pub`;
}

/** A public key to verify with; undefined when there is no such file. */
export async function findTrustedKey(path: string): Promise<TrustedKey | undefined> {
  try {
    return { name: NAME, key: parseKey(path, await readFile(path, "utf8"), createPublicKey) };
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

async function readPrivate(path: string): Promise<string> {
  const handle = await openPrivateFile(path, constants.O_RDONLY, TITLE);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function parseKey(path: string, text: string, parse: (text: string) => KeyObject): KeyObject {
  const key = tryParse(text, parse);
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw new SkillError("CONFIG_INVALID", `The file ${path} holds no Ed25519 key.`, {
    hint: "Restore it from a backup; or move it away to sign with a new key from now on.",
    details: { path },
  });
}

function tryParse(text: string, parse: (text: string) => KeyObject): KeyObject | undefined {
  try {
    return parse(text);
  } catch {
    // No key at all: the caller says so.
    return undefined;
  }
}
