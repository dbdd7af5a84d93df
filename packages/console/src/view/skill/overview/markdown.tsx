import { Image } from "lucide-react";
import type { ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { Link } from "wouter";
import { SafeLink } from "../../../ui/safe-link.tsx";
import { fileHref } from "../files/file-address.ts";
import { targetOf } from "./link-target.ts";

/** Instructions as a reader sees them. They are a stranger's: no HTML of theirs, no picture from elsewhere. */
export function Markdown({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <div className="space-y-3 text-sm leading-6 break-words">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize]}
        // Addresses are judged where links are made.
        urlTransform={(url) => url}
        components={{
          ...looks,
          a: ({ href, children }) => (
            <TextLink id={id} href={href}>
              {children}
            </TextLink>
          ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

interface TextLinkProps {
  readonly id: string;
  readonly href: string | undefined;
  readonly children?: ReactNode;
}

function TextLink({ id, href = "", children }: TextLinkProps) {
  const target = targetOf(href);
  if (target.kind === "page") return <SafeLink href={target.href}>{children}</SafeLink>;
  if (target.kind === "nowhere") return <span>{children}</span>;
  return (
    <Link
      href={fileHref(id, target.path)}
      className="text-accent-strong underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {children}
    </Link>
  );
}

/** One level below the page's own headings. */
const looks: Components = {
  h1: ({ children }) => <h3 className="pt-2 text-lg font-semibold tracking-tight first:pt-0">{children}</h3>,
  h2: ({ children }) => <h4 className="pt-3 text-base font-semibold tracking-tight">{children}</h4>,
  h3: ({ children }) => <h5 className="pt-2 font-semibold">{children}</h5>,
  h4: ({ children }) => <h6 className="pt-1 font-semibold text-muted">{children}</h6>,
  h5: ({ children }) => <p className="pt-1 font-semibold text-muted">{children}</p>,
  h6: ({ children }) => <p className="pt-1 font-semibold text-muted">{children}</p>,
  ul: ({ children }) => <ul className="list-disc space-y-1 pl-5 marker:text-faint">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal space-y-1 pl-6 marker:text-muted">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-muted">{children}</blockquote>
  ),
  hr: () => <hr className="border-line" />,
  code: ({ children }) => (
    <code className="rounded bg-raised px-1 py-0.5 font-mono text-[0.92em] break-words">{children}</code>
  ),
  pre: ({ children }) => (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-line bg-bg p-3 text-xs leading-5 [&_code]:bg-transparent [&_code]:p-0 [&_code]:break-normal"
    >
      {children}
    </pre>
  ),
  table: ({ children }) => (
    // Not a landmark: a text may have many tables.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <div tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-left">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="border-b border-line-strong px-2 py-1 font-semibold">{children}</th>,
  td: ({ children }) => <td className="border-b border-line px-2 py-1 align-top">{children}</td>,
  img: ({ alt }) => (
    <span className="inline-flex items-center gap-1 rounded border border-line px-1.5 text-xs text-muted">
      <Image className="size-3" aria-hidden />
      {alt === undefined || alt === "" ? "picture" : alt}
    </span>
  ),
  input: ({ checked }) => <span aria-hidden>{checked === true ? "☑ " : "☐ "}</span>,
};
