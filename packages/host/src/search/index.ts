export { modelFolder, openModels } from "./search-model.ts";
