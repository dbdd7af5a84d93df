import { CircleAlert, CircleCheck, CircleHelp, LoaderCircle } from "lucide-react";
import { Link } from "wouter";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Mono } from "../../../ui/text.tsx";
import { fileHref } from "../files/file-address.ts";
import type { InstallState } from "./install-state.ts";
import type { Need } from "./need.ts";

export interface NeedRowProps {
  readonly id: string;
  readonly need: Need;
  readonly state: InstallState | undefined;
  readonly isBusy: boolean;
  /** Undefined when the user may not install. */
  readonly onInstall: ((dep: string) => void) | undefined;
}

const looks = {
  ok: { icon: CircleCheck, color: "text-good", word: "found" },
  missing: { icon: CircleAlert, color: "text-bad", word: "missing" },
  unknown: { icon: CircleHelp, color: "text-warn", word: "unknown" },
} as const;

/** One dependency of a skill. */
export function NeedRow({ id, need, state, isBusy, onInstall }: NeedRowProps) {
  const { icon: Icon, color, word } = looks[need.status];
  const { install } = need;
  const isRunning = state?.state === "running";
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-2.5">
      {isRunning ? (
        <LoaderCircle className="mt-0.5 size-4 shrink-0 animate-spin text-accent" aria-hidden />
      ) : (
        <Icon className={`mt-0.5 size-4 shrink-0 ${color}`} aria-hidden />
      )}
      <div className="min-w-0 flex-1 basis-48 space-y-0.5 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-all">{need.name}</span>
          <Badge>{need.kind}</Badge>
          {need.optional && <Badge title="The skill works without it">optional</Badge>}
          <span className="text-muted" aria-live="polite">
            {isRunning ? "installing" : word}
          </span>
        </p>
        <Seen id={id} need={need} />
        {state?.state === "failed" && <p className="break-words text-bad">{state.error}</p>}
        {need.status === "missing" && install === undefined && (
          <p className="text-muted">Install it on the gateway's machine; it cannot be installed from here.</p>
        )}
      </div>
      {install !== undefined && onInstall !== undefined && (
        <Button isBusy={isRunning} disabled={isBusy} onClick={() => onInstall(install)}>
          Install <Mono>{install}</Mono>
        </Button>
      )}
    </li>
  );
}

const MOST_SEEN = 3;

/** Why it is needed: where its code or its manifests name it. */
function Seen({ id, need: { seen, declared } }: Pick<NeedRowProps, "id" | "need">) {
  if (seen.length === 0)
    return <p className="text-xs text-muted">{declared ? "SKILL.md or a manifest names it." : ""}</p>;
  return (
    <p className="text-xs break-all text-muted">
      {declared ? "Named in " : "Used in "}
      {seen.slice(0, MOST_SEEN).map(({ file, line }, at) => (
        <span key={`${file} ${line}`}>
          {at > 0 && ", "}
          <Link
            href={fileHref(id, file, { line })}
            className="font-mono underline underline-offset-2 hover:text-ink"
          >
            {file}:{line}
          </Link>
        </span>
      ))}
      {seen.length > MOST_SEEN && ` and ${seen.length - MOST_SEEN} more`}
    </p>
  );
}
