export { neutralText } from "../text/neutral.ts";
export { renderBrief } from "./brief.ts";
export {
  type Catalogue,
  type CatalogueLimits,
  type CatalogueOptions,
  renderCatalogue,
} from "./catalogue.ts";
export { type CatalogueFormat, catalogueFormats, formatForModel, hasLocations } from "./format.ts";
export { defaultPreamble } from "./wording.ts";
