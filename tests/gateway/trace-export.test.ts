import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { ServeScene } from "./serve.fixture.ts";

const scene = new ServeScene();
afterEach(() => scene.close());

const Attributes = z.array(z.object({ key: z.string(), value: z.looseObject({}) }));
const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(z.object({ name: z.string() })) })),
    }),
  ),
});

test("sends spans to the configured endpoint and flushes them at the end [S-63]", async () => {
  const came: { readonly path: string | undefined; readonly traces: z.infer<typeof Traces> }[] = [];
  const collector = createServer(async (request, response) => {
    came.push({ path: request.url, traces: Traces.parse(await json(request)) });
    response.setHeader("content-type", "application/json").end("{}");
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  // A TCP server has an AddressInfo.
  const { port } = collector.address() as AddressInfo;
  try {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_SERVICE_NAME: "skills-here" };
    const { url, command } = await scene.serve(["--no-seed"], { env });
    await (await fetch(`${url}/healthz`)).text();
    expect((await command.terminate()).code).toBe(0);
    const [first] = came.flatMap(({ traces }) => traces.resourceSpans);
    expect(came[0]?.path).toBe("/v1/traces");
    expect(first?.resource.attributes).toContainEqual({
      key: "service.name",
      value: { stringValue: "skills-here" },
    });
    const names = first?.scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name));
    expect(names).toContain("GET /healthz");
  } finally {
    collector.close();
  }
});
