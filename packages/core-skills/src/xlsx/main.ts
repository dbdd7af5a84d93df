import { runMain } from "../shared/program.ts";
import { program } from "./program.ts";

await runMain(program);
