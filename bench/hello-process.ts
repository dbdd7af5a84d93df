import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** An answer that was given elsewhere, to be given again from memory. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64; null for an empty body. */
  readonly body: string | null;
}

/** The least that a server of the same kind can do, for little and for the same: what the gateway is compared with. */
const app = new Hono();
app.get("/", (c) => c.json({ hello: "world" }));
let same = () => new Response(null, { status: 404 });
app.put("/same", async (c) => {
  const { status, headers, body }: RecordedAnswer = await c.req.json();
  const bytes = body === null ? null : new Uint8Array(Buffer.from(body, "base64"));
  same = () => new Response(bytes, { status, headers: { ...headers } });
  return c.body(null, 204);
});
app.get("/same", () => same());
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(port));
