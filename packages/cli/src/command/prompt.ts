import { join } from "node:path";
import { referencePrompt } from "@skillhold/skill";
import { type ExitCode, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { getProperties, openNamed } from "./properties.ts";

/** Prints the block that tells an agent which skills exist, exactly as the reference implementation does. */
export async function run({ args, io }: CommandInput): Promise<ExitCode> {
  const skills = args.map((path) => {
    const opened = openNamed(io, path);
    const { name, description } = getProperties(opened);
    return { name, description, location: opened.file ?? join(opened.folder, "SKILL.md") };
  });
  const prompt = referencePrompt(skills);
  if (io.json) printData(io, { prompt });
  else io.out(`${prompt}\n`);
  return 0;
}
