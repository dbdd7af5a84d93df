import { useSyncExternalStore } from "react";
import { upload } from "../../api/upload.ts";
import { queries } from "../../api/use-api.ts";
import { formatBytes } from "../../ui/text.tsx";
import type { Dropped } from "./dropped.ts";
import { type Parcel, type Publication, publishable, refusalOf, type Step } from "./parcel.ts";

type Limits = Readonly<Record<string, number>>;

/** The data of a parcel that is not shown. */
interface Cargo {
  readonly blob?: Blob;
  readonly calling: AbortController;
}

let parcels: readonly Parcel[] = [];
let last = 0;
const cargo = new Map<number, Cargo>();
const listeners = new Set<() => void>();
/** Mutations of one scope run one at a time: parallel uploads would slow each other down. */
const scope = { id: "upload" };

function set(value: readonly Parcel[]): void {
  parcels = value;
  for (const listener of listeners) listener();
}

function change(key: number, part: Partial<Parcel>): void {
  set(parcels.map((each) => (each.key === key ? { ...each, ...part } : each)));
}

function step(key: number, state: Step): void {
  change(key, { state });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The dropped parcels that the user has not cleared. They stay while the user visits other views. */
export function useParcels(): readonly Parcel[] {
  return useSyncExternalStore(subscribe, () => parcels);
}

/** The archive of a parcel; undefined until it is packed. */
export function archiveOf(key: number): Blob | undefined {
  return cargo.get(key)?.blob;
}

/** Adds dropped items: the browser inspects each one, then the gateway tests it. */
export function addParcels(dropped: readonly Dropped[], limits: Limits): void {
  for (const each of dropped) void take(each, limits);
}

async function take(dropped: Dropped, limits: Limits): Promise<void> {
  last += 1;
  const key = last;
  cargo.set(key, { calling: new AbortController() });
  set([...parcels, { ...emptyParcel(dropped), key }]);
  const why = refusalOf(dropped, limits);
  if (why !== undefined || dropped.kind === "unknown") return step(key, { step: "stuck", why: why ?? "" });
  try {
    const { inspect } = await import("./inspect.ts");
    const { blob, skills, paths, trouble } = await inspect(dropped, limits);
    change(key, { skills, paths, trouble, bytes: blob.size });
    const stuck = problemOf(blob, { skills, trouble }, limits);
    if (stuck !== undefined) return step(key, { step: "stuck", why: stuck });
    const held = cargo.get(key);
    // The user cleared the parcel in the meantime.
    if (held === undefined) return;
    cargo.set(key, { ...held, blob });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return step(key, { step: "stuck", why: `Cannot be read: ${detail}` });
  }
  tryOut(key);
}

function emptyParcel(dropped: Dropped): Omit<Parcel, "key"> {
  return {
    name: dropped.name,
    kind: dropped.kind === "folder" ? "folder" : "archive",
    bytes: undefined,
    skills: [],
    paths: [],
    skipped: dropped.kind === "folder" ? dropped.skipped : [],
    trouble: undefined,
    results: undefined,
    id: undefined,
    state: { step: "reading" },
  };
}

function problemOf(
  { size }: Blob,
  { skills, trouble }: Pick<Parcel, "skills" | "trouble">,
  { archiveBytes = Number.POSITIVE_INFINITY, archiveSkills = Number.POSITIVE_INFINITY }: Limits,
): string | undefined {
  if (size > archiveBytes)
    return `It is ${formatBytes(size)} packed; the limit is ${formatBytes(archiveBytes)}.`;
  if (skills.length > archiveSkills)
    return `It has ${skills.length} skills; the limit is ${archiveSkills} at once.`;
  if (trouble === undefined && skills.length === 0)
    return "No SKILL.md found, at the top or in a folder whose name does not start with _.";
  return undefined;
}

/** Asks the gateway for a dry run of the publication. */
export function tryOut(key: number, id?: string): void {
  if (id !== undefined) change(key, { id });
  queue(key, true);
}

/** Publishes it. Contract: it was tried out. */
export function publish(key: number): void {
  queue(key, false);
}

export function publishAll(): void {
  for (const parcel of parcels) if (publishable(parcel) > 0) publish(parcel.key);
}

export function removeParcel(key: number): void {
  cargo.get(key)?.calling.abort();
  cargo.delete(key);
  set(parcels.filter((each) => each.key !== key));
}

export function clearParcels(): void {
  for (const { key } of parcels) removeParcel(key);
}

function queue(key: number, isDryRun: boolean): void {
  step(key, { step: "sending", isDryRun, part: 0 });
  const mutationFn = () => send(key, isDryRun);
  void queries.getMutationCache().build(queries, { scope, mutationFn }).execute(undefined);
}

/** Contract: never throws; a failure is shown on the parcel. */
async function send(key: number, isDryRun: boolean): Promise<void> {
  const parcel = parcels.find((each) => each.key === key);
  const { blob, calling } = cargo.get(key) ?? {};
  if (parcel === undefined || blob === undefined || calling === undefined) return;
  const { name, id } = parcel;
  try {
    const { skills } = await upload(blob, {
      query: {
        ...(isDryRun ? { dryRun: "true" } : {}),
        ...(id === undefined ? {} : { id }),
        filename: name.slice(0, 256),
      },
      signal: calling.signal,
      onProgress: (part) => step(key, { step: "sending", isDryRun, part }),
    });
    change(key, { results: skills, state: { step: isDryRun ? "tried" : "published" } });
    if (isDryRun) return;
    for (const other of outdatedBy(key, skills)) tryOut(other.key);
    for (const queryKey of [["GET /v1/skills"], ["change"]]) void queries.invalidateQueries({ queryKey });
  } catch (error) {
    step(key, {
      step: "failed",
      isDryRun,
      error: error instanceof Error ? error : new Error(String(error)),
    });
  }
}

/** The tested parcels whose results are outdated by a new revision of the same skill. */
function outdatedBy(key: number, published: readonly Publication[]): readonly Parcel[] {
  const ids = new Set<string | undefined>(
    published.flatMap(({ status, id }) => (status === "published" ? [id] : [])),
  );
  return parcels.filter(
    ({ key: other, state, results = [] }) =>
      other !== key && state.step === "tried" && results.some(({ id }) => ids.has(id)),
  );
}
