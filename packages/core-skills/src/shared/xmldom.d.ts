// The package's own types bring the types of a browser into the whole program. These are the parts that are used.
declare module "@xmldom/xmldom/lib/index.js" {
  interface ErrorHandler {
    readonly warning: (message: string) => void;
    readonly error: (message: string) => void;
    readonly fatalError: (message: string) => void;
  }
  class DOMParser {
    constructor(options: { readonly locator?: object; readonly errorHandler: ErrorHandler });
    parseFromString(source: string, mimeType: string): import("./xml.ts").XmlDocument;
  }
  class XMLSerializer {
    serializeToString(node: import("./xml.ts").XmlNode): string;
  }
}

declare module "@xmldom/xmldom/lib/entities.js" {
  const HTML_ENTITIES: Readonly<Record<string, string>>;
}
