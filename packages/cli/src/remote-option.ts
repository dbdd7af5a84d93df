import { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "./command.ts";
import { listOption, textOption } from "./option.ts";
import type { Io } from "./terminal/output.ts";

type Options = CommandInput["options"];

/** The address of the gateway to look at. What names another place is said of this machine, and goes before a variable. */
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
  throw new SkillError("USAGE", `--gateway looks elsewhere, and ${place} looks here.`, {
    hint: "Leave out one of the two.",
  });
}

/** What is said of where to look on this machine. */
function placesIn(options: Options, roots: readonly string[]): readonly string[] {
  return [
    ...(roots.length === 0 ? [] : ["a folder"]),
    ...(listOption(options, "source").length === 0 ? [] : ["--source"]),
    ...(textOption(options, "store") === undefined ? [] : ["--store"]),
    ...(options["trustProject"] === true ? ["--trust-project"] : []),
    ...(options["followLinks"] === true ? ["--follow-links"] : []),
  ];
}

/** The option that makes another command look at the same gateway, with a blank before it. */
export function gatewayFlag(address: string): string {
  return ` --gateway ${/^[\w./:[\]~@+-]+$/.test(address) ? address : JSON.stringify(address)}`;
}
