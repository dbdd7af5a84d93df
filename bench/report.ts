import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const shapes =
  "Generated skills have the shapes of public ones: 39 % have subfolders, and half of the frontmatters have JSON, numbers, lists, block text, continued lines or errors. Real skills are copied under new names.";

interface Section {
  readonly title: string;
  /** The name of the benchmark and its sizes. */
  readonly args: readonly string[];
  /** The baseline. */
  readonly about: string;
  /** Also runs with the skills of `--corpus`. */
  readonly takesCorpus?: boolean;
}

/** The measured parts of the page. */
const sections: readonly Section[] = [
  {
    title: "Start of the command line, and memory at rest",
    args: ["start"],
    about: "`node -e 0`, and a Node program that serves HTTP and does no work.",
  },
  {
    title: "Start and calls of the MCP server",
    args: ["mcp"],
    about: "A server of the bare MCP SDK that returns the same text.",
  },
  {
    title: "Parsing",
    args: ["parse"],
    about: "Reading the bytes and calling `yaml.parse` on the frontmatter.",
  },
  {
    title: "Opening and listing a library",
    args: ["library", "1000", "3000"],
    about: `Cold: a program that lists every folder and reads every SKILL.md. Warm: a stat of every SKILL.md. ${shapes}`,
    takesCorpus: true,
  },
  {
    title: "Listing beside other tools",
    args: ["peers", "100", "3000"],
    about: `The list commands of other tools, from npm, in the same project. They print names and descriptions; ours prints all metadata and diagnostics. ${shapes}`,
    takesCorpus: true,
  },
  { title: "Catalog", args: ["catalogue"], about: "The text alone." },
  {
    title: "Search",
    args: ["search-speed", "1000", "10000"],
    about: "None: the times of building, loading and asking the index, and their growth.",
  },
  {
    title: "Registry",
    args: ["registry", "1000"],
    about: "The same rows and files, written and read by the database driver alone.",
  },
];

const runBench = promisify(execFile);

/** Runs the benchmarks one after another and writes docs/benchmarks.md. Options: `--corpus <folder>` with real skills. */
export async function writeReport(options: readonly string[]): Promise<void> {
  const [before = 0] = loadavg();
  const parts: string[] = [];
  for (const { title, args, about, takesCorpus = false } of sections) {
    const runs = takesCorpus && options.length > 0 ? [args, [...args, ...options]] : [args];
    const lines: string[] = [];
    for (const each of runs) {
      console.log(`report: ${each.join(" ")}`);
      const command = ["--conditions=@skillhold/source", join(import.meta.dirname, "run.ts"), ...each];
      const { stdout } = await runBench(process.execPath, command, { maxBuffer: 1e8 });
      lines.push(stdout.trim());
    }
    parts.push(`## ${title}\n\nBaseline: ${about}\n\n\`\`\`text\n${lines.join("\n")}\n\`\`\`\n`);
  }
  const [after = 0] = loadavg();
  const page = `${introduction({ before, after })}\n${parts.join("\n")}`;
  writeFileSync(join(import.meta.dirname, "../docs/benchmarks.md"), page);
}

function introduction({ before, after }: { readonly before: number; readonly after: number }): string {
  const memory = (totalmem() / 1024 ** 3).toFixed(0);
  const processor = cpus()[0]?.model ?? "an unknown processor";
  return `# Benchmarks

\`npm run bench -- --report\` writes this page. Each figure is a ratio to a baseline that does the least possible work for the
same result. Both run in turns on the same machine, and a line shows medians, so a ratio says more than a time. \`CPU\` ratios
compare processor time, which other work on the machine changes less.

\`npm run bench library 3000 -- --corpus <folder>\` measures the skills of a folder of your own, copied under new names until
there are 3,000. The option also works with \`peers\` and \`--report\`.

The workspace runs TypeScript sources. An installed package is bundled and starts faster.

Measured with Node ${process.versions.node} on ${availableParallelism()} cores (${processor}) and ${memory} GB of memory. The load average was
${before.toFixed(1)} before and ${after.toFixed(1)} after.
`;
}
