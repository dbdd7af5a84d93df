// Builds and packs every published package, and prints npm's description of each tarball as JSON.
//   node scripts/pack.mjs <folder>
import { resolve } from "node:path";
import { packWorkspaces } from "./workspace.mjs";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Usage: node scripts/pack.mjs <folder>");
console.log(JSON.stringify(packWorkspaces(resolve(folder))));
