import { BookOpen, FileJson, Gauge, type LucideIcon } from "lucide-react";
import { Button, LinkButton } from "../../ui/button.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import { type GatewayDocument, openDocument } from "./open-document.ts";

const documents: readonly (readonly [GatewayDocument, string, LucideIcon])[] = [
  ["/openapi.json", "OpenAPI", FileJson],
  ["/metrics", "Prometheus metrics", Gauge],
];

/** What the gateway says of itself to programs, to look at. */
export function DocumentLinks() {
  return (
    <div className="flex flex-wrap gap-2 border-t border-line px-4 py-3">
      <LinkButton href="/api" icon={BookOpen}>
        API
      </LinkButton>
      {documents.map(([path, title, icon]) => (
        <Button key={path} icon={icon} onClick={() => void openDocument(path).catch(toastFailure)}>
          {title}
        </Button>
      ))}
    </div>
  );
}
