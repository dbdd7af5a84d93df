// Builds the console and the pages of the documents after an installation. Plain JavaScript on purpose: an older Node must be able to read it, and to
// say what is missing. Without the means to build, the rest of the workspace still works.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
const canBuild = major > 22 || (major === 22 && minor >= 18);
const hasBundler = existsSync(new URL("../../node_modules/vite/package.json", import.meta.url));

if (canBuild && hasBundler) {
  const { build } = await import("vite");
  await build({ root: import.meta.dirname, logLevel: "warn" });
  const { buildDocs } = await import("../../scripts/build-docs.mjs");
  buildDocs(new URL("../../docs-site", import.meta.url).pathname);
} else {
  const reason = hasBundler ? `Node ${process.versions.node} is older than 22.18` : "vite is not installed";
  process.stderr.write(`The console and the documents were not built: ${reason}. Later: npm run prepare\n`);
}
