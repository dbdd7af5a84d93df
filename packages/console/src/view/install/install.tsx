import { Download, Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "wouter";
import type { CallInput } from "../../api/client.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Failure } from "../../ui/state.tsx";
import { count } from "../../ui/text.tsx";
import { toast } from "../../ui/toast.tsx";
import { isInstallable, type Preview, resultsOf } from "./preview.ts";
import { PreviewCard } from "./preview-card.tsx";
import { type Step, useStep } from "./use-step.ts";

/** Installs skills from a source: look at them first, then install the chosen ones. */
export function Install() {
  const [search, setSearch] = useSearchParams();
  const [source, setSource] = useState(search.get("source") ?? "");
  const step = useStep();
  const look = useChange("POST /v1/skills/install");
  const wanted = { skill: search.get("skill"), id: search.get("id") };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isLinked = source === search.get("source");
    const narrowed = isLinked ? narrow(wanted) : {};
    if (!isLinked) setSearch({ source }, { replace: true });
    look.mutate({ body: { source: source.trim(), progress: step.request, ...narrowed } });
  };
  return (
    <Page
      title="Install"
      about="Paste a source to see its skills. They are fetched and checked, and are installed only after you agree."
    >
      <Panel title="Source">
        <form onSubmit={submit} className="flex flex-wrap items-end gap-3 px-4 py-3">
          <div className="min-w-0 flex-1 basis-72">
            <Field
              label="Source"
              note="Such as owner/repo, an https address, clawhub:@owner/slug, npm:name or oci://host/repository:tag."
            >
              <Input
                value={source}
                onChange={({ target }) => setSource(target.value)}
                autoComplete="off"
                spellCheck={false}
              />
            </Field>
          </div>
          <Button
            type="submit"
            look="primary"
            icon={Search}
            isBusy={look.isPending}
            disabled={source.trim() === ""}
          >
            Look
          </Button>
        </form>
        <p role="status" className="px-4 pb-3 text-sm text-muted empty:hidden">
          {look.isPending ? step.text : ""}
        </p>
      </Panel>
      {look.error !== null && <Failure error={look.error} />}
      {look.data !== undefined && look.variables?.body !== undefined && (
        <Found key={look.submittedAt} answer={look.data} asked={look.variables.body} step={step} />
      )}
    </Page>
  );
}

function narrow({ skill, id }: { readonly skill: string | null; readonly id: string | null }) {
  return { ...(skill === null ? {} : { skills: [skill] }), ...(id === null ? {} : { id }) };
}

interface FoundProps {
  readonly answer: { readonly previews: readonly Preview[] } & Parameters<typeof resultsOf>[0];
  readonly asked: NonNullable<CallInput<"POST /v1/skills/install">["body"]>;
  readonly step: Step;
}

function Found({ answer, asked: { source, id, skills }, step }: FoundProps) {
  const installable = answer.previews.filter(isInstallable);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(installable.map((each) => each.id)));
  const install = useChange("POST /v1/skills/install", ["GET /v1/skills", "GET /v1/installed"]);
  const done = resultsOf(install.data);
  const failures = answer.skills.flatMap((each) => (each.status === "failed" ? [each] : []));
  const send = (previews: readonly Preview[], now: boolean) =>
    install.mutate(
      {
        body: {
          source,
          progress: step.request,
          // With another id, the skill is named by its place in the source.
          ...(id === undefined ? { skills: previews.map((each) => each.id) } : { id, skills }),
          approved: Object.fromEntries(previews.map((each) => [each.id, each.treeHash])),
          ...(previews.some(({ plan }) => plan === "replace") ? { replace: true } : {}),
          ...(now ? { now } : {}),
        },
      },
      {
        onSuccess: ({ skills: results }) => {
          const installed = results.filter(
            ({ status }) => status !== "failed" && status !== "waiting",
          ).length;
          if (installed > 0) toast(`${count(installed, "skill")} installed`);
        },
      },
    );
  const selected = installable.filter((each) => chosen.has(each.id));
  return (
    <>
      <Panel
        title={count(answer.previews.length, "skill")}
        actions={
          installable.length > 0 && (
            <Button
              look="primary"
              icon={Download}
              isBusy={install.isPending}
              disabled={selected.length === 0}
              onClick={() => send(selected, false)}
            >
              Install {count(selected.length, "skill")}
            </Button>
          )
        }
      >
        <p role="status" className="px-4 pt-3 text-sm text-muted empty:hidden">
          {install.isPending ? step.text : ""}
        </p>
        {install.error !== null && <Failure error={install.error} />}
        <ul className="divide-y divide-line">
          {answer.previews.map((preview) => (
            <PreviewCard
              key={preview.id}
              preview={preview}
              isChosen={chosen.has(preview.id)}
              onChoose={(isChosen) =>
                setChosen((before) => {
                  const next = new Set(before);
                  if (isChosen) next.add(preview.id);
                  else next.delete(preview.id);
                  return next;
                })
              }
              result={done.get(preview.id)}
              onInstallNow={() => send([preview], true)}
            />
          ))}
        </ul>
      </Panel>
      {failures.length + answer.notes.length > 0 && (
        <Panel title="Not offered">
          <ul className="divide-y divide-line text-sm">
            {failures.map((each) => (
              <li key={each.id} className="space-y-1 px-4 py-2.5 break-words">
                <p>
                  <span className="font-semibold">{each.id}</span>: {each.error.message}
                </p>
                <p className="text-muted">{each.error.hint}</p>
              </li>
            ))}
            {answer.notes.map((note) => (
              <li key={note} className="px-4 py-2.5 break-words text-muted">
                {note}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}
