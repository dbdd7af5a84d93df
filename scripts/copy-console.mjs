// Puts the built console into the package that is about to be packed.
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dirname, "../packages/console/dist");
if (!existsSync(join(source, "index.html"))) throw new Error("The console is not built: npm run prepare");
rmSync("console", { recursive: true, force: true });
cpSync(source, "console", { recursive: true });
