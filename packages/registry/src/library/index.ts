export { type OpenRegistryLibraryOptions, openRegistryLibrary, RegistryLibrary } from "./registry-library.ts";
export type { HeldSkill } from "./skill-map.ts";
