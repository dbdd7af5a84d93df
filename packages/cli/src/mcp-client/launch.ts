import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../command.ts";
import { splitMount } from "../mount.ts";
import { listOption, textOption } from "../option.ts";
import type { ConfigScope, McpClient, Server } from "./client-table.ts";
import { readOfferedTool } from "./offered-tool.ts";

type Options = CommandInput["options"];

/** The server entry for a client: this program, or a gateway. */
export function serverFor(client: McpClient, scope: ConfigScope, options: Options, cwd: string): Server {
  const gateway = textOption(options, "gateway");
  if (gateway !== undefined) {
    rejectLocal(options);
    return { url: readGateway(gateway), tokenVariable: readVariable(textOption(options, "tokenEnv")) };
  }
  const args = [
    "mcp",
    "--runtime",
    textOption(options, "runtime") ?? client.id,
    ...forwarded(options, scope, cwd),
    ...served(options, scope, cwd),
  ];
  // Shared project settings must not contain local paths; desktop apps do not have the user's PATH, so theirs do.
  if (scope === "project") return { command: "skillhold", args };
  return { command: process.execPath, args: [launcher(), ...args] };
}

/** The launcher of the `skillhold` package, beside this package in the workspace and in an installation. */
function launcher(): string {
  // In an installation this package is in a scope, one folder deeper.
  const beside = import.meta.url.endsWith(".ts") ? "../../../skillhold" : "../../../../skillhold";
  return fileURLToPath(new URL(`${beside}/bin/skillhold.js`, import.meta.url));
}

/** The options that select the skills and the viewer. */
function forwarded(options: Options, scope: ConfigScope, cwd: string): readonly string[] {
  const store = textOption(options, "store");
  if (store !== undefined && /^postgres(ql)?:\/\/[^/]*:[^/]*@/.test(store))
    throw new SkillError(
      "USAGE",
      "The store URL has a password, which must not be written to a client's settings.",
      {
        hint: "Remove the password from the URL, or set SKILLHOLD_STORE where you start the client.",
      },
    );
  const named = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, value]);
  return [
    ...listOption(options, "root").flatMap((root) => ["--root", placeOf(root, scope, cwd)]),
    ...listOption(options, "source").flatMap((source) => ["--source", source]),
    ...(options["precedence"] === "trust" ? ["--precedence", "trust"] : []),
    ...named("--store", store),
    ...(options["store"] === false ? ["--no-store"] : []),
    ...(options["mcp"] === false ? ["--no-mcp"] : []),
    ...(options["trustProject"] === true ? ["--trust-project"] : []),
    ...(options["followLinks"] === true ? ["--follow-links"] : []),
    ...(options["strict"] === true ? ["--strict"] : []),
    ...(options["governed"] === true ? ["--governed"] : []),
    ...named("--agent", textOption(options, "agent")),
    ...named("--user", textOption(options, "user")),
    ...named("--allow", textOption(options, "allow")),
    ...(options["as"] === "user" ? ["--as", "user"] : []),
    ...(options["cache"] === false ? ["--no-cache"] : []),
  ];
}

/** The options about tools and scripts of the server. */
function served(options: Options, scope: ConfigScope, cwd: string): readonly string[] {
  const place = (path: string) => placeOf(path, scope, cwd);
  const outputs = textOption(options, "outputs");
  const outputsDays = textOption(options, "outputsDays");
  return [
    ...listOption(options, "off").flatMap((tool) => ["--off", readOfferedTool(tool)]),
    ...listOption(options, "mount").flatMap((mount) => ["--mount", placeOfMount(mount, place)]),
    ...(outputs === undefined ? [] : ["--outputs", place(outputs)]),
    ...(outputsDays === undefined ? [] : ["--outputs-days", outputsDays]),
    ...listOption(options, "publishFrom").flatMap((folder) => ["--publish-from", place(folder)]),
    ...(options["locations"] === true ? ["--locations"] : []),
    ...(options["structured"] === true ? ["--structured"] : []),
    ...(options["watch"] === false ? ["--no-watch"] : []),
  ];
}

/** A mount keeps its target and its mode; only the path on this machine changes. */
function placeOfMount(mount: string, place: (path: string) => string): string {
  const { path, rest } = splitMount(mount);
  return `${place(path)}${rest}`;
}

/** A gateway decides about skills, viewers, tools and scripts itself. */
function rejectLocal(options: Options): void {
  const runtime = textOption(options, "runtime") === undefined ? [] : ["--runtime"];
  const [flag] = [...runtime, ...forwarded(options, "user", "/"), ...served(options, "user", "/")];
  if (flag === undefined) return;
  throw new SkillError("USAGE", `${flag} has no effect together with --gateway.`, {
    hint: `Omit ${flag}, or set it where the gateway runs.`,
  });
}

/** Project servers start in the project's folder, so their paths can be relative; other servers start anywhere. */
function placeOf(root: string, scope: ConfigScope, cwd: string): string {
  const path = resolve(cwd, root);
  const inside = relative(cwd, path);
  const isInside = !inside.startsWith("..") && !isAbsolute(inside);
  return scope === "project" && isInside ? inside || "." : path;
}

function readGateway(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    !["http:", "https:"].includes(url.protocol) ||
    url.username !== "" ||
    url.password !== ""
  )
    throw new SkillError("USAGE", `${JSON.stringify(text)} is not the URL of a gateway.`, {
      hint: "Use https://<host>[:<port>], without a user name or password.",
    });
  url.search = "";
  url.hash = "";
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/mcp$/, "")}/mcp`;
  return url.href;
}

const TOKEN_VARIABLE = "SKILLHOLD_TOKEN";

function readVariable(name: string = TOKEN_VARIABLE): string {
  if (/^[A-Z_][A-Z0-9_]*$/i.test(name)) return name;
  throw new SkillError("USAGE", `${JSON.stringify(name)} is not an environment variable name.`, {
    hint: "Set --token-env to the name of the variable, never to the token itself.",
  });
}
