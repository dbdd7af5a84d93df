import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "@skillhold/cli";
import { commandTable } from "@skillhold/cli/test/command-table";
import { fakeHost } from "@skillhold/cli/test/fake-host";
import { systemTimers } from "@skillhold/core/port";

/**
 * Runs the examples of every command as a user id without an account, in one process, and prints a JSON line for each:
 * the command line, its exit code and its output.
 */
const [uid = "", folder = "", home] = process.argv.slice(2);

/** Commands that run until they are interrupted. */
const endless = /^(?:watch|dev|serve|mcp$|mcp --|audit tail --follow|seed .*--watch)/;
/** Hosts that tests must not contact. */
const remote = /example\.|github|anthropics|postgres:|^upgrade-check/;

process.setgroups?.([]);
process.setgid?.(Number(uid));
process.setuid?.(Number(uid));
process.chdir(folder);
const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo it.\n`;
for (const name of ["pdf", "my-skill", "weather", "review-pr", "old-skill"]) {
  mkdirSync(join(folder, "skills", name, "scripts"), { recursive: true });
  writeFileSync(join(folder, "skills", name, "SKILL.md"), skill(name));
  writeFileSync(join(folder, "skills", name, "scripts/extract.py"), "print('hi')\n");
}
const first = [
  "init my-skill",
  ...["pdf", "weather", "review-pr", "old-skill"].map((name) => `publish ./skills/${name}`),
];
const lines = [...first];
for (const row of commandTable) {
  const { command } = await row.load();
  for (const example of command.examples) if (!remote.test(example)) lines.push(example);
}
for (const line of lines) await drive(line);
// Handles of interrupted commands must not keep the process.
process.exit(0);

async function drive(line: string): Promise<void> {
  const env = { PATH: process.env["PATH"], ...(home === undefined ? {} : { HOME: home }) };
  const { host, emit, texts } = fakeHost(folder, { env, input: "x" });
  const ended = main([...wordsOf(line), ...(line.includes("--json") ? [] : ["--json"])], host);
  const cancel = endless.test(line) ? systemTimers.every(500, () => emit("SIGINT")) : () => {};
  const code = await ended;
  cancel();
  process.stdout.write(`${JSON.stringify({ line, code, ...texts() })}\n`);
}

/** The words of an example, without quotes and redirections. */
function wordsOf(line: string): readonly string[] {
  const command = line.replace(/ [<>] \S+$/, "");
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, bare]) => one ?? two ?? bare ?? "",
  );
}
