import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeArchive } from "@skillhold/core/archive";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";
import { openSigstore, type SigstoreInstance } from "./sigstore.fixture.ts";
import { openWebServer, type WebServer } from "./web-server.fixture.ts";

const { root, text, json, read, has } = installScene({ beforeEach, afterEach });

const SLSA = "https://slsa.dev/provenance/v1";
const PUBLISH = "https://github.com/npm/attestation/tree/main/specs/publish/v0.1";
const ISSUER = "https://token.actions.test";
const WORKFLOW = "https://github.test/acme/kit/.github/workflows/release.yml";
const SIGNER = { identity: `${WORKFLOW}@refs/tags/v1.4.0`, issuer: ISSUER };
const NAME = "pkg:npm/%40acme/kit@1.4.0";
const ADDRESS = "/-/npm/v1/attestations/@acme%2fkit@1.4.0";

let sigstore: SigstoreInstance;
let tarball: Uint8Array;
beforeAll(async () => {
  sigstore = await openSigstore();
  const content = Buffer.from(skillText("lint"));
  tarball = await writeArchive("tar.gz", [
    { path: "package/skills/lint/SKILL.md", content, executable: false },
  ]);
});

let web: WebServer;
beforeEach(async () => {
  web = await openWebServer();
  const integrity = `sha512-${hash("sha512", tarball, "base64")}`;
  const attestations = { url: "https://elsewhere.test/", provenance: { predicateType: SLSA } };
  web.answer("/@acme%2fkit", {
    body: {
      "dist-tags": { latest: "1.4.0" },
      versions: {
        "1.4.0": { version: "1.4.0", dist: { tarball: `${web.url}/kit.tgz`, integrity, attestations } },
      },
      time: { "1.4.0": "2026-02-03T00:00:00.000Z" },
    },
  });
  web.answer("/kit.tgz", { body: tarball });
});
afterEach(async () => {
  await web.close();
});

interface Subject {
  readonly name?: string;
  readonly digest?: Readonly<Record<string, string>>;
}

async function attest(subject: Subject = {}, predicateType = SLSA): Promise<Record<string, unknown>> {
  const digest = { sha512: hash("sha512", tarball) };
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: NAME, digest, ...subject }],
    predicateType,
    predicate: {},
  };
  return JSON.parse(await sigstore.attest(statement, SIGNER));
}

function serve(bundle: unknown, predicateType = SLSA): void {
  const publish = { predicateType: PUBLISH, bundle: { mediaType: "another kind" } };
  web.answer(ADDRESS, { body: { attestations: [publish, { predicateType, bundle }] } });
}

async function trust(): Promise<void> {
  writeFileSync(join(root(), "trusted_root.json"), sigstore.trustedRoot);
  expect((await text(["trust", "add", "--sigstore-root", join(root(), "trusted_root.json")])).code).toBe(0);
  expect((await text(["trust", "add", `${WORKFLOW}@refs/tags/*`, "--issuer", ISSUER])).code).toBe(0);
}

const install = () =>
  json(["install", "npm:@acme/kit", "--target", "project", "--yes", "--npm-registry", web.url]);

async function expectRefused(): Promise<void> {
  const { code, data } = await install();
  expect({ code, error: data.skills[0].error.code }).toEqual({ code: 7, error: "INTEGRITY_FAILED" });
  expect([has(".agents/skills/lint"), has("skills-lock.json")]).toEqual([false, false]);
}

describe("the provenance of an npm package", () => {
  test("is verified, and the repository and the workflow that built it are recorded [S-47]", async () => {
    await trust();
    serve(await attest());
    const { code, data } = await install();
    expect({ code, preview: data.previews[0] }).toMatchObject({
      code: 0,
      preview: {
        origin: { verified: "signature", digests: { builtBy: SIGNER.identity } },
        signature: { status: "verified", signer: `${WORKFLOW}@refs/tags/*`, keyId: SIGNER.identity },
      },
    });
    expect(JSON.parse(read("skills-lock.json")).skills.lint.skillhold).toMatchObject({
      verified: "signature",
      signer: `${WORKFLOW}@refs/tags/*`,
    });
    expect(web.asked).toContain(ADDRESS);
  });

  test("satisfies a policy that requires a signature, and another signer does not [S-47]", async () => {
    await trust();
    await text(["trust", "add", "--require", "signature", "--source", "*"]);
    serve(await attest());
    expect((await install()).code).toBe(0);
    await text(["trust", "remove", `${WORKFLOW}@refs/tags/*`]);
    await text(["remove", "lint", "--target", "project"]);
    const { data } = await install();
    expect(data.skills[0].error.code).toBe("POLICY_DENIED");
  });

  test("is shown as not trusted without a trusted root, and the package is installed [S-47]", async () => {
    serve(await attest());
    const { code, data } = await install();
    expect({ code, preview: data.previews[0] }).toMatchObject({
      code: 0,
      preview: { origin: { verified: "digest" }, signature: { status: "untrusted" } },
    });
  });

  test("that the registry does not serve was not checked, and a note says so [S-47]", async () => {
    await trust();
    const { code, data } = await install();
    expect({ code, origin: data.previews[0].origin.verified }).toEqual({ code: 0, origin: "digest" });
    expect(data.notes).toEqual([expect.stringContaining("@acme/kit@1.4.0 was not checked")]);
  });

  test.each([
    ["another package", { name: "pkg:npm/%40acme/other@1.4.0" }],
    ["another version", { name: "pkg:npm/%40acme/kit@1.3.0" }],
    ["no name", { name: "%" }],
    ["another SHA-512", { digest: { sha512: hash("sha512", "x") } }],
    ["no SHA-512", { digest: { sha256: "00" } }],
  ])("about %s refuses the package, with and without trust [S-47]", async (_, subject) => {
    serve(await attest(subject));
    await expectRefused();
    await trust();
    await expectRefused();
  });

  test.each<[string, (bundle: Parts) => void]>([
    [
      "statement",
      ({ dsseEnvelope }) => {
        const statement = Buffer.from(dsseEnvelope.payload, "base64").toString("utf8");
        dsseEnvelope.payload = Buffer.from(statement.replace("{}", "[]")).toString("base64");
      },
    ],
    [
      "signature",
      ({ dsseEnvelope: { signatures } }) => {
        signatures[0].sig = flip(signatures[0].sig);
      },
    ],
  ])("with a changed byte in its %s refuses the package [S-47]", async (_, change) => {
    await trust();
    const bundle: Parts = JSON.parse(JSON.stringify(await attest()));
    change(bundle);
    serve(bundle);
    await expectRefused();
  });

  test("with a changed byte in its certificate is not trusted, as that of another authority [S-47]", async () => {
    await trust();
    const bundle: Parts = JSON.parse(JSON.stringify(await attest()));
    const { certificate } = bundle.verificationMaterial;
    certificate.rawBytes = flip(certificate.rawBytes);
    serve(bundle);
    expect((await install()).data.previews[0]).toMatchObject({
      origin: { verified: "digest" },
      signature: { status: "untrusted" },
    });
  });

  test.each([
    ["no list", { body: {} }],
    ["a list without bundles", { body: { attestations: [{ predicateType: SLSA }] } }],
    ["a bundle of another kind", { body: { attestations: [{ predicateType: SLSA, bundle: "x" }] } }],
  ])("that is %s refuses the package [S-47]", async (_, answer) => {
    await trust();
    web.answer(ADDRESS, answer);
    await expectRefused();
  });

  test("whose statement is of another kind than announced refuses the package [S-47]", async () => {
    await trust();
    serve(await attest({}, "https://example.org/scan/v1"));
    await expectRefused();
  });

  test.each([
    ["status 500", { status: 500, body: "broken" }],
    ["no JSON", { body: "<html>" }],
  ])("that cannot be fetched (%s) stops the install [S-47]", async (_, answer) => {
    web.answer(ADDRESS, answer);
    const { code, error } = await install();
    expect(code).not.toBe(0);
    expect(error.code).toBe("REMOTE_FAILED");
    expect(has(".agents/skills/lint")).toBe(false);
  });
});

interface Parts {
  readonly dsseEnvelope: { payload: string; readonly signatures: [{ sig: string }] };
  readonly verificationMaterial: { readonly certificate: { rawBytes: string } };
}

/** Changes the last byte. */
function flip(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes.toString("base64");
}
