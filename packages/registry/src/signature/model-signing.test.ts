import { execFileSync } from "node:child_process";
import { createHash, createPrivateKey, sign, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preAuthEncoding } from "./dsse.ts";
import { checkModelSignature } from "./model-signing.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-oms-"));
  const openssl = (...args: readonly string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  for (const name of ["root", "other"])
    openssl(
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-384",
      "-nodes",
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
      "-days",
      "3650",
      "-subj",
      `/CN=${name}`,
      "-addext",
      "basicConstraints=critical,CA:TRUE",
    );
  openssl(
    "req",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-384",
    "-nodes",
    "-keyout",
    "leaf.key",
    "-out",
    "leaf.csr",
    "-subj",
    "/CN=Skill Signer",
  );
  openssl(
    "x509",
    "-req",
    "-in",
    "leaf.csr",
    "-CA",
    "root.pem",
    "-CAkey",
    "root.key",
    "-CAcreateserial",
    "-out",
    "leaf.pem",
    "-days",
    "365",
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = ["SKILL.md", "scripts/a.py"].map((path) => ({
  path,
  digest: `sha256:${createHash("sha256").update(path).digest("hex")}`,
}));

function bundle(change: (statement: Record<string, unknown>) => object = (statement) => statement): string {
  const resources = files.map(({ path, digest }) => ({
    name: path,
    digest: digest.slice(7),
    algorithm: "sha256",
  }));
  const combined = createHash("sha256");
  for (const { digest } of resources) combined.update(Buffer.from(digest, "hex"));
  const statement = change({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "pdf", digest: { sha256: combined.digest("hex") } }],
    predicateType: "https://model_signing/signature/v1.0",
    predicate: {
      serialization: { method: "files", hash_type: "sha256", allow_symlinks: false, ignore_paths: [".git"] },
      resources,
    },
  });
  const payload = Buffer.from(JSON.stringify(statement));
  const payloadType = "application/vnd.in-toto+json";
  const key = createPrivateKey(readFileSync(join(folder, "leaf.key")));
  const sig = sign("sha384", preAuthEncoding(payloadType, payload), key).toString("base64");
  const rawBytes = new X509Certificate(readFileSync(join(folder, "leaf.pem"))).raw.toString("base64");
  return JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { x509CertificateChain: { certificates: [{ rawBytes }] }, tlogEntries: [] },
    dsseEnvelope: { payload: payload.toString("base64"), payloadType, signatures: [{ sig, keyid: "" }] },
  });
}

function check(text: string, { roots = ["root.pem"], now = new Date(), content = files } = {}) {
  const certificates = roots.map((name) => new X509Certificate(readFileSync(join(folder, name))));
  return checkModelSignature(
    text,
    [...content, { path: "skill.oms.sig", digest: "sha256:0" }],
    "skill.oms.sig",
    { roots: certificates, keys: [], now },
  );
}

describe("an OpenSSF model signature", () => {
  test("is verified against a trusted authority [S-47]", () => {
    expect(check(bundle())).toMatchObject({ status: "verified", format: "oms", signer: "Skill Signer" });
  });

  test("is not trusted from another authority, or out of its time [S-47]", () => {
    expect(check(bundle(), { roots: ["other.pem"] })).toMatchObject({ status: "untrusted" });
    expect(check(bundle(), { now: new Date("2099-01-01") })).toMatchObject({ status: "untrusted" });
  });

  test.each([
    ["a changed file", [{ path: "SKILL.md", digest: `sha256:${"0".repeat(64)}` }, files[1]]],
    ["a file that was not signed", [...files, { path: "evil.py", digest: files[0]?.digest }]],
    ["a file that is missing", files.slice(1)],
  ] as const)("does not fit %s [S-47]", (_, content) => {
    expect(check(bundle(), { content: content as typeof files })).toMatchObject({ status: "invalid" });
  });

  test("does not fit when its payload, subject or type is another [S-47]", () => {
    const parsed = JSON.parse(bundle());
    parsed.dsseEnvelope.payload = Buffer.from(
      Buffer.from(parsed.dsseEnvelope.payload, "base64").toString().replace('"pdf"', '"pdg"'),
    ).toString("base64");
    expect(check(JSON.stringify(parsed))).toMatchObject({
      status: "invalid",
      reason: expect.stringContaining("signature"),
    });
    expect(
      check(bundle((statement) => ({ ...statement, subject: [{ digest: { sha256: "00" } }] }))),
    ).toMatchObject({ status: "invalid" });
    expect(check(bundle((statement) => ({ ...statement, predicateType: "x" })))).toMatchObject({
      status: "invalid",
    });
    for (const text of ["", "{}", "[]", "null", "not json"])
      expect(check(text)).toMatchObject({ status: "invalid" });
  });
});
