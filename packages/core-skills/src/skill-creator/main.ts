import { join } from "node:path";
import { runMain } from "../shared/program.ts";
import { makeProgram } from "./program.ts";

await runMain(makeProgram(join(import.meta.dirname, "../assets")));
