import { execFileSync } from "node:child_process";
import { createHash, hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";
import { openSigstore, type SigstoreInstance } from "./sigstore.fixture.ts";

const { project, root, home, text, json, write } = installScene({ beforeEach, afterEach });

const ISSUER = "https://token.actions.test";
const WORKFLOW = "https://github.test/acme/skills/.github/workflows/release.yml";
const SIGNER = { identity: `${WORKFLOW}@refs/tags/v1.2.3`, issuer: ISSUER };
const PROVENANCE = "https://slsa.dev/provenance/v1";

let sigstore: SigstoreInstance;
let other: SigstoreInstance;
beforeAll(async () => {
  [sigstore, other] = await Promise.all([openSigstore(), openSigstore()]);
});

beforeEach(() => {
  write("pdf/SKILL.md", skillText("pdf"));
  write("pdf/scripts/run.sh", "echo hi\n");
});

const payload = async () => (await text(["sign", "pdf", "--print-payload"])).out;

async function signBlob(signer = SIGNER, instance = sigstore): Promise<void> {
  write("pdf/skill.sigstore.json", await instance.signBlob(await payload(), signer));
}

async function trustRoot(instance = sigstore): Promise<void> {
  writeFileSync(join(root(), "trusted_root.json"), instance.trustedRoot);
  expect((await text(["trust", "add", "--sigstore-root", join(root(), "trusted_root.json")])).code).toBe(0);
}

async function trustIdentity(identity = `${WORKFLOW}@refs/tags/*`, issuer = ISSUER): Promise<void> {
  expect((await text(["trust", "add", identity, "--issuer", issuer])).code).toBe(0);
}

const verify = async () => {
  const { code, data } = await json(["verify", "pdf"]);
  return { code, ...data.signature };
};

const install = async () => {
  const { data } = await json(["install", "./pdf", "--target", "project", "--yes", "--replace"]);
  return data.skills[0];
};

describe("a Sigstore bundle", () => {
  test("is trusted by its root, its identity and its issuer [S-47]", async () => {
    await signBlob();
    expect(await verify()).toMatchObject({
      code: 7,
      status: "untrusted",
      reason: "no Sigstore root is trusted",
    });
    await trustRoot();
    expect(await verify()).toMatchObject({ code: 7, status: "untrusted", keyId: SIGNER.identity });
    await trustIdentity();
    expect(await verify()).toEqual({
      code: 0,
      status: "verified",
      format: "sigstore",
      signer: `${WORKFLOW}@refs/tags/*`,
      keyId: SIGNER.identity,
    });
    expect((await text(["trust", "list"])).out).toContain(ISSUER);
    await text(["trust", "remove", `${WORKFLOW}@refs/tags/*`]);
    expect((await verify()).status).toBe("untrusted");
  });

  test.each([
    ["another workflow", `${WORKFLOW.replace("release", "evil")}@refs/tags/v1.2.3`, ISSUER],
    ["another repository", `${WORKFLOW.replace("acme/", "acme/x/")}@refs/tags/v1.2.3`, ISSUER],
    ["a branch instead of a tag", `${WORKFLOW}@refs/heads/main`, ISSUER],
    ["a longer reference", `${WORKFLOW}@refs/tags/v1/x`, ISSUER],
    ["another issuer", SIGNER.identity, "https://token.evil.test"],
  ])(
    "of %s is not trusted, and the policy of a source rejects it [S-47]",
    async (_name, identity, issuer) => {
      await trustRoot();
      await trustIdentity();
      await signBlob({ identity, issuer });
      expect(await verify()).toMatchObject({ code: 7, status: "untrusted", keyId: identity });
      await text(["trust", "add", "--require", "signature", "--source", "*"]);
      expect(await install()).toMatchObject({ error: { code: "POLICY_DENIED" } });
    },
  );

  test("of another Sigstore instance is not trusted, also beside its own root [S-47]", async () => {
    await trustRoot();
    await trustIdentity();
    await signBlob(SIGNER, other);
    expect(await verify()).toMatchObject({ code: 7, status: "untrusted" });
    writeFileSync(join(root(), "both.jsonl"), `${other.trustedRoot}\n${sigstore.trustedRoot}\n`);
    await text(["trust", "add", "--sigstore-root", join(root(), "both.jsonl")]);
    expect(await verify()).toMatchObject({ code: 0, status: "verified" });
  });

  test("is rejected after a change of one byte in a file, in the signature or in the log entry [S-47]", async () => {
    await trustRoot();
    await trustIdentity();
    await signBlob();
    const bundle = JSON.parse(readFileSync(join(project(), "pdf/skill.sigstore.json"), "utf8"));
    write("pdf/scripts/run.sh", "echo evil\n");
    expect(await verify()).toMatchObject({ code: 7, status: "invalid" });
    expect(await install()).toMatchObject({ error: { code: "INTEGRITY_FAILED" } });
    write("pdf/scripts/run.sh", "echo hi\n");
    expect(await verify()).toMatchObject({ code: 0, status: "verified" });
    const changed = (change: (copy: typeof bundle) => void) => {
      const copy = structuredClone(bundle);
      change(copy);
      write("pdf/skill.sigstore.json", JSON.stringify(copy));
      return verify();
    };
    const flip = (base64: string) => {
      const bytes = Buffer.from(base64, "base64");
      const last = bytes.length - 1;
      bytes[last] = (bytes[last] ?? 0) ^ 1;
      return bytes.toString("base64");
    };
    const entryOf = (copy: typeof bundle) => copy.verificationMaterial.tlogEntries[0];
    const results = [
      await changed(({ messageSignature }) => {
        messageSignature.signature = flip(messageSignature.signature);
      }),
      await changed((copy) => {
        entryOf(copy).canonicalizedBody = flip(entryOf(copy).canonicalizedBody);
      }),
      await changed((copy) => {
        entryOf(copy).inclusionPromise.signedEntryTimestamp = flip(
          entryOf(copy).inclusionPromise.signedEntryTimestamp,
        );
      }),
      await changed((copy) => {
        entryOf(copy).integratedTime = "1";
      }),
      await changed((copy) => {
        copy.verificationMaterial.certificate.rawBytes = flip(copy.verificationMaterial.certificate.rawBytes);
      }),
      await changed((copy) => {
        copy.verificationMaterial.tlogEntries = [];
      }),
      await changed((copy) => {
        copy.verificationMaterial = {};
      }),
      await changed((copy) => {
        copy.dsseEnvelope = { payload: "", payloadType: "", signatures: [{ sig: "" }] };
      }),
    ];
    expect(results.map(({ code, status }) => [code, ["invalid", "untrusted"].includes(status)])).toEqual(
      results.map(() => [7, true]),
    );
    expect(results[0]).toMatchObject({ status: "invalid" });
  });

  test("with a statement about the origin of the content is accepted, one about a scan is not [S-47]", async () => {
    await trustRoot();
    await trustIdentity();
    const sha256 = (await payload()).split("\n")[1]?.replace("sha256:", "");
    const attest = async (predicateType: string, digest = sha256) => {
      const statement = {
        _type: "https://in-toto.io/Statement/v1",
        subject: [{ name: "pdf", digest: { sha256: digest } }],
        predicateType,
        predicate: {},
      };
      write("pdf/skill.sigstore.json", await sigstore.attest(statement, SIGNER));
      return await verify();
    };
    expect(await attest(PROVENANCE)).toMatchObject({ code: 0, status: "verified" });
    expect(await attest("https://example.org/scan/v1")).toMatchObject({ code: 7, status: "invalid" });
    expect(await attest(PROVENANCE, "0".repeat(64))).toMatchObject({ code: 7, status: "invalid" });
  });

  test("of OpenSSF Model Signing is verified by the log [S-47]", async () => {
    const names = ["SKILL.md", "scripts/run.sh"];
    const resources = names.map((name) => ({
      name,
      algorithm: "sha256",
      digest: hash("sha256", readFileSync(join(project(), "pdf", name))),
    }));
    const combined = createHash("sha256");
    for (const { digest } of resources) combined.update(Buffer.from(digest, "hex"));
    const statement = {
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: "pdf", digest: { sha256: combined.digest("hex") } }],
      predicateType: "https://model_signing/signature/v1.0",
      predicate: { serialization: { method: "files", hash_type: "sha256" }, resources },
    };
    write("pdf/skill.oms.sig", await sigstore.attest(statement, SIGNER));
    expect(await verify()).toMatchObject({ code: 7, status: "untrusted" });
    await trustRoot();
    await trustIdentity();
    expect(await verify()).toMatchObject({ code: 0, status: "verified", format: "oms" });
    write("pdf/scripts/run.sh", "echo evil\n");
    expect(await verify()).toMatchObject({ code: 7, status: "invalid" });
  });

  test("names the package to install where it is missing [S-47]", async () => {
    await trustRoot();
    await trustIdentity();
    await signBlob();
    await text(["trust", "add", "--require", "signature", "--source", "*"]);
    const run = (...argv: readonly string[]) => runWithoutSigstore(argv);
    expect(run("verify", "pdf")).toMatchObject({ code: 6, error: { code: "VERIFIER_MISSING" } });
    const { skills } = run("install", "./pdf", "--target", "project", "--yes").data;
    expect(skills[0].error).toMatchObject({
      code: "VERIFIER_MISSING",
      hint: expect.stringContaining("npm install @sigstore/verify"),
    });
    await text(["trust", "remove", "*"]);
    const { previews } = run("install", "./pdf", "--target", "project", "--yes").data;
    expect(previews[0].signature).toMatchObject({
      status: "untrusted",
      reason: "install @sigstore/verify to verify Sigstore bundles",
    });
    write("pdf/scripts/run.sh", "echo evil\n");
    expect(run("verify", "pdf").data.signature).toMatchObject({ status: "invalid" });
  });

  test("needs roots and identities that can be read [S-47]", async () => {
    writeFileSync(join(root(), "root.json"), "{}");
    const add = async (...argv: readonly string[]) => (await json(["trust", "add", ...argv])).error?.code;
    expect(await add("--sigstore-root", join(root(), "root.json"))).toBe("CONFIG_INVALID");
    expect(await add("--sigstore-root", join(root(), "none.json"))).toBe("PATH_NOT_FOUND");
    expect(await add("a b", "--issuer", ISSUER)).toBe("USAGE");
    expect(await add("--issuer", ISSUER)).toBe("USAGE");
  });
});

/** A process in which the optional package cannot be found. */
function runWithoutSigstore(argv: readonly string[]) {
  const hook = `import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => {
  if (name !== "@sigstore/verify") return next(name, context);
  throw Object.assign(new Error("not found"), { code: "MODULE_NOT_FOUND" });
} });`;
  const bin = resolve("packages/skillhold/bin/skillhold.js");
  const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, bin, ...argv, "--json"];
  const env = {
    HOME: home(),
    XDG_DATA_HOME: join(root(), "data"),
    SKILLHOLD_USER: "ann",
    PATH: process.env["PATH"],
  };
  try {
    const out = execFileSync(process.execPath, args, { cwd: project(), env, stdio: "pipe" });
    return { code: 0, ...JSON.parse(out.toString()) };
  } catch (error) {
    const { status, stdout } = error as { readonly status: number; readonly stdout: Buffer };
    return { code: status, ...JSON.parse(stdout.toString()) };
  }
}
