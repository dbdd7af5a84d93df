import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { safeUrl } from "./safe-url.ts";

/** A link that strangers wrote: to a web page, in a tab of its own, and shown as where it leads. Else only its text. */
export function SafeLink({ href, children }: { readonly href: string; readonly children?: ReactNode }) {
  const url = safeUrl(href);
  if (url === undefined) return <span>{children ?? href}</span>;
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer"
      title={url.href}
      className="inline-flex max-w-full items-baseline gap-1 text-accent-strong underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      <span className="min-w-0 break-words">{children ?? url.host}</span>
      <ExternalLink className="size-3 shrink-0 self-center" aria-hidden />
      <span className="sr-only">(opens a new tab)</span>
    </a>
  );
}
