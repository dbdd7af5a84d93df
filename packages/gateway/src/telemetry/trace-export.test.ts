import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import type { LogEntry } from "./log.ts";
import { exportTraces } from "./trace-export.ts";

const somewhere = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };

function scene() {
  const entries: LogEntry[] = [];
  const asked = { times: 0 };
  const load = async () => {
    asked.times += 1;
    throw new Error("Cannot find package '@opentelemetry/sdk-trace-node'");
  };
  const start = (env: Record<string, string>) =>
    exportTraces(
      {
        ...{ env, version: "1.0.0", timers: new ManualTimers() },
        log: (entry) => void entries.push(entry),
      },
      load,
    );
  return { entries, asked, start };
}

test("loads no packages when tracing is not configured or is disabled [S-63]", async () => {
  const { entries, asked, start } = scene();
  for (const env of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
    { ...somewhere, OTEL_SDK_DISABLED: "true" },
    { ...somewhere, OTEL_TRACES_EXPORTER: "none" },
  ])
    expect(await start(env)).toBeUndefined();
  expect([asked.times, entries]).toEqual([0, []]);
});

test("logs the packages to install when they are missing, and sends no spans [S-63]", async () => {
  const { entries, start } = scene();
  expect(await start(somewhere)).toBeUndefined();
  expect(entries).toMatchObject([
    { level: "warning", event: "trace.off", message: expect.stringContaining("npm install @opentelemetry/") },
  ]);
});
