import type { Act, PolicyRequest } from "@skillhold/core/policy";
import type { CommandInput } from "../command.ts";
import { textOption } from "../option.ts";

type Options = CommandInput["options"];

const switches = ["network", "mounts", "secrets", "unsandboxed"] as const;

/** Whether the options describe something to be decided. */
export function isRequest(options: Options): boolean {
  return (
    options["act"] !== undefined || options["trust"] !== undefined || switches.some((name) => options[name])
  );
}

/** The request of the options. What is left out is the least: a script of the user's own skill, and nothing else. */
export function readPolicyRequest(options: Options, trust?: PolicyRequest["trust"]): PolicyRequest {
  const isUnsandboxed = options["unsandboxed"] === true;
  return {
    // The command table allows only the names of acts, tiers and kinds of mounts here.
    act: (textOption(options, "act") ?? "run_script") as Act,
    trust: trust ?? ((textOption(options, "trust") ?? "user") as PolicyRequest["trust"]),
    network: options["network"] === true ? "open" : "none",
    mounts: (textOption(options, "mounts") ?? "none") as PolicyRequest["mounts"],
    hasSecrets: options["secrets"] === true,
    isUnsandboxed,
    mayRunUnsandboxed: isUnsandboxed,
  };
}
