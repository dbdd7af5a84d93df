export { bundledPages, bundledSkills, productVersion } from "./bundled.ts";
export {
  cacheFile,
  DATA_VARIABLE,
  dataFolder,
  findSourcesFile,
  mcpCacheFolder,
  proposalFolder,
} from "./data-folder.ts";
export { ioFailure, statPath, systemCode } from "./io-failure.ts";
export { type Env, type Machine, type ProcessContext, present, thisMachine } from "./machine.ts";
export { isSupportedNode, MIN_NODE } from "./node-version.ts";
export { readPrivateList, writePrivateList } from "./private-list.ts";
export {
  copiesFolder,
  isStoreThere,
  missingStore,
  shortPath,
  showStore,
  storeFile,
  storeReadOptions,
  storeUrl,
} from "./store-address.ts";
export { accountName, userName } from "./user-name.ts";
