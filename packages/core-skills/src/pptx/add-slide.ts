import { type ImageFile, readImage } from "../shared/image-file.ts";
import { typeOfKind } from "../shared/office-xml.ts";
import { inputError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { XML_HEAD } from "../shared/xml.ts";
import { treeXml } from "./blank-master.ts";
import { addChartPart } from "./chart-part.ts";
import type { Deck } from "./deck.ts";
import { type ChosenLayout, chooseLayout, type Placeholder, type Rectangle } from "./layout-choice.ts";
import { listSlide } from "./slide-list.ts";
import type { Place, SlideSpec, SpecColumn, SpecLine, SpecObject } from "./slide-spec.ts";
import {
  graphicXml,
  imageXml,
  inlinesXml,
  type Link,
  linesXml,
  placeholderXml,
  textBoxXml,
} from "./slide-xml.ts";
import { tableXml } from "./table-xml.ts";
import { writeNotes } from "./write-notes.ts";

const CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml";
const GAP = 228_600;
const CENTIMETER = 360_000;
/** The size of a number on a layout that has no place for one. */
const NUMBER_POINTS = 96;

/** Makes a slide in the look of the deck, before the slide of that number or at the end. */
export async function addSlide(
  deck: Deck,
  spec: SlideSpec,
  before: number | undefined,
  io: ScriptIo,
): Promise<void> {
  const chosen = chooseLayout(deck, spec);
  const part = deck.pkg.freeName("ppt/slides/slide", "xml");
  deck.pkg.relate(part, typeOfKind(deck.root, "slideLayout"), chosen.layout.part);
  const shapes = await new SlideWriter(deck, part, chosen, io).write(spec);
  const spaces = [
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
  ].join(" ");
  const xml = `${XML_HEAD}<p:sld ${spaces}><p:cSld>${treeXml(shapes)}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`;
  deck.pkg.set(part, xml, CONTENT_TYPE);
  listSlide(deck, part, before);
  if (spec.notes !== "") writeNotes(deck, part, spec.notes);
}

class SlideWriter {
  readonly #deck: Deck;
  readonly #part: string;
  readonly #chosen: ChosenLayout;
  readonly #io: ScriptIo;
  readonly #link: Link;
  /** The tree itself is 1. */
  #id = 1;

  constructor(deck: Deck, part: string, chosen: ChosenLayout, io: ScriptIo) {
    this.#deck = deck;
    this.#part = part;
    this.#chosen = chosen;
    this.#io = io;
    this.#link = (address) => deck.pkg.relate(part, typeOfKind(deck.root, "hyperlink"), address, true);
  }

  async write(spec: SlideSpec): Promise<string> {
    if (spec.columns !== undefined) return this.#columns(spec, spec.columns);
    if (spec.kind === "quote" || spec.kind === "number") return this.#statement(spec);
    const [only, ...others] = spec.objects.filter((object) => object.place === undefined);
    const picture = this.#chosen.picture?.rectangle;
    if (picture !== undefined && only?.type === "image" && others.length === 0) {
      const text = [this.#title(spec), this.#text(spec, undefined)];
      const rest = spec.objects.filter((object) => object !== only);
      const shapes = [...text, await this.#object(only, picture)];
      for (const object of rest)
        if (object.place !== undefined) shapes.push(await this.#object(object, this.#own(object.place)));
      return shapes.join("");
    }
    const area = this.#area();
    const [, second] = this.#chosen.bodies;
    const hasBoth = spec.lines.length > 0 && spec.objects.some((object) => object.place === undefined);
    const [left, right] = halves(area);
    const place = hasBoth ? (second?.rectangle ?? right) : area;
    const shapes = [this.#title(spec), this.#text(spec, hasBoth && second === undefined ? left : undefined)];
    const unplaced = spec.objects.filter((object) => object.place === undefined);
    const places = columnsOf(place, unplaced.length);
    for (const object of spec.objects) {
      const own = object.place === undefined ? undefined : this.#own(object.place);
      shapes.push(await this.#object(object, own ?? places[unplaced.indexOf(object)] ?? place));
    }
    return shapes.join("");
  }

  /** Two columns: each has a heading, text, and objects below the text. */
  async #columns(spec: SlideSpec, columns: readonly SpecColumn[]): Promise<string> {
    const { bodies } = this.#chosen;
    const isHeaded = bodies.length >= 4;
    const sides = halves(this.#area());
    const shapes = [this.#title(spec)];
    for (const [index, { heading, lines, objects }] of columns.entries()) {
      const [head, body] = isHeaded
        ? bodies.slice(index * 2)
        : [undefined, bodies.length >= 2 ? bodies[index] : undefined];
      const place = body?.rectangle ?? sides[index] ?? this.#area();
      const headLine: SpecLine = {
        level: 0,
        mark: "none",
        content: heading.map((each) => ({ ...each, bold: true })),
      };
      const isInText = head === undefined && heading.length > 0;
      const text = isInText ? [headLine, ...lines] : lines;
      if (head !== undefined && heading.length > 0)
        shapes.push(this.#fill(head, "Heading", [{ ...headLine, content: heading }], undefined));
      const [top, bottom] =
        text.length > 0 && objects.length > 0
          ? layers(place, isInText && lines.length === 0)
          : [undefined, place];
      if (text.length > 0)
        shapes.push(this.#fill(body, "Content", text, top ?? (body === undefined ? place : undefined)));
      const places = columnsOf(bottom, objects.length);
      for (const [number, object] of objects.entries()) {
        const own = object.place === undefined ? undefined : this.#own(object.place);
        shapes.push(await this.#object(object, own ?? places[number] ?? place));
      }
    }
    return shapes.join("");
  }

  /** A quote with its source, or a number with its meaning. */
  #statement(spec: SlideSpec): string {
    const [first, second] = this.#chosen.bodies;
    const caption = spec.caption ?? [];
    const isOwn = second !== undefined;
    const lines = isOwn ? spec.lines : [...spec.lines, ...caption];
    const points = isOwn || spec.kind === "quote" ? undefined : NUMBER_POINTS;
    const shapes = [
      this.#title(spec),
      this.#fill(first, "Content", lines, first === undefined ? this.#area() : undefined, points),
    ];
    if (isOwn && caption.length > 0) shapes.push(this.#fill(second, "Caption", caption, undefined));
    return shapes.join("");
  }

  #fill(
    place: Placeholder | undefined,
    name: string,
    lines: readonly SpecLine[],
    rectangle: Rectangle | undefined,
    points?: number,
  ): string {
    const isPlain = place?.type === "subTitle";
    const [first, ...rest] = lines;
    const paragraphs =
      points === undefined || first === undefined
        ? linesXml(lines, this.#link, isPlain)
        : linesXml([first], this.#link, isPlain, points) + linesXml(rest, this.#link, isPlain);
    return place === undefined
      ? textBoxXml(this.#nextId(), rectangle ?? this.#area(), paragraphs)
      : placeholderXml(this.#nextId(), name, place, paragraphs, rectangle);
  }

  #nextId(): number {
    this.#id += 1;
    return this.#id;
  }

  #title({ title }: SlideSpec): string {
    if (title.length === 0) return "";
    const paragraph = `<a:p>${inlinesXml(title, this.#link)}</a:p>`;
    const { title: place } = this.#chosen;
    if (place !== undefined) return placeholderXml(this.#nextId(), "Title", place, paragraph);
    const { width, height } = this.#deck.size;
    return textBoxXml(
      this.#nextId(),
      { x: width * 0.05, y: height * 0.05, width: width * 0.9, height: height * 0.15 },
      paragraph,
    );
  }

  #text({ lines }: SlideSpec, rectangle: Rectangle | undefined): string {
    if (lines.length === 0) return "";
    return this.#fill(this.#chosen.bodies[0], "Content", lines, rectangle);
  }

  async #object(object: SpecObject, place: Rectangle): Promise<string> {
    const { pkg, root } = this.#deck;
    if (object.type === "table") {
      return graphicXml(this.#nextId(), "Table", "table", tableXml(object, place, this.#link), place);
    }
    if (object.type === "image") {
      const image = await readImage(object.path, this.#io);
      const relation = pkg.relate(this.#part, typeOfKind(root, "image"), addImage(this.#deck, image));
      return imageXml(this.#nextId(), relation, object.alt, fit(image, place));
    }
    const name = addChartPart(this.#deck, object);
    const relation = pkg.relate(this.#part, typeOfKind(root, "chart"), name);
    const content = `<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="${relation}"/>`;
    return graphicXml(this.#nextId(), "Chart", "chart", content, place);
  }

  /** The place that a description names, which must be on the slide. */
  #own({ x, y, width, height }: Place): Rectangle {
    const { width: across, height: down } = this.#deck.size;
    const place = {
      x: x * CENTIMETER,
      y: y * CENTIMETER,
      width: width * CENTIMETER,
      height: height * CENTIMETER,
    };
    if (place.x + place.width <= across && place.y + place.height <= down) return place;
    const [wide, high] = [across, down].map((each) => Math.floor((each / CENTIMETER) * 100) / 100);
    throw inputError(
      "INVALID_DESCRIPTION",
      `The place x ${x}, y ${y}, width ${width}, height ${height} is not on the slide.`,
      `Slides of this deck are ${wide} by ${high} cm.`,
    );
  }

  /** Where content goes: the place of the layout, or all below the title. */
  #area(): Rectangle {
    const { width, height } = this.#deck.size;
    const { title, bodies } = this.#chosen;
    const [first, second] = bodies.map(({ rectangle }) => rectangle);
    if (first !== undefined && second === undefined) return first;
    const top =
      title?.rectangle === undefined ? height * 0.2 : title.rectangle.y + title.rectangle.height + GAP / 2;
    const left = title?.rectangle?.x ?? width * 0.05;
    return { x: left, y: top, width: width - 2 * left, height: Math.max(height * 0.2, height * 0.92 - top) };
  }
}

function addImage({ pkg }: Deck, image: ImageFile): string {
  const name = pkg.freeName("ppt/media/image", image.format);
  pkg.set(name, image.bytes, `image/${image.format}`);
  return name;
}

function halves({ x, y, width, height }: Rectangle): [Rectangle, Rectangle] {
  const half = (width - GAP) / 2;
  return [
    { x, y, width: half, height },
    { x: x + half + GAP, y, width: half, height },
  ];
}

/** The upper and the lower part of a place: a heading alone needs little. */
function layers({ x, y, width, height }: Rectangle, isHeading: boolean): [Rectangle, Rectangle] {
  const upper = isHeading ? Math.min(height * 0.2, 500_000) : height * 0.4;
  return [
    { x, y, width, height: upper },
    { x, y: y + upper + GAP / 2, width, height: height - upper - GAP / 2 },
  ];
}

function columnsOf({ x, y, width, height }: Rectangle, count: number): readonly Rectangle[] {
  const each = (width - GAP * (count - 1)) / Math.max(count, 1);
  return Array.from({ length: count }, (_, index) => ({
    x: x + index * (each + GAP),
    y,
    width: each,
    height,
  }));
}

/** As large as the place lets it be, in its middle. An image is never shown larger than three times its size. */
function fit(image: ImageFile, place: Rectangle): Rectangle {
  const scale = Math.min(place.width / image.width, place.height / image.height, 3 * 9525);
  const [width, height] = [image.width * scale, image.height * scale];
  return { x: place.x + (place.width - width) / 2, y: place.y + (place.height - height) / 2, width, height };
}
