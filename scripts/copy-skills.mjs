// Puts the skills that come with Skillhold into the package that is about to be packed. npm leaves links out, and so
// does this: the packer finds shared helpers beside the skills.
import { cpSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dirname, "../skills");
rmSync("skills", { recursive: true, force: true });
cpSync(source, "skills", { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
