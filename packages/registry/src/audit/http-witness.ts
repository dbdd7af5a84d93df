import { SkillError } from "@skillhold/protocol/error";
import type { Witness } from "./checkpoint-keeper.ts";

const TIMEOUT_MS = 10_000;

/** Sends each checkpoint to a URL that the operator chose: the signed note as text, in a POST. */
export function httpWitness(url: string): Witness {
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol))
    throw new SkillError("CONFIG_INVALID", "The audit witness is not an http or https URL.");
  // Credentials in the URL stay out of messages.
  const name = target.origin;
  return async (note) => {
    const response = await post(target, note).catch((error: unknown) => {
      throw failure(name, "cannot be reached", error);
    });
    await response.body?.cancel();
    if (!response.ok) throw failure(name, `answered ${response.status}`);
  };
}

async function post(url: URL, note: string): Promise<Response> {
  const headers = { "content-type": "text/plain; charset=utf-8" };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return await fetch(url, { method: "POST", headers, body: note, redirect: "error", signal });
}

function failure(name: string, problem: string, cause?: unknown): SkillError {
  return new SkillError("IO_FAILED", `The audit witness ${name} ${problem}.`, { details: { name }, cause });
}
