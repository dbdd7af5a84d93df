// Builds the scripts of the skills after an installation. Plain JavaScript on purpose: an older Node must be able to
// read it, and to say what is missing. Without the means to build, the rest of the workspace still works.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
const canRunSources = major > 22 || (major === 22 && minor >= 18);
const hasBundler = ["node_modules", "../../node_modules"].some((folder) =>
  existsSync(new URL(`${folder}/rolldown/package.json`, import.meta.url)),
);

if (canRunSources && hasBundler) {
  const { buildSkills, workspacePlaces } = await import("./build.ts");
  await buildSkills(workspacePlaces);
} else {
  const reason = hasBundler
    ? `Node ${process.versions.node} is older than 22.18`
    : "rolldown is not installed";
  process.stderr.write(`The scripts in skills/ were not built: ${reason}. Later: npm run prepare\n`);
}
