/** How a catalogue is written down. */
export const catalogueFormats = ["xml", "xml-attr", "markdown", "json"] as const;
export type CatalogueFormat = (typeof catalogueFormats)[number];

/** Whether a format can name the path of a skill. */
export function hasLocations(format: CatalogueFormat): boolean {
  return format === "xml" || format === "json";
}

/** Claude models are trained on nested XML; the others, and a model that is not known, get bullets. */
export function formatForModel(model?: string): CatalogueFormat {
  return model?.toLowerCase().includes("claude") ? "xml" : "markdown";
}
