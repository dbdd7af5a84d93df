import { benchParse } from "./parse.ts";
import { benchTreeHash } from "./tree-hash.ts";

await benchParse();
await benchTreeHash();
