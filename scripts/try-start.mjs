// Starts the gateway as a newcomer would, looks whether it answers and lets its user in, and ends it again.
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_MS = 60_000;
const READY_MS = 120_000;
const END_MS = 30_000;

const data = await mkdtemp(join(tmpdir(), "skillhold-start-"));
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("SKILLHOLD_")),
);
const child = spawn("npm", ["start", "--", "--port", "0", "--data", data], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
  // A separate process group, so no child process outlives a failure here.
  detached: process.platform !== "win32",
});
const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));

try {
  const { address, code } = await within(START_MS, "no address was printed", readLink());
  await expectStatus(`${address}/healthz`, {}, 200);
  await within(READY_MS, "the gateway is not ready", untilReady(address));
  const body = JSON.stringify({ code });
  const signIn = { method: "POST", headers: { "content-type": "application/json" }, body };
  const signedIn = await expectStatus(`${address}/v1/sign-in`, signIn, 200);
  const { csrf } = await signedIn.json();
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(";", 1)[0]);
  const headers = { cookie: cookie.join("; "), "x-skillhold-csrf": csrf };
  await expectStatus(`${address}/v1/me`, { headers }, 200);
  child.kill("SIGTERM");
  const end = await within(END_MS, "it does not end", ended);
  if (end.code !== 0) throw new Error(`it ended with ${end.code ?? end.signal}, and not with 0`);
  process.stdout.write("npm start: the gateway starts, lets its user in, and ends.\n");
} catch (error) {
  process.stderr.write(`npm start: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  endGroup();
  // Revisions are laid out read-only.
  if (process.platform !== "win32") spawnSync("chmod", ["-R", "u+rwX", data]);
  await rm(data, { recursive: true, force: true });
}

/** The address and the one-time code, from the link that a first start prints. */
async function readLink() {
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    const [, address, code] = /(http:\/\/\S+)\/sign-in#(\S+)\n/.exec(text) ?? [];
    if (code !== undefined) return { address, code };
  }
  throw new Error("it ended before it printed a link to sign in with");
}

/** The first start publishes the bundled skills. */
async function untilReady(address) {
  for (;;) {
    const { status } = await fetch(`${address}/readyz`);
    if (status === 200) return;
    if (status !== 503) throw new Error(`/readyz answers ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function expectStatus(url, init, status) {
  const response = await fetch(url, init);
  if (response.status === status) return response;
  throw new Error(`${url} answers ${response.status}: ${(await response.text()).slice(0, 500)}`);
}

async function within(ms, message, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message} within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function endGroup() {
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}
