import { X509Certificate } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { readTrustPolicy, type TrustPolicy, writeTrustPolicy } from "@skillhold/registry/install";
import {
  type AllowedSigner,
  parseAllowedSigners,
  readSigstoreIdentities,
  readSigstoreRoots,
  type SigstoreIdentity,
  type SigstoreRoot,
  type SigstoreTrust,
  type TrustedKeys,
  writeSigstoreIdentities,
} from "@skillhold/registry/signature";
import { dataFolder } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";
import { readPrivateList, writePrivateList } from "../place/private-list.ts";

/** What the user trusts, in files of their data folder that they may also edit by hand. */
export interface TrustStore extends TrustedKeys {
  readonly signers: readonly AllowedSigner[];
  readonly rootFiles: readonly { readonly file: string; readonly subject: string }[];
  readonly sigstore: SigstoreTrust;
  readonly policy: TrustPolicy;
  /** In plain words: lines of the list that cannot be used. */
  readonly problems: readonly string[];
}

const SIGNERS = "allowed_signers";
const POLICY = "policy.json";
const IDENTITIES = "sigstore-identities.json";
const ROOTS = "roots";
const SIGSTORE_ROOTS = "sigstore-roots";
const WHAT = "trusted keys";

export async function readTrust(env: Env): Promise<TrustStore> {
  const folder = join(dataFolder(env), "trust");
  const { signers, diagnostics } = parseAllowedSigners(
    (await readPrivateList(join(folder, SIGNERS), WHAT)) ?? "",
  );
  const policyFile = join(folder, POLICY);
  const policyText = await readPrivateList(policyFile, WHAT);
  const roots = listFiles(join(folder, ROOTS)).flatMap((file) =>
    readCertificates(join(folder, ROOTS, file)).map((certificate) => ({ file, certificate })),
  );
  return {
    signers,
    roots: roots.map(({ certificate }) => certificate),
    rootFiles: roots.map(({ file, certificate }) => ({
      file,
      subject: certificate.subject.replaceAll("\n", ", "),
    })),
    sigstore: {
      roots: await readAllSigstoreRoots(join(folder, SIGSTORE_ROOTS)),
      identities: await readIdentities(join(folder, IDENTITIES)),
    },
    policy: policyText === undefined ? [] : readTrustPolicy(policyText, policyFile),
    problems: diagnostics.map(({ line, message }) => `${SIGNERS}:${line}: ${message}`),
  };
}

/** The names in a folder; none when it does not exist. */
function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

async function readAllSigstoreRoots(folder: string): Promise<readonly SigstoreRoot[]> {
  const texts = listFiles(folder).map(async (file) => ({
    file,
    text: (await readPrivateList(join(folder, file), WHAT)) ?? "",
  }));
  return (await Promise.all(texts)).flatMap(({ file, text }) => readSigstoreRoots(text, file));
}

async function readIdentities(file: string): Promise<readonly SigstoreIdentity[]> {
  const text = await readPrivateList(file, WHAT);
  return text === undefined ? [] : readSigstoreIdentities(text, file);
}

/** The certificates of a PEM file; throws when there is none. */
export function readCertificates(file: string): readonly X509Certificate[] {
  const text = readText(file);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new SkillError("CONFIG_INVALID", `${file} holds a damaged certificate.`, { cause: error });
  }
  throw new SkillError("CONFIG_INVALID", `${file} holds no certificate in PEM.`);
}

/** Replaces the list of signers by what `change` makes of its lines. */
export async function changeSigners(
  env: Env,
  change: (lines: readonly string[]) => readonly string[],
): Promise<void> {
  const file = trustFile(env, SIGNERS);
  const text = (await readPrivateList(file, WHAT)) ?? "";
  const lines = change(text.split("\n").filter((line) => line !== ""));
  await writePrivateList(file, WHAT, lines.map((line) => `${line}\n`).join(""));
}

export async function changePolicy(env: Env, change: (rules: TrustPolicy) => TrustPolicy): Promise<void> {
  const { policy } = await readTrust(env);
  await writePrivateList(trustFile(env, POLICY), WHAT, writeTrustPolicy(change(policy)));
}

export async function changeIdentities(
  env: Env,
  change: (identities: readonly SigstoreIdentity[]) => readonly SigstoreIdentity[],
): Promise<void> {
  const file = trustFile(env, IDENTITIES);
  await writePrivateList(file, WHAT, writeSigstoreIdentities(change(await readIdentities(file))));
}

export async function addRoot(env: Env, source: string): Promise<string> {
  readCertificates(source);
  return await keepRoot(env, source, ROOTS);
}

export async function addSigstoreRoot(env: Env, source: string): Promise<string> {
  readSigstoreRoots(readText(source), source);
  return await keepRoot(env, source, SIGSTORE_ROOTS);
}

async function keepRoot(env: Env, source: string, folder: string): Promise<string> {
  const name = basename(source).replace(/[^\w.-]/g, "_");
  await writePrivateList(trustFile(env, join(folder, name)), WHAT, readText(source));
  return name;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SkillError("PATH_NOT_FOUND", `${file} cannot be read.`, { cause: error });
  }
}

/** Whether there was one. */
export function removeRoot(env: Env, name: string): boolean {
  if (!/^[\w.-]+$/.test(name)) return false;
  const removed = [ROOTS, SIGSTORE_ROOTS].map((folder) => {
    try {
      rmSync(join(dataFolder(env), "trust", folder, name));
      return true;
    } catch {
      return false;
    }
  });
  return removed.includes(true);
}

function trustFile(env: Env, name: string): string {
  const file = join(dataFolder(env), "trust", name);
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  return file;
}
