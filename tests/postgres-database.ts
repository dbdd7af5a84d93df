import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { inject } from "vitest";

/** The address of an empty database for one test. It is deleted with the cluster of the test run. */
export async function freshDatabase(): Promise<string> {
  const asked = request({ socketPath: inject("postgresDoor"), method: "POST" }).end();
  // The event carries this one value.
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return answer;
}
