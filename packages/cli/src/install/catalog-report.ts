import { neutralText } from "@skillhold/core/text";
import { searchCatalog } from "@skillhold/registry/install/registry";
import type { CommandInput } from "../command.ts";
import { type ExitCode, plain, printData } from "../terminal/output.ts";
import { count, paintFor } from "../terminal/text.ts";
import { withPorts } from "./install-session.ts";

/** Prints the skills that a catalog offers for a query, each with the argument that installs it. */
export async function printCatalog(
  input: Pick<CommandInput, "options" | "io">,
  catalog: string,
  query: string,
  limit: number,
): Promise<ExitCode> {
  const { io } = input;
  const hits = await withPorts(input, [catalog], (ports) => searchCatalog(catalog, query, limit, ports));
  if (io.json) {
    printData(io, { query, catalog, hits: hits.map((hit, at) => ({ rank: at + 1, ...hit })) });
    return 0;
  }
  const paint = await paintFor(io.color);
  for (const [at, { name, description, source, version, verdict }] of hits.entries()) {
    const facts = [version, verdict]
      .filter((fact) => fact !== undefined)
      .map((fact) => neutralText(fact, 40));
    io.out(
      `${`${at + 1}.`.padStart(3)} ${paint.bold(neutralText(name, 80))}  ${paint.dim(facts.join(", "))}\n`,
    );
    io.out(`    ${neutralText(description, 300)}\n`);
    io.out(`    ${paint.dim(`skillhold install ${plain(source)}`)}\n`);
  }
  io.err(`${count(hits.length, "hit")} in ${plain(catalog)}\n`);
  return 0;
}
