import type { ScopeDataResolver, TemplateData, TemplateHandler } from "easy-template-x";
import { isJsonObject } from "../shared/block-json.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { readImage } from "../shared/image-file.ts";
import { declarePrefix, typeOfKind } from "../shared/office-xml.ts";
import { inputError, messageOf, ScriptError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import type { WordFile } from "./word-file.ts";

type Library = typeof import("easy-template-x");

export interface Tag {
  readonly name: string;
  readonly kind: "value" | "block";
}

export interface Filled {
  readonly bytes: Uint8Array;
  /** Tags without a value in the data. */
  readonly missing: readonly string[];
  /** Names in the data that no tag asked for. */
  readonly unused: readonly string[];
}

const delimiters = { tagStart: "{{", tagEnd: "}}" };
/** Text boxes are nested deeply. */
const MAX_DEPTH = 200;

/** The tags of a template, in the order of the text. */
export async function readTags(file: WordFile): Promise<readonly Tag[]> {
  const library = await import("easy-template-x");
  const handler = new library.TemplateHandler({ delimiters, maxXmlDepth: MAX_DEPTH });
  const tags = await guard(file, handler.parseTags(packed(file)));
  const { Close, Open } = library.TagDisposition;
  const read = tags
    .filter(({ disposition }) => disposition !== Close)
    .map(({ name, disposition }): Tag => ({ name, kind: disposition === Open ? "block" : "value" }));
  return [...new Map(read.map((tag) => [`${tag.kind} ${tag.name}`, tag])).values()];
}

/** Fills a template with values. A block repeats for each item of a list; a false or missing value omits it. */
export async function fillTemplate(file: WordFile, data: JsonObject, io: ScriptIo): Promise<Filled> {
  const library = await import("easy-template-x");
  const content = await toContent(data, io, library);
  const missing = new Set<string>();
  const asked = new Set<string>();
  const blocks = new Set(
    (await readTags(file)).filter(({ kind }) => kind === "block").map(({ name }) => name),
  );
  const handler: TemplateHandler = new library.TemplateHandler({
    delimiters,
    maxXmlDepth: MAX_DEPTH,
    plugins: [
      new library.LoopPlugin(),
      new library.ImagePlugin(),
      new library.LinkPlugin(),
      new library.TextPlugin(),
    ],
    scopeDataResolver: ({ data: values, strPath }) => {
      const name = strPath.at(-1) ?? "";
      const value = resolve(values, strPath);
      for (const asking of [strPath[0], name]) asked.add(asking?.split(".")[0] ?? "");
      if (value === undefined && !blocks.has(name)) missing.add(name);
      // The library's own resolver returns undefined for a missing value.
      return value as ReturnType<ScopeDataResolver>;
    },
  });
  const bytes = await guard(file, handler.process(packed(file), content));
  return {
    bytes: new Uint8Array(bytes),
    missing: [...missing],
    unused: Object.keys(data).filter((name) => !asked.has(name)),
  };
}

type Value = TemplateData[string];

/** Looks for a name in the block that it stands in, then in those around. `a.b` is the `b` of `a`. */
function resolve(data: TemplateData, path: readonly string[]): Value | undefined {
  const name = path.at(-1) ?? "";
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const keys = [...path.slice(0, depth), name].flatMap((key) => key.split("."));
    const found = keys.reduce<unknown>(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      data,
    );
    // Every value inside the data was made by toValue.
    if (found !== undefined) return found as Value;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * Packed anew, so that the library unpacks no more than was let in. It takes broken XML without a word, so all of it
 * is parsed here first; and it writes elements with prefixes that only most programs declare.
 */
function packed(file: WordFile): Buffer {
  for (const name of file.pkg.names) if (/\.(?:xml|rels)$/i.test(name)) file.pkg.xml(name);
  for (const part of file.stories) {
    const root = file.pkg.edit(part);
    declarePrefix(root, "wp", DRAWING);
    declarePrefix(root, "r", typeOfKind(root, "").slice(0, -1));
  }
  return Buffer.from(file.pkg.save());
}

const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing";

async function guard<Result>(file: WordFile, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ScriptError) throw error;
    throw inputError(
      "BROKEN_TEMPLATE",
      `${file.pkg.file.path} cannot be filled: ${messageOf(error)}`,
      "Each {{#name}} needs its {{/name}}, and each {{ its }}. List the tags with: tags <file.docx>.",
      error,
    );
  }
}

/** Values as the library takes them: `{"image": "logo.png"}` and `{"link": "https://…", "text": "…"}` are special. */
async function toContent(data: JsonObject, io: ScriptIo, library: Library): Promise<TemplateData> {
  const entries: [string, Value][] = [];
  for (const [name, value] of Object.entries(data)) {
    if (value !== undefined) entries.push([name, await toValue(value, io, library)]);
  }
  return Object.fromEntries(entries);
}

async function toValue(value: JsonValue, io: ScriptIo, library: Library): Promise<Value> {
  if (value === null) return "";
  if (typeof value !== "object") return value;
  if (!isJsonObject(value)) return toItems(value, io, library);
  const { image, link, text } = value;
  if (typeof image === "string") return toImage(image, value, io, library);
  if (typeof link === "string") {
    if (!/^(?:https?:|mailto:|tel:)/i.test(link))
      throw inputError("UNSAFE_LINK", `${link.slice(0, 80)} is not an address.`);
    return { _type: "link", target: link, text: typeof text === "string" ? text : link };
  }
  return toContent(value, io, library);
}

/** An item that is only a text has the name `value` in its block. */
async function toItems(items: readonly JsonValue[], io: ScriptIo, library: Library): Promise<TemplateData[]> {
  const content: TemplateData[] = [];
  for (const item of items) {
    content.push(await toContent(isJsonObject(item) ? item : { value: item }, io, library));
  }
  return content;
}

async function toImage(path: string, value: JsonObject, io: ScriptIo, library: Library): Promise<Value> {
  const image = await readImage(path, io);
  const formats = { png: library.MimeType.Png, jpeg: library.MimeType.Jpeg, gif: library.MimeType.Gif };
  const width = typeof value["width"] === "number" ? value["width"] : image.width;
  return {
    _type: "image",
    source: Buffer.from(image.bytes),
    format: formats[image.format],
    width,
    height: Math.round((width * image.height) / image.width),
    altText: typeof value["alt"] === "string" ? value["alt"] : "",
  };
}
