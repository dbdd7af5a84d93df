import { Link } from "wouter";
import { useApi } from "../../api/use-api.ts";
import { Dot } from "../../ui/badge.tsx";

/** Why a skill in a folder is not in the list at all. */
const states = [
  { state: "invalid", title: "Invalid", about: "Folders with a SKILL.md that cannot be loaded" },
  { state: "shadowed", title: "Shadowed", about: "Hidden by another skill with the same id" },
] as const;

/** Cards for skills that are in a folder but not in the list; empty when every skill is listed. */
export function LeftOut() {
  const { data } = useApi("GET /v1/explain");
  const all = data?.explanations ?? [];
  return states.map(({ state, title, about }) => {
    const number = all.filter((each) => each.state === state).length;
    if (number === 0) return null;
    return (
      <Link
        key={state}
        href={`/catalogue?state=${state}`}
        title={about}
        className="flex flex-col justify-between rounded-lg border border-line bg-panel px-3 py-2 transition-colors hover:border-line-strong"
      >
        <span className="flex items-center gap-2 text-xs text-muted">
          <Dot tone={state === "invalid" ? "bad" : "warn"} />
          {title}
        </span>
        <span className="text-lg font-semibold tabular-nums">{number}</span>
      </Link>
    );
  });
}
