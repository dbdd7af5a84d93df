import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "../command.ts";
import { listOption, textOption } from "../option.ts";
import type { ConfigScope, McpClient, Server } from "./client-table.ts";

type Options = CommandInput["options"];

/** How a client reaches the skills: by starting this program, or at a gateway. */
export function serverFor(client: McpClient, scope: ConfigScope, options: Options, cwd: string): Server {
  const gateway = textOption(options, "gateway");
  if (gateway !== undefined)
    return { url: readGateway(gateway), tokenVariable: readVariable(textOption(options, "tokenEnv")) };
  const args = [
    "mcp",
    "--runtime",
    textOption(options, "runtime") ?? client.id,
    ...forwarded(options, scope, cwd),
  ];
  // What others share must not name places of this machine; programs with windows do not know the user's PATH.
  if (scope === "project") return { command: "skillhold", args };
  return { command: process.execPath, args: [launcher(), ...args] };
}

/** The launcher of the `skillhold` package, beside this package in the workspace and in an installation. */
function launcher(): string {
  // In an installation this package is in a scope, one folder deeper.
  const beside = import.meta.url.endsWith(".ts") ? "../../../skillhold" : "../../../../skillhold";
  return fileURLToPath(new URL(`${beside}/bin/skillhold.js`, import.meta.url));
}

/** The options that say which skills are served, and to whom. */
function forwarded(options: Options, scope: ConfigScope, cwd: string): readonly string[] {
  const store = textOption(options, "store");
  if (store !== undefined && /^postgres(ql)?:\/\/[^/]*:[^/]*@/.test(store))
    throw new SkillError(
      "USAGE",
      "The address of the store has a password, which does not belong in a client's settings.",
      {
        hint: "Leave it out of the address, or set SKILLHOLD_STORE where the client is started.",
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
    ...named("--agent", textOption(options, "agent")),
    ...named("--user", textOption(options, "user")),
    ...named("--allow", textOption(options, "allow")),
  ];
}

/** A project's clients start their servers in its folder; anyone else's start them anywhere. */
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
    throw new SkillError("USAGE", `${JSON.stringify(text)} is not the address of a gateway.`, {
      hint: "Write it as https://<host>[:<port>], without a name or a password.",
    });
  url.search = "";
  url.hash = "";
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/mcp$/, "")}/mcp`;
  return url.href;
}

const TOKEN_VARIABLE = "SKILLHOLD_TOKEN";

function readVariable(name: string = TOKEN_VARIABLE): string {
  if (/^[A-Z_][A-Z0-9_]*$/i.test(name)) return name;
  throw new SkillError("USAGE", `${JSON.stringify(name)} is not the name of an environment variable.`, {
    hint: "--token-env takes the name of the variable that holds the token, never the token.",
  });
}
