import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** The least that a server of the same kind can do: what the gateway is compared with. */
const app = new Hono();
app.get("/", (c) => c.json({ hello: "world" }));
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(port));
