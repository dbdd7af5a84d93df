export { type CatalogHit, searchCatalog } from "./catalog-search.ts";
export { isNewerRelease, newestRelease } from "./newest-release.ts";
export { type PushedSkill, pushSkill } from "./oci-push.ts";
