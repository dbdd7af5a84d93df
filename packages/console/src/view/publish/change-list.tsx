import { Badge, type Tone } from "../../ui/badge.tsx";
import { count } from "../../ui/text.tsx";
import type { Publication } from "./parcel.ts";

type Change = NonNullable<Extract<Publication, { status: "published" | "unchanged" }>["changes"]>[number];

const words: Readonly<Record<Change["change"], readonly [string, Tone]>> = {
  added: ["added", "good"],
  removed: ["removed", "bad"],
  changed: ["changed", "info"],
  mode: ["exec bit", "warn"],
};

/** Which files differ from the revision that counts now. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <details open={changes.length <= 12}>
      <summary className="text-sm text-muted hover:text-ink">
        {count(changes.length, "file")} {changes.length === 1 ? "differs" : "differ"} from the current
        revision
      </summary>
      <ul className="mt-2 max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
        {changes.map(({ path, change }) => (
          <li key={path} className="flex items-center gap-3 px-3 py-1.5">
            <span className="w-18 shrink-0">
              <Badge tone={words[change][1]}>{words[change][0]}</Badge>
            </span>
            <span className="min-w-0 font-mono text-xs break-all">{path}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
