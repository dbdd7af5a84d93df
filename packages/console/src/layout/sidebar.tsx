import { Link, useLocation } from "wouter";
import { useMe } from "../api/session.tsx";
import { useApi } from "../api/use-api.ts";
import { classNames } from "../ui/class-names.ts";
import { type View, viewAt, views } from "./view-table.ts";

const groups = ["Skills", "Run", "Team"] as const;

/** The views available to the signed-in user. */
export function Sidebar({ onChoose }: { readonly onChoose?: () => void }) {
  const { role } = useMe();
  const mine = views.filter(({ roles }) => roles.includes(role));
  return (
    <nav aria-label="Views" className="flex flex-col gap-4 px-2 py-3">
      {groups.map((group) => (
        <div key={group}>
          <p className="px-2 pb-1 text-xs font-medium text-faint">{group}</p>
          <ul className="space-y-px">
            {mine
              .filter((view) => view.group === group)
              .map((view) => (
                <li key={view.href}>
                  <ViewLink view={view} {...(onChoose === undefined ? {} : { onChoose })} />
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function ViewLink({ view, onChoose }: { readonly view: View; readonly onChoose?: () => void }) {
  const [place] = useLocation();
  const { name, href, icon: Icon } = view;
  const isHere = viewAt(place) === view;
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : undefined}
      onClick={onChoose}
      className={classNames(
        "flex h-8 items-center gap-2.5 rounded-md px-2 text-sm",
        isHere ? "bg-raised font-medium text-ink" : "text-muted hover:bg-raised hover:text-ink",
      )}
    >
      <Icon className={classNames("size-4", isHere && "text-accent")} aria-hidden />
      <span className="flex-1">{name}</span>
      {href === "/approvals" && <OpenQuestions />}
      {href === "/proposals" && <OpenProposals />}
    </Link>
  );
}

function OpenQuestions() {
  const { data } = useApi("GET /v1/approvals");
  return <OpenCount open={data?.questions.filter(({ mayAnswer }) => mayAnswer).length ?? 0} />;
}

function OpenProposals() {
  const { data } = useApi("GET /v1/proposals", { query: { waiting: "true" } });
  return <OpenCount open={data?.proposals.length ?? 0} />;
}

function OpenCount({ open }: { readonly open: number }) {
  if (open === 0) return null;
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs font-medium text-on-accent tabular-nums">
      {open}
      <span className="sr-only"> open</span>
    </span>
  );
}
