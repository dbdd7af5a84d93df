import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memoryApprovals } from "@skillhold/core/approval";
import type { RunPorts, Sandbox } from "@skillhold/core/run";
import type { Actor } from "@skillhold/protocol";
import { registryApprovals } from "@skillhold/registry/question";
import { publishFolder } from "@skillhold/registry/release";
import { bubblewrap } from "@skillhold/sandbox/backend";
import { openRunner } from "@skillhold/sandbox/run";
import { answerOf, ask, openTestGateway, type TestGateway } from "./gateway.fixture.ts";

const sandbox = bubblewrap();

interface RunningChange extends NonNullable<Parameters<typeof openTestGateway>[0]> {
  /** Called when a process was started. */
  readonly onStart?: () => void;
}

/** A gateway whose sessions run scripts in a real sandbox. */
export async function openRunningGateway({ onStart, ...change }: RunningChange = {}): Promise<TestGateway> {
  // The store and the folder are set when the gateway opens and used afterwards.
  const later: Pick<RunPorts, "approvals"> & { outputs?: string } = { approvals: memoryApprovals() };
  const watched: Sandbox = {
    id: sandbox.id,
    probe: () => sandbox.probe(),
    start: async (spec) => {
      const started = await sandbox.start(spec);
      onStart?.();
      return started;
    },
  };
  const runs = (): RunPorts => ({ runner: openRunner, sandbox: watched, ...later });
  const gateway = await openTestGateway({ runs, ...change });
  const outputs = join(gateway.folder, "outputs");
  Object.assign(later, { approvals: registryApprovals(gateway.registry.store), outputs });
  return gateway;
}

/** Publishes a skill of some files beside its SKILL.md. */
export async function putFiles(
  { registry, folder }: Pick<TestGateway, "registry" | "folder">,
  id: string,
  by: Actor,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const place = join(folder, "published", id);
  const text = `---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`;
  for (const [path, content] of Object.entries({ "SKILL.md": text, ...files })) {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await writeFile(join(place, path), content);
  }
  await publishFolder(place, { by }, registry);
}

type Headers = Readonly<Record<string, string>>;

/** One use of the gateway's tools, as a program makes it. */
export class TestSession {
  readonly id: string;
  readonly #gateway: TestGateway;
  readonly #headers: Headers;

  private constructor(id: string, gateway: TestGateway, headers: Headers) {
    this.id = id;
    this.#gateway = gateway;
    this.#headers = headers;
  }

  static async open(gateway: TestGateway, headers: Headers, body: object = {}): Promise<TestSession> {
    const opened = await ask(gateway, "POST", "/v1/sessions", { headers, body });
    return new TestSession((await answerOf("openSession", opened)).session, gateway, headers);
  }

  async tools() {
    return (await answerOf("listTools", await this.send("GET", "/tools"))).tools;
  }

  async call(tool: string, input: object) {
    return await answerOf("callTool", await this.send("POST", `/tools/${tool}`, { body: input }));
  }

  send(
    method: string,
    path: string,
    { body, headers = this.#headers }: { readonly body?: object; readonly headers?: Headers } = {},
  ): Promise<Response> {
    const given = body === undefined ? {} : { body };
    return ask(this.#gateway, method, `/v1/sessions/${this.id}${path}`, { headers, ...given });
  }

  /** The types of the session's recorded events. */
  async recorded(): Promise<readonly string[]> {
    const events = await this.#gateway.registry.store.eventsOfSession(this.id);
    return events.map(({ event }) => event.type);
  }
}
