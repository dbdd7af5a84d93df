export { neutralText } from "../text/neutral.ts";
export {
  type Catalogue,
  type CatalogueLimits,
  type CatalogueOptions,
  cataloguePriority,
  renderCatalogue,
} from "./catalogue.ts";
export { type CatalogueFormat, catalogueFormats, formatForModel } from "./format.ts";
export { defaultPreamble } from "./wording.ts";
