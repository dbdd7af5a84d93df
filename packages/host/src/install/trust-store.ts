import { X509Certificate } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { readTrustPolicy, type TrustPolicy, writeTrustPolicy } from "@skillhold/registry/install";
import { type AllowedSigner, parseAllowedSigners, type TrustedKeys } from "@skillhold/registry/signature";
import { dataFolder } from "../place/data-folder.ts";
import type { Env } from "../place/machine.ts";
import { readPrivateList, writePrivateList } from "../place/private-list.ts";

/** What the user trusts, in files of their data folder that they may also edit by hand. */
export interface TrustStore extends TrustedKeys {
  readonly signers: readonly AllowedSigner[];
  readonly rootFiles: readonly { readonly file: string; readonly subject: string }[];
  readonly policy: TrustPolicy;
  /** In plain words: lines of the list that cannot be used. */
  readonly problems: readonly string[];
}

const SIGNERS = "allowed_signers";
const POLICY = "policy.json";
const WHAT = "trusted keys";

export async function readTrust(env: Env): Promise<TrustStore> {
  const folder = join(dataFolder(env), "trust");
  const { signers, diagnostics } = parseAllowedSigners(
    (await readPrivateList(join(folder, SIGNERS), WHAT)) ?? "",
  );
  const policyFile = join(folder, POLICY);
  const policyText = await readPrivateList(policyFile, WHAT);
  const roots = readRoots(join(folder, "roots"));
  return {
    signers,
    roots: roots.map(({ certificate }) => certificate),
    rootFiles: roots.map(({ file, certificate }) => ({
      file,
      subject: certificate.subject.replaceAll("\n", ", "),
    })),
    policy: policyText === undefined ? [] : readTrustPolicy(policyText, policyFile),
    problems: diagnostics.map(({ line, message }) => `${SIGNERS}:${line}: ${message}`),
  };
}

interface Root {
  readonly file: string;
  readonly certificate: X509Certificate;
}

function readRoots(folder: string): readonly Root[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    // No authority was ever trusted.
    return [];
  }
  return names.flatMap((name) =>
    readCertificates(join(folder, name)).map((certificate) => ({ file: name, certificate })),
  );
}

/** The certificates of a PEM file; throws when there is none. */
export function readCertificates(file: string): readonly X509Certificate[] {
  const text = readFileSync(file, "utf8");
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

export async function addRoot(env: Env, source: string): Promise<string> {
  readCertificates(source);
  const name = basename(source).replace(/[^\w.-]/g, "_");
  await writePrivateList(trustFile(env, join("roots", name)), WHAT, readFileSync(source, "utf8"));
  return name;
}

/** Whether there was one. */
export function removeRoot(env: Env, name: string): boolean {
  const folder = join(dataFolder(env), "trust", "roots");
  if (!/^[\w.-]+$/.test(name)) return false;
  try {
    rmSync(join(folder, name));
    return true;
  } catch {
    return false;
  }
}

function trustFile(env: Env, name: string): string {
  const file = join(dataFolder(env), "trust", name);
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  return file;
}
