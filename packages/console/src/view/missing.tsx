import { Compass, LayoutList } from "lucide-react";
import { LinkButton } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/state.tsx";

export function Missing() {
  return (
    <Page title="Page not found">
      <Empty
        icon={Compass}
        title="Nothing at this address"
        action={
          <LinkButton href="/skills" icon={LayoutList}>
            All skills
          </LinkButton>
        }
      >
        Check the address. What it showed may have been removed.
      </Empty>
    </Page>
  );
}
