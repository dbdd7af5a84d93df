import { resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { readSource } from "@skillhold/registry/install";
import { pushSkill } from "@skillhold/registry/install/registry";
import { stageFolder } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withPorts } from "../../install/install-session.ts";
import { dryRunOption } from "../../shared-option.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { count, formatSize } from "../../terminal/text.ts";

const optionSpecs = [dryRunOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    { usage: "<path>", summary: "the skill's folder" },
    { usage: "<destination>", summary: "such as oci://ghcr.io/acme/pdf:1.0.0" },
  ],
  options: optionSpecs,
  examples: ["push my-skill oci://ghcr.io/acme/my-skill:1.0.0"],
  run,
});

/** Writes a skill to an OCI registry, with the login of `docker login`. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { args, options, io } = input;
  const [path = "", destination = ""] = args;
  const spec = readSource(destination);
  if (spec.kind !== "oci")
    throw new SkillError("USAGE", `${destination} is not the address of an OCI repository.`, {
      hint: "Write oci://host/repository:tag.",
    });
  const folder = resolve(io.cwd, path);
  const staged = await stageFolder(folder, { within: folder, signal: io.signal }, defaultLimits);
  const isDryRun = options["dryRun"] === true;
  const pushed = isDryRun
    ? undefined
    : await withPorts(input, [`https://${spec.host}`], (ports) => pushSkill(staged, spec, ports));
  const files = staged.files.length;
  if (io.json) printData(io, { id: staged.id, destination, files, isDryRun, ...pushed });
  else {
    const size = `${count(files, "file")}, ${formatSize(staged.bytes)}`;
    const done = pushed === undefined ? "would be pushed" : `pushed as ${pushed.digest}`;
    io.out(`${staged.id}: ${done} (${size})\n`);
  }
  return 0;
}
