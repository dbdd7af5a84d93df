import { installPorts, removeFolders } from "@skillhold/deps/test/environment/environment.fixture";
import { installDependencies } from "@skillhold/deps/test/environment/installer";

/** Installs packages for a skill in a process of its own: `environment-user.ts <home> <skill> <package>…`. */
const [home = "", skill = "", ...packages] = process.argv.slice(2);
// The process ends with its parent, even after a crash of the parent.
process.stdin.on("end", () => process.exit(1)).resume();
process.stdin.unref();
const specs = packages.map((name) => `npm:${name}`);
const { results } = await installDependencies({ skill, specs }, { ...installPorts(), home });
removeFolders();
const isDone = results.every(({ status }) => status === "ok" || status === "skipped");
if (!isDone) process.stderr.write(`${JSON.stringify(results)}\n`);
process.exit(isDone ? 0 : 1);
