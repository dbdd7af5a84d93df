import type { LogEntry } from "@skillhold/gateway";
import {
  hasAdministrator,
  type ServedGateway,
  type ServeOptions,
  serveGateway,
  waitWarning,
} from "@skillhold/host/gateway";
import { present, productVersion } from "@skillhold/host/place";
import { withWaitNotice } from "@skillhold/host/store";
import type { DependencyEvent } from "@skillhold/protocol/http";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { gatewayAccess } from "../../gateway/gateway-access.ts";
import { commandElsewhere } from "../../library-choice.ts";
import { machineOf } from "../../open.ts";
import { listOption, textOption } from "../../option.ts";
import { storeOption } from "../../shared-option.ts";
import { untilAborted } from "../../terminal/interrupt.ts";
import { type ExitCode, type Io, plain, printLine } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";
import { gatewayLog } from "./gateway-log.ts";
import { releaseStartMemory } from "./release-memory.ts";
import { readServeOptions, withDataFolder } from "./serve-option.ts";
import { withSettings } from "./serve-setting.ts";
import { readSso } from "./sso-option.ts";
import { readWebhooks } from "./webhook-setting.ts";

const optionSpecs = [
  {
    flags: "--port <number>",
    summary: "listen on this port; by default the first free one from 7878; 0 for any",
  },
  { flags: "--host <address>", summary: "listen on this address; by default 127.0.0.1" },
  {
    flags: "--config <file>",
    summary: "read options from this file; by default $SKILLHOLD_CONFIG, or serve.yaml in the data folder",
  },
  { flags: "--data <folder>", summary: "store all data in this folder; by default your data folder" },
  storeOption,
  {
    flags: "--audit-key <file>",
    summary: "sign the audit log with this key file; by default one beside the store",
  },
  {
    flags: "--audit-witness <target>",
    summary: "also send audit checkpoints to this file or URL",
  },
  {
    flags: "--audit-days <count>",
    summary: "prune records of use in the audit log after this many days; by default never",
  },
  {
    flags: "--outputs-days <count>",
    summary: "delete the output of runs in sessions after this many days; by default 30",
  },
  {
    flags: "--root <folder>",
    summary: "also serve the skills of this folder; repeatable",
    repeats: true,
  },
  {
    flags: "--workspaces <folder>",
    summary: "host the workspaces in this folder, one folder per agent key",
  },
  {
    flags: "--upstream <url>",
    summary: "also serve the skills of this gateway, as your login sees them; repeatable",
    repeats: true,
  },
  {
    flags: "--allow-host <host>",
    summary: "also accept requests for this host:port; repeatable",
    repeats: true,
  },
  {
    flags: "--allow-origin <origin>",
    summary: "let pages of this origin call the gateway; repeatable",
    repeats: true,
  },
  { flags: "--behind-tls", summary: "use https links and cookies, because a proxy terminates TLS" },
  { flags: "--sso-issuer <url>", summary: "sign people in with this OpenID Connect provider" },
  { flags: "--sso-client-id <id>", summary: "the id of the gateway at the provider" },
  {
    flags: "--sso-domain <domain>",
    summary: "let only verified email addresses of this domain enter; repeatable",
    repeats: true,
  },
  { flags: "--sso-create", summary: "create accounts for people without an invitation" },
  { flags: "--insecure-bind", summary: "listen on a reachable address without TLS" },
  {
    flags: "--limit <name=number>",
    summary: "set a limit that /v1/status lists; repeatable",
    repeats: true,
  },
  { flags: "--discovery", summary: "list public skills for anonymous clients at the well-known URLs" },
  {
    flags: "--reviewer <kind:key>",
    summary: "require the approval of user:<name> or agent:<key> for every proposal; repeatable",
    repeats: true,
  },
  { flags: "--review-promotions", summary: "give agents no draft of a promoted skill before its review" },
  {
    flags: "--share-promotions",
    summary: "give the draft of a promoted skill also to its user and the user's other agents",
  },
  {
    flags: "--webhook-host <host>",
    summary: "let webhooks notify this private host, also without TLS; repeatable",
    repeats: true,
  },
  {
    flags: "--draft-model <name>",
    summary: "let this model write the drafts of promoted skills, at $SKILLHOLD_MODEL_URL",
  },
  {
    flags: "--draft-api <name>",
    summary: "the API of that model's endpoint",
    choices: ["openai", "anthropic"],
    default: "openai",
  },
  { flags: "--open-publishing", summary: "let publishers make skills public" },
  { flags: "--no-seed", summary: "do not publish the bundled skills" },
  { flags: "--strict", summary: "reject skills of --root that break the specification" },
  {
    flags: "--governed",
    summary: "serve only reviewed content of --root; edits on disk become proposals",
  },
  { flags: "--no-watch", summary: "do not watch the folders of --root for changes; a restart finds them" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: [
    "serve",
    "serve --port 8080 --data /srv/skillhold",
    "serve --behind-tls --allow-host skills.example.org",
  ],
  graceMs: 25_000,
  run,
});

/** Serves a gateway until the user interrupts it. Running calls may end within the grace period. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io: given } = input;
  const options = withSettings(input.options, given);
  const sso = readSso(options, given);
  const serving = { ...readServeOptions(options), ...present({ sso, webhooks: readWebhooks(options) }) };
  const io = withDataFolder(options, given);
  const log = gatewayLog(io);
  const onPortTaken = (port: number) =>
    io.err(`note: port ${port} is taken; trying ${port + 1}. Use --port to choose one.\n`);
  const upstream = listOption(options, "upstream");
  const gateways = await Promise.all(upstream.map((url) => gatewayAccess(url, given)));
  const author = await draftRunner(options, io);
  const gateway = await serveGateway(
    { ...serving, gateways, log, onPortTaken, onReady: releaseStartMemory, ...present({ author }) },
    machineOf(io),
  );
  const { progress } = gateway.parts.context;
  const stopLogging = progress.listen((event) => logProgress(event, log));
  try {
    await withWaitNotice(waitWarning(log), () => announce(gateway, { options, io }));
    await untilAborted(io.signal);
    log({ level: "info", event: "gateway.closing" });
  } finally {
    stopLogging();
    await gateway.close();
  }
  return 0;
}

/** An agent without a shell: packets come from agents, and are no reason to run programs. */
async function draftRunner(options: CommandInput["options"], io: Io): Promise<ServeOptions["author"]> {
  const model = textOption(options, "draftModel");
  if (model === undefined) return undefined;
  const { chooseRunner } = await import("../../eval/eval-runner.ts");
  return chooseRunner({ options: { model, api: options["draftApi"] }, io });
}

/** Prints the address, and a sign-in link for the first administrator or for a user at the terminal. */
async function announce(
  { url, signInLink, parts }: ServedGateway,
  { options, io }: Pick<CommandInput, "options" | "io">,
): Promise<void> {
  const { registry } = parts.context;
  const isLinked = io.isOutTty || !(await hasAdministrator(registry));
  const signIn = isLinked ? await signInLink() : undefined;
  if (io.json) {
    printLine(io, { ok: true, data: { url, signIn: signIn ?? null, pid: process.pid } });
    return;
  }
  const paint = await paintFor(io.color);
  io.out(`Skillhold ${productVersion()} is at ${paint.bold(url)}\n`);
  const command = plain(commandElsewhere(`token sign-in --url ${url}`, options, io));
  if (signIn !== undefined) {
    const minutes = Math.round(registry.limits.signInMs / 60_000);
    io.out(`Sign in within ${minutes} minutes with this one-time link: ${paint.cyan(signIn)}\n`);
    io.out(`For another link, run: ${command}\n`);
  } else io.out(`To sign in, run: ${command}\n`);
  if (io.isErrTty) io.err("Press Ctrl-C to stop.\n");
}

/** Logs dependency events, except for checks that found no problem. */
function logProgress(event: DependencyEvent, log: (entry: LogEntry) => void): void {
  const { type, ...about } = event;
  if (type === "skill.deps.checking" || (type === "skill.deps.checked" && event.ok)) return;
  const fields = Object.entries(about).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(" ") : value,
  ]);
  log({ level: "info", event: type, fields: Object.fromEntries(fields) });
}
