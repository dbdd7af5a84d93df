export { SqliteCache } from "./sqlite-cache.ts";
