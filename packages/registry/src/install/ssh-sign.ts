import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import type { Launch } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { NAMESPACE } from "../signature/index.ts";

export interface SshSigning {
  /** A private key, or the public key of one that the agent or a security key has. */
  readonly key: string;
  readonly payload: string;
  /** An empty folder of the caller's. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  readonly launch: Launch;
}

/** Signs with the user's ssh-keygen, which knows agents, passphrases and security keys. */
export async function signWithSsh({
  key,
  payload,
  folder,
  env,
  signal,
  launch,
}: SshSigning): Promise<string> {
  const file = join(folder, "payload");
  writeFileSync(file, payload);
  const given = ["PATH", "HOME", "SSH_AUTH_SOCK", "DISPLAY", "SSH_ASKPASS"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  try {
    const argv = ["ssh-keygen", "-Y", "sign", "-q", "-n", NAMESPACE, "-f", key, file] as const;
    const launched = await launch([...argv], { env: Object.fromEntries(given), signal });
    launched.stdout.resume();
    let output = "";
    launched.stderr.on("data", (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-500);
    });
    launched.stdin.end();
    const { code } = await launched.ended;
    if (code === 0) return readFileSync(`${file}.sig`, "utf8");
    throw new SkillError(
      "IO_FAILED",
      `ssh-keygen failed to sign: ${output.replace(/[\p{Cc}]+/gu, " ").trim()}`,
      {
        hint: "Check that the key can be used: add it to your ssh agent if it has a passphrase.",
      },
    );
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    throw new SkillError("NOT_READY", "ssh-keygen is not installed on this machine.", {
      hint: "Install OpenSSH, or sign with an Ed25519 key in PEM.",
      cause: error,
    });
  }
}
