import type { Precedence } from "@skillhold/core/source";
import type { StackChoice } from "@skillhold/host/library";
import { DATA_VARIABLE, present } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "./command.ts";
import { listOption, textOption } from "./option.ts";
import { quotePath, storeFlags } from "./terminal/hint.ts";
import type { Io } from "./terminal/output.ts";

type Options = CommandInput["options"];

/** The common options of the command line as the choice that the library is opened with. */
export function libraryChoice(options: Options, roots: readonly string[]): StackChoice {
  const store = options["store"] === false ? false : textOption(options, "store");
  return {
    root: roots,
    source: listOption(options, "source"),
    // The command table allows only the names of precedences here.
    precedence: (options["precedence"] ?? "local") as Precedence,
    mcp: options["mcp"] !== false,
    cache: options["cache"] !== false,
    trustProject: options["trustProject"] === true,
    followLinks: options["followLinks"] === true,
    strict: options["strict"] === true,
    governed: options["governed"] === true,
    as: textOption(options, "as") === "user" ? "user" : "model",
    ...present({
      store,
      runtime: textOption(options, "runtime"),
      agent: textOption(options, "agent"),
      user: textOption(options, "user"),
      allow: readIds(textOption(options, "allow")),
      role: textOption(options, "role"),
    }),
  };
}

/** Reads ids separated by commas; an empty text is an empty list. */
export function readIds(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

/** The `--root` flags that name these folders, each with a space before it. */
export function rootFlags(roots: readonly string[]): string {
  return roots.map((root) => ` --root ${/^[\w./~@+-]+$/.test(root) ? root : JSON.stringify(root)}`).join("");
}

/** A command line for another terminal, which has neither `--data` nor the variable: it names the same store. */
export function commandElsewhere(
  words: string,
  options: Options,
  { env, command }: Pick<Io, "env" | "command">,
): string {
  const data = env[DATA_VARIABLE];
  const prefix = data ? `${DATA_VARIABLE}=${quotePath(data)} ` : "";
  return `${prefix}${command()} ${words}${storeFlags(options)}`;
}

/** The flags that make another command see the same skills for the same viewer, each with a space before it. */
export function viewerFlags(options: Options): string {
  const names = ["runtime", "agent", "user", "allow", "as"];
  return names
    .map((name) => [name, textOption(options, name)] as const)
    .filter(([name, value]) => value !== undefined && !(name === "as" && value === "model"))
    .map(([name, value = ""]) => ` --${name} ${/^[\w./@+,-]+$/.test(value) ? value : JSON.stringify(value)}`)
    .join("");
}

/** The gateway to use, if any. An option that names a local source overrides the variable. */
export function chooseGateway(
  options: Options,
  { env }: Pick<Io, "env">,
  roots: readonly string[],
): string | undefined {
  const named = textOption(options, "gateway");
  const places = placesIn(options, roots);
  if (named === undefined)
    return options["gateway"] === true && places.length === 0
      ? env["SKILLHOLD_GATEWAY"] || undefined
      : undefined;
  const [place] = places;
  if (place === undefined) return named;
  throw new SkillError("USAGE", `--gateway and ${place} exclude each other.`, {
    hint: "Use one of them.",
  });
}

/** The options that name a local source. */
function placesIn(options: Options, roots: readonly string[]): readonly string[] {
  return [
    ...(roots.length === 0 ? [] : ["a folder"]),
    ...(listOption(options, "source").length === 0 ? [] : ["--source"]),
    ...(textOption(options, "store") === undefined ? [] : ["--store"]),
    ...(options["trustProject"] === true ? ["--trust-project"] : []),
    ...(options["followLinks"] === true ? ["--follow-links"] : []),
    ...(options["strict"] === true ? ["--strict"] : []),
    ...(options["governed"] === true ? ["--governed"] : []),
  ];
}

/** The flag that makes another command use the same gateway, with a space before it. */
export function gatewayFlag(address: string): string {
  return ` --gateway ${/^[\w./:[\]~@+-]+$/.test(address) ? address : JSON.stringify(address)}`;
}
