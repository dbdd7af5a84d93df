import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { SearchDocument } from "../search/index.ts";
import type { Precedence } from "../source/source.ts";
import type { Layer } from "./indexed-library.ts";
import { LayeredView } from "./layered-view.ts";
import type { ByteRange, ContentOptions, LibraryChange } from "./library.ts";
import type { SearchTexts } from "./library-search.ts";
import type { FilePart, OpenBundle, Shelf } from "./shelf.ts";

type ShelfLayer = Pick<Layer, "shelf" | "texts">;

/** Several shelves as one; precedence decides between skills with the same id. */
export class LayeredShelf implements Shelf, SearchTexts {
  readonly #layers: readonly ShelfLayer[];
  readonly #precedence: Precedence;
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  readonly #stops: readonly (() => void)[];
  #view: LayeredView;
  /** Each layer at its last reported change, so that changes of other layers are reported in turn. */
  #told: LayeredView;

  /** The order among equal ranks. */
  constructor(layers: readonly ShelfLayer[], precedence: Precedence) {
    this.#layers = layers;
    this.#precedence = precedence;
    this.#view = this.#look();
    this.#told = this.#view;
    this.#stops = layers.map(({ shelf }, index) => shelf.onChange((change) => this.#pass(change, index)));
  }

  async refresh(): Promise<void> {
    await Promise.all(this.#layers.map(({ shelf }) => shelf.refresh()));
  }

  view(): LayeredView {
    if (!this.#view.isOf(this.#layers.map(({ shelf }) => shelf.view()))) this.#view = this.#look();
    return this.#view;
  }

  async open(entry: SkillEntry, options?: ContentOptions): Promise<OpenBundle> {
    const { layer, current } = this.#owner(entry);
    return await layer.shelf.open(current, options);
  }

  async readFile(entry: SkillEntry, path: string, range: Required<ByteRange>): Promise<FilePart> {
    const { layer, current } = this.#owner(entry);
    return await layer.shelf.readFile(current, path, range);
  }

  async copy(entry: SkillEntry, folder: string): Promise<Digest> {
    const { layer, current } = this.#owner(entry);
    return await layer.shelf.copy(current, folder);
  }

  keyOf(entry: SkillEntry): string {
    return this.#layers[this.#view.ownerOf(entry) ?? -1]?.texts.keyOf(entry) ?? entry.skillHash;
  }

  document(entry: SkillEntry): SearchDocument | undefined | Promise<SearchDocument | undefined> {
    return this.#layers[this.#view.ownerOf(entry) ?? -1]?.texts.document(entry);
  }

  body(entry: SkillEntry): string | undefined | Promise<string | undefined> {
    return this.#layers[this.#view.ownerOf(entry) ?? -1]?.texts.body(entry);
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    for (const stop of this.#stops) stop();
  }

  #look(): LayeredView {
    return new LayeredView(
      this.#layers.map(({ shelf }) => shelf.view()),
      this.#precedence,
    );
  }

  /** The current owner of the skill, which may differ from the one at lookup. */
  #owner(entry: SkillEntry): { readonly layer: ShelfLayer; readonly current: SkillEntry } {
    const layer = this.#layers[this.view().ownerOf(entry) ?? -1];
    const current = layer?.shelf.view().find(entry.id);
    if (layer === undefined || current === undefined)
      throw new SkillError("SKILL_NOT_FOUND", `The skill ${entry.id} no longer exists.`);
    return { layer, current: current.source === entry.source ? entry : current };
  }

  /** Reports a layer's change as far as it affects current skills. */
  #pass(change: LibraryChange, layer: number): void {
    const before = this.#told;
    const after = before.with(layer, this.#layers[layer]?.shelf.view());
    this.#told = after;
    const added: string[] = [];
    const changed: string[] = [];
    const removed: string[] = [];
    for (const id of [...change.added, ...change.changed, ...change.removed]) {
      const [last, next] = [before.find(id), after.find(id)];
      if (last === undefined && next !== undefined) added.push(id);
      else if (last !== undefined && next === undefined) removed.push(id);
      else if (last !== next || after.owner(id) === layer) changed.push(id);
    }
    const broken = change.broken.filter(({ id }) => after.owner(id) === layer);
    if (added.length + changed.length + removed.length + broken.length === 0) return;
    const merged = { added: added.sort(), changed: changed.sort(), removed: removed.sort(), broken };
    for (const listener of this.#listeners) listener(merged);
  }
}
