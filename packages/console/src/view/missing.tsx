import { Compass } from "lucide-react";
import { Link } from "wouter";
import { Empty } from "../ui/state.tsx";

export function Missing() {
  return (
    <Empty icon={Compass} title="There is no such view" action={<Link href="/skills">Go to the skills</Link>}>
      The address may be misspelt, or what it showed may be gone.
    </Empty>
  );
}
