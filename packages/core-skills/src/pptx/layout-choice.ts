import { clip } from "../shared/bounded.ts";
import { descend } from "../shared/office-xml.ts";
import { ScriptError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import type { Deck, Layout } from "./deck.ts";
import { placeholderOf, placeholderType, shapesOf } from "./read-slide.ts";
import type { SlideSpec } from "./slide-spec.ts";

/** In English Metric Units. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A place of a layout that a slide may fill. */
export interface Placeholder {
  readonly type: string;
  readonly index: string | undefined;
  readonly rectangle: Rectangle | undefined;
}

export interface ChosenLayout {
  readonly layout: Layout;
  readonly title: Placeholder | undefined;
  /** Where text goes, in the order of the layout. */
  readonly bodies: readonly Placeholder[];
  /** Where a picture goes, in layouts that have such a place. */
  readonly picture: Placeholder | undefined;
}

/** Picks the layout that a slide names, else the one that fits its content. */
export function chooseLayout(deck: Deck, spec: SlideSpec): ChosenLayout {
  const layouts = deck.layouts.map((layout) => describe(deck, layout));
  if (layouts.length === 0) throw new ScriptError("NO_LAYOUT", `${deck.pkg.file.path} has no slide layouts.`);
  const chosen = spec.layout === undefined ? fitting(layouts, spec) : named(layouts, spec.layout);
  // The list is not empty.
  return chosen ?? (layouts[0] as ChosenLayout);
}

function named(layouts: readonly ChosenLayout[], name: string): ChosenLayout {
  const found = layouts.find(({ layout }) => layout.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = layouts.map(({ layout }) => JSON.stringify(clip(layout.name, 60)));
  throw new ScriptError("NO_LAYOUT", `There is no layout ${JSON.stringify(clip(name, 60))}.`, {
    hint: `Layouts: ${names.slice(0, 30).join(", ")}`,
  });
}

/** By the type first, which programs other than PowerPoint may leave out, then by what the layout has. */
function fitting(layouts: readonly ChosenLayout[], spec: SlideSpec): ChosenLayout | undefined {
  const ofType = (...types: readonly string[]) =>
    types
      .map((type) => layouts.find(({ layout }) => layout.type === type))
      .find((each) => each !== undefined);
  const having = (isTitled: boolean, bodies: number) =>
    layouts.find((each) => (each.title !== undefined) === isTitled && each.bodies.length === bodies);
  const called = (name: string, bodies: number) =>
    layouts.find(
      ({ layout, bodies: places }) => layout.name.toLowerCase() === name && places.length >= bodies,
    );
  switch (spec.kind) {
    case "agenda":
      return called("agenda", 1) ?? ofType("obj", "tx") ?? having(true, 1);
    case "quote":
      return called("quote", 2) ?? ofType("obj", "tx") ?? having(true, 1);
    case "number":
      return called("big number", 2) ?? ofType("obj", "tx") ?? having(true, 1);
    case "closing":
      return called("closing", 1) ?? ofType("title") ?? having(true, 1);
    case "columns": {
      const isHeaded = spec.columns?.some(({ heading }) => heading.length > 0) === true;
      const headed = ofType("twoTxTwoObj");
      const fits = isHeaded && headed !== undefined && headed.bodies.length >= 4;
      return fits ? headed : (ofType("twoObj") ?? having(true, 2) ?? ofType("titleOnly") ?? having(true, 0));
    }
    case "picture": {
      const found = layouts.find(({ layout, picture }) => layout.type === "picTx" && picture !== undefined);
      if (found !== undefined) return found;
      break;
    }
    case "title":
      return ofType("title") ?? having(true, 1);
    case "section":
      return ofType("secHead", "title") ?? having(true, 1);
    case "content":
      break;
  }
  const hasText = spec.lines.length > 0;
  const hasObjects = spec.objects.length > 0;
  if (hasText && hasObjects) return ofType("twoObj") ?? having(true, 2) ?? ofType("obj") ?? having(true, 1);
  if (hasText) return ofType("obj", "tx") ?? having(true, 1);
  if (spec.title.length > 0)
    return ofType("titleOnly") ?? having(true, 0) ?? ofType("obj") ?? having(true, 1);
  return ofType("blank") ?? having(false, 0) ?? ofType("obj");
}

function describe(deck: Deck, layout: Layout): ChosenLayout {
  const shapes = shapesOf(descend(deck.pkg.xml(layout.part), "p:cSld", "p:spTree"));
  const master = deck.related(layout.part, "slideMaster");
  const inherited = master === undefined ? [] : shapesOf(descend(deck.pkg.xml(master), "p:cSld", "p:spTree"));
  const places = shapes.flatMap((shape) => readPlaceholder(shape, inherited));
  return {
    layout,
    title: places.find(({ type }) => type === "title" || type === "ctrTitle"),
    bodies: places.filter(({ type }) => ["obj", "body", "subTitle"].includes(type)),
    picture: places.find(({ type }) => type === "pic"),
  };
}

function readPlaceholder(shape: XmlElement, inherited: readonly XmlElement[]): readonly Placeholder[] {
  const placeholder = placeholderOf(shape);
  const type = placeholderType(shape);
  if (placeholder === undefined || type === undefined) return [];
  const base = type === "ctrTitle" ? "title" : type === "title" ? "title" : "body";
  const parent = inherited.find((each) => placeholderType(each) === base);
  const index = placeholder.hasAttribute("idx") ? placeholder.getAttribute("idx") : undefined;
  return [
    {
      type,
      index,
      rectangle: rectangleOf(shape) ?? (parent === undefined ? undefined : rectangleOf(parent)),
    },
  ];
}

function rectangleOf(shape: XmlElement): Rectangle | undefined {
  const frame = descend(shape, "p:spPr", "a:xfrm");
  const [offset, extent] = [descend(frame, "a:off"), descend(frame, "a:ext")];
  if (offset === undefined || extent === undefined) return undefined;
  const read = (element: XmlElement, name: string) => Number(element.getAttribute(name)) || 0;
  return {
    x: read(offset, "x"),
    y: read(offset, "y"),
    width: read(extent, "cx"),
    height: read(extent, "cy"),
  };
}
