import { watchFile } from "./browser.ts";

watchFile();
