import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { signWithSsh } from "@skillhold/registry/install";
import { stageFolder } from "@skillhold/registry/release";
import {
  fingerprintOf,
  SIGNATURE_FILES,
  signSkill,
  sshBlobOf,
  sshPayload,
} from "@skillhold/registry/signature";
import { launch } from "@skillhold/sandbox/backend";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--key <file>", summary: "an Ed25519 key in PEM, or an SSH key" },
  { flags: "--generate-key <file>", summary: "make a new Ed25519 key and write it to this file" },
  { flags: "--print-payload", summary: "print the text that an SSH key signs, and sign nothing" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<path>", summary: "the skill's folder" }],
  options: optionSpecs,
  examples: ["sign my-skill --key ~/.ssh/id_ed25519", "sign my-skill --generate-key skillhold.key"],
  run,
});

/** Writes a signature into a skill's folder. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [path = ""] = args;
  const folder = resolve(io.cwd, path);
  const staged = await stageFolder(folder, { within: folder }, defaultLimits);
  const payload = sshPayload(staged.files);
  if (options["printPayload"] === true) {
    io.out(payload);
    return 0;
  }
  const signed = await makeSignature(staged.id, staged.files, payload, { options, io });
  const file = SIGNATURE_FILES[signed.format];
  writeWhole(join(folder, file), signed.text);
  if (io.json) printData(io, { id: staged.id, file, format: signed.format, keyId: signed.keyId });
  else {
    io.out(`${staged.id}: signed in ${file}\n`);
    if (signed.publicKey !== undefined) io.err(`public key: ${signed.publicKey}\n`);
  }
  return 0;
}

interface Signed {
  readonly format: "dsse" | "ssh";
  readonly text: string;
  readonly keyId?: string;
  readonly publicKey?: string;
}

async function makeSignature(
  id: string,
  files: Parameters<typeof signSkill>[1],
  payload: string,
  { options, io }: Pick<CommandInput, "options" | "io">,
): Promise<Signed> {
  const fresh = textOption(options, "generateKey");
  const named = textOption(options, "key");
  if ((fresh === undefined) === (named === undefined))
    throw new SkillError("USAGE", "One of --key and --generate-key is needed.");
  const key =
    fresh === undefined
      ? readKey(resolve(io.cwd, expandHome(named ?? "", io)))
      : makeKey(resolve(io.cwd, fresh));
  if (typeof key === "string") return { format: "ssh", text: await signSsh(key, payload, io) };
  const blob = sshBlobOf(key);
  return {
    format: "dsse",
    text: signSkill(id, files, key),
    keyId: fingerprintOf(blob),
    publicKey: `ssh-ed25519 ${blob.toString("base64")}`,
  };
}

/** The key, or the path of one that only ssh-keygen can read. */
function readKey(file: string): KeyObject | string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new SkillError("PATH_NOT_FOUND", `The key ${file} cannot be read.`, { cause: error });
  }
  if (/BEGIN OPENSSH PRIVATE KEY|^(?:ssh|ecdsa|sk)-/m.test(text)) return file;
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // No key at all: the same failure as for one of another kind.
  }
  throw new SkillError("CONFIG_INVALID", `${file} holds no Ed25519 key in PEM and no SSH key.`, {
    hint: "Make one with --generate-key, or use an SSH key.",
  });
}

function makeKey(file: string): KeyObject {
  const { privateKey } = generateKeyPairSync("ed25519");
  const text = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new SkillError("IO_FAILED", `The key cannot be written to ${file}.`, {
      hint: "Name a file that does not exist yet.",
      cause: error,
    });
  }
  return privateKey;
}

async function signSsh(key: string, payload: string, io: Io): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-sign-"));
  try {
    return await signWithSsh({ launch, key, payload, folder, env: io.env, signal: io.signal });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function expandHome(path: string, { env }: Pick<Io, "env">): string {
  return path.startsWith("~/") ? join(env["HOME"] ?? "", path.slice(2)) : path;
}

function writeWhole(file: string, text: string): void {
  try {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new SkillError("IO_FAILED", `The signature cannot be written to ${file}.`, { cause: error });
  }
}
