import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";

const { project, root, text, json, read, write, has } = installScene({ beforeEach, afterEach });

function sshKey(name: string, type = "ed25519", bits: readonly string[] = []): string {
  const file = join(root(), name);
  execFileSync("ssh-keygen", ["-q", "-t", type, ...bits, "-N", "", "-C", name, "-f", file]);
  return file;
}

beforeEach(() => {
  write("pdf/SKILL.md", skillText("pdf"));
  write("pdf/scripts/run.sh", "echo hi\n");
});

const status = async () => {
  const { code, data } = await json(["verify", "pdf"]);
  return [code, data.signature.status];
};

describe("signatures", () => {
  test.each([
    ["ed25519", []],
    ["ecdsa", ["-b", "256"]],
    ["ecdsa", ["-b", "384"]],
    ["ecdsa", ["-b", "521"]],
    ["rsa", ["-b", "3072"]],
  ] as const)("of an SSH key of type %s %j are made and verified [S-47]", async (type, bits) => {
    const key = sshKey("alice", type, bits);
    expect(await status()).toEqual([7, "none"]);
    expect((await text(["sign", "pdf", "--key", key])).code).toBe(0);
    expect(await status()).toEqual([7, "untrusted"]);
    await text(["trust", "add", "alice@example.org", `${key}.pub`]);
    expect(await status()).toEqual([0, "verified"]);
    write("pdf/scripts/run.sh", "echo evil\n");
    expect(await status()).toEqual([7, "invalid"]);
  });

  test("of ssh-keygen verify with ours, and ours with ssh-keygen [S-47]", async () => {
    const key = sshKey("alice");
    const { out: payload } = await text(["sign", "pdf", "--print-payload"]);
    writeFileSync(join(root(), "payload"), payload);
    execFileSync("ssh-keygen", ["-Y", "sign", "-q", "-n", "skillhold", "-f", key, join(root(), "payload")]);
    write("pdf/skill.sig", readFileSync(join(root(), "payload.sig")));
    await text(["trust", "add", "alice@example.org", `${key}.pub`]);
    expect(await status()).toEqual([0, "verified"]);
    await text(["sign", "pdf", "--key", key]);
    const signers = join(root(), "data/skillhold/trust/allowed_signers");
    const said = execFileSync(
      "ssh-keygen",
      [
        "-Y",
        "verify",
        "-f",
        signers,
        "-I",
        "alice@example.org",
        "-n",
        "skillhold",
        "-s",
        join(project(), "pdf/skill.sig"),
      ],
      { input: payload },
    );
    expect(said.toString()).toContain("Good");
    execFileSync("ssh-keygen", ["-Y", "sign", "-q", "-n", "git", "-f", key, join(root(), "payload")], {
      input: "y\n",
    });
  });

  test("made for something else than a skill count for nothing [S-47]", async () => {
    const key = sshKey("alice");
    writeFileSync(join(root(), "payload"), (await text(["sign", "pdf", "--print-payload"])).out);
    execFileSync("ssh-keygen", ["-Y", "sign", "-q", "-n", "git", "-f", key, join(root(), "payload")]);
    write("pdf/skill.sig", readFileSync(join(root(), "payload.sig")));
    await text(["trust", "add", "alice@example.org", `${key}.pub`]);
    expect(await status()).toEqual([7, "invalid"]);
  });

  test("of an Ed25519 key are in-toto statements; a changed mode or an added file breaks them [S-47]", async () => {
    const made = await json(["sign", "pdf", "--generate-key", "key.pem"]);
    expect(made).toMatchObject({ code: 0, data: { format: "dsse", file: "skill.dsse.json" } });
    const { err } = await text(["sign", "pdf", "--key", "key.pem"]);
    const [, key = ""] = /public key: (.*)\n/.exec(err) ?? [];
    await text(["trust", "add", "team", key]);
    expect(await status()).toEqual([0, "verified"]);
    chmodSync(join(project(), "pdf/scripts/run.sh"), 0o755);
    expect(await status()).toEqual([7, "invalid"]);
    chmodSync(join(project(), "pdf/scripts/run.sh"), 0o644);
    write("pdf/more.md", "More.\n");
    expect(await status()).toEqual([7, "invalid"]);
  });

  test("refuse an install when they do not fit, and are asked for by the policy of a source [S-47]", async () => {
    const install = () => json(["install", "./pdf", "--target", "project", "--yes", "--replace"]);
    await text(["trust", "add", "--require", "signature", "--source", "*"]);
    expect((await install()).data.skills[0].error.code).toBe("POLICY_DENIED");
    const key = sshKey("alice");
    await text(["sign", "pdf", "--key", key]);
    expect((await install()).data.skills[0].error.code).toBe("POLICY_DENIED");
    await text(["trust", "add", "alice@example.org", `${key}.pub`]);
    const { code, data } = await install();
    expect({ code, signature: data.previews[0].signature }).toMatchObject({
      code: 0,
      signature: { status: "verified", signer: "alice@example.org" },
    });
    expect(read(".agents/skills/pdf/skill.sig")).toContain("SSH SIGNATURE");
    write("pdf/scripts/run.sh", "echo evil\n");
    expect((await install()).data.skills[0].error.code).toBe("INTEGRITY_FAILED");
    await text(["trust", "remove", "*"]);
    expect((await install()).data.skills[0].error.code).toBe("INTEGRITY_FAILED");
    expect(has(".agents/skills/pdf/scripts/run.sh")).toBe(true);
  });

  test("lists of signers honor namespaces and times, and say what they cannot use [S-47]", async () => {
    const key = sshKey("alice");
    await text(["sign", "pdf", "--key", key]);
    const [type, blob] = readFileSync(`${key}.pub`, "utf8").split(" ");
    const list = async (line: string) => {
      await text(["trust", "add", "x", `${key}.pub`]);
      writeFileSync(join(root(), "data/skillhold/trust/allowed_signers"), line);
      return (await status())[1];
    };
    expect(await list(`a@b namespaces="git,file" ${type} ${blob}\n`)).toBe("untrusted");
    expect(await list(`a@b namespaces="skill*" ${type} ${blob}\n`)).toBe("verified");
    expect(await list(`a@b valid-before="20200101" ${type} ${blob}\n`)).toBe("untrusted");
    expect(await list(`a@b valid-after="20200101Z",namespaces="skillhold" ${type} ${blob}\n`)).toBe(
      "verified",
    );
    expect(await list(`a@b cert-authority ${type} ${blob}\n`)).toBe("untrusted");
    expect((await text(["trust", "list"])).err).toContain("certificate authority");
  });
});
