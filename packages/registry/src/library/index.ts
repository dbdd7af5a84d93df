export { type OpenRegistryLibraryOptions, openRegistryLibrary, RegistryLibrary } from "./registry-library.ts";
export type { SkillSnapshot } from "./skill-map.ts";
