import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useMe } from "../api/session.tsx";
import { viewAt } from "../layout/view-table.ts";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/state.tsx";

/** Shows a view to the roles that may use it; other users see a message instead. */
export function ForRole({ children }: { readonly children: ReactNode }) {
  const [place] = useLocation();
  const { role } = useMe();
  const view = viewAt(place);
  if (view === undefined || view.roles.includes(role)) return children;
  const whose = view.roles.includes("publisher") ? "publishers and administrators" : "administrators";
  return (
    <Page title={view.name}>
      <Empty icon={Lock} title={`Only for ${whose}`}>
        Your role is {role}. Ask an administrator for access.
      </Empty>
    </Page>
  );
}
