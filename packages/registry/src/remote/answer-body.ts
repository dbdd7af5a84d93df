import type { SkillError } from "@skillhold/protocol/error";
import { badAnswer } from "./remote-failure.ts";

/** The bytes of an answer; one that is larger than any that is expected is broken off, whatever it announces. */
export async function readBody(
  { body }: Pick<Response, "body">,
  mostBytes: number,
  excess: (mostBytes: number) => SkillError,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw excess(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The same as text. */
export async function readText(
  response: Pick<Response, "body">,
  mostBytes: number,
  address: string,
): Promise<string> {
  const bytes = await readBody(response, mostBytes, (most) =>
    badAnswer(address, `it sent more than ${most} bytes.`),
  );
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw badAnswer(address, "what it sent is not text.", error);
  }
}
