import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  addRoot,
  addSigstoreRoot,
  changeIdentities,
  changePolicy,
  changeSigners,
} from "@skillhold/host/install";
import { SkillError } from "@skillhold/protocol/error";
import { type AllowedSigner, parseAllowedSigners, sshBlobOf } from "@skillhold/registry/signature";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--root <file>", summary: "trust certificates of this authority, a PEM file" },
  { flags: "--sigstore-root <file>", summary: "trust the authorities and logs of this trusted_root.json" },
  {
    flags: "--issuer <url>",
    summary: "trust Sigstore signatures of the principal that this provider confirms",
  },
  {
    flags: "--require <proof>",
    summary: "what a source needs",
    choices: ["none", "digest", "signature"],
  },
  { flags: "--source <prefix>", summary: "with --require, the start of the source's address" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    { usage: "[principal]", summary: "the signer, such as alice@example.org" },
    { usage: "[key]", summary: "an SSH public key, or a file with one, or a PEM public key" },
  ],
  options: optionSpecs,
  examples: [
    "trust add alice@example.org ~/.ssh/id_ed25519.pub",
    "trust add alice@example.org --issuer https://accounts.google.com",
    "trust add --require signature --source https://github.com/acme",
  ],
  run,
});

/** Trusts a key, an identity or an authority, or sets what a source needs. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const root = textOption(options, "root");
  const needed = textOption(options, "require");
  const sigstoreRoot = textOption(options, "sigstoreRoot");
  const issuer = textOption(options, "issuer");
  if (sigstoreRoot !== undefined) {
    const name = await addSigstoreRoot(io.env, resolve(io.cwd, sigstoreRoot));
    if (io.json) printData(io, { sigstoreRoot: name });
    else io.out(`Sigstore root ${name}: trusted\n`);
    return 0;
  }
  if (issuer !== undefined) return await addIdentity(args, issuer, io);
  if (root !== undefined) {
    const name = await addRoot(io.env, resolve(io.cwd, root));
    if (io.json) printData(io, { root: name });
    else io.out(`authority ${name}: trusted\n`);
    return 0;
  }
  return needed === undefined
    ? await addKey(args, io)
    : await addRule(needed, textOption(options, "source"), io);
}

async function addIdentity(args: readonly string[], issuer: string, io: Io): Promise<ExitCode> {
  const [identity, ...more] = args;
  if (identity === undefined || more.length > 0)
    throw new SkillError("USAGE", "--issuer needs an identity, and no key.", {
      hint: "Such as: trust add alice@example.org --issuer https://accounts.google.com",
    });
  await changeIdentities(io.env, (identities) => [
    ...identities.filter((each) => each.identity !== identity || each.issuer !== issuer),
    { identity, issuer },
  ]);
  if (io.json) printData(io, { identity, issuer });
  else io.out(`${plain(identity)}: trusted when ${plain(issuer)} confirms it\n`);
  return 0;
}

async function addRule(needed: string, source: string | undefined, io: Io): Promise<ExitCode> {
  if (source === undefined)
    throw new SkillError("USAGE", "--require needs --source.", {
      hint: "Pass a URL prefix, such as `--source https://github.com/acme`, or `*` for all sources.",
    });
  const rule = { source, require: needed as "none" | "digest" | "signature" };
  await changePolicy(io.env, (rules) => [...rules.filter((each) => each.source !== source), rule]);
  if (io.json) printData(io, { rule });
  else io.out(`${plain(source)}: needs ${needed === "none" ? "no proof" : `a ${needed}`}\n`);
  return 0;
}

async function addKey(args: readonly string[], io: Io): Promise<ExitCode> {
  const [principal, key] = args;
  if (principal === undefined || key === undefined)
    throw new SkillError("USAGE", "A principal and a key are needed.", {
      hint: "Such as: trust add alice@example.org ~/.ssh/id_ed25519.pub",
    });
  if (/[\s,"#]/.test(principal)) throw new SkillError("USAGE", "A principal has no blank, comma or quote.");
  const line = `${principal} namespaces="skillhold" ${readKeyText(key, io)}`;
  const signer = readSigner(line);
  await changeSigners(io.env, (lines) => [
    ...lines.filter((each) => !parseAllowedSigners(each).signers.some(({ keyId }) => keyId === signer.keyId)),
    line,
  ]);
  if (io.json) printData(io, { principal, keyId: signer.keyId });
  else io.out(`${plain(principal)}: trusted with ${signer.keyId}\n`);
  return 0;
}

function readSigner(line: string): AllowedSigner {
  const [signer] = parseAllowedSigners(line).signers;
  if (signer !== undefined) return signer;
  throw new SkillError("CONFIG_INVALID", "The key is not an SSH public key of a supported type.", {
    hint: "Use an Ed25519, ECDSA or RSA key, or a PEM file with an Ed25519 public key.",
  });
}

/** Type and base64, from an SSH key, a file with one, or a PEM file. */
function readKeyText(key: string, io: Io): string {
  if (/^(?:ssh|ecdsa|sk)-\S+ \S+/.test(key)) return key.split(/\s+/).slice(0, 2).join(" ");
  const file = resolve(io.cwd, key.startsWith("~/") ? join(io.env["HOME"] ?? "", key.slice(2)) : key);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new SkillError("PATH_NOT_FOUND", `The key ${key} cannot be read.`, { cause: error });
  }
  if (!text.includes("-----BEGIN")) return text.trim().split(/\s+/).slice(0, 2).join(" ");
  if (/PRIVATE KEY/.test(text))
    throw new SkillError("USAGE", `${key} is a private key.`, { hint: "Name the public key." });
  try {
    const pem = createPublicKey(text);
    if (pem.asymmetricKeyType === "ed25519") return `ssh-ed25519 ${sshBlobOf(pem).toString("base64")}`;
  } catch {
    // No key at all: the same failure as for one of another kind.
  }
  throw new SkillError("CONFIG_INVALID", `${key} holds no Ed25519 public key.`);
}
