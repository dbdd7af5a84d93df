import { Compass } from "lucide-react";
import { Link } from "wouter";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/state.tsx";

export function Missing() {
  return (
    <Page title="Nothing is here">
      <Empty
        icon={Compass}
        title="There is no such view"
        action={
          <Link href="/skills" className="text-accent hover:underline">
            Go to the skills
          </Link>
        }
      >
        The address may be misspelt, or what it showed may be gone.
      </Empty>
    </Page>
  );
}
