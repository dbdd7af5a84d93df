import type { Role } from "@skillhold/protocol";
import { CopyText } from "../../ui/text.tsx";
import { usesOf } from "./token-use.ts";

/** The secret and how to use it. The secret is shown only here. */
export function TokenSecret({ secret, role }: { readonly secret: string; readonly role: Role }) {
  return (
    <div className="space-y-4">
      <p className="text-sm">Copy it now. It is shown only once.</p>
      <div className="rounded-md border border-line-strong bg-raised p-2">
        <CopyText text={secret} label="the token" />
      </div>
      <dl className="space-y-3 text-sm">
        {usesOf(secret, window.location.origin, role).map(({ title, line }) => (
          <div key={title}>
            <dt className="mb-1 text-xs text-muted">{title}</dt>
            <dd className="rounded-md border border-line p-1.5">
              <CopyText text={line} label="the line" />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
