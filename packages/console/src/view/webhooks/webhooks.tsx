import { History, Pause, Play, Plus, Send, Trash2, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Answer } from "../../api/client.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, Mono } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { DeliveryBadge } from "./delivery-state.tsx";
import { NewWebhook } from "./new-webhook.tsx";

type Webhook = Answer<"GET /v1/webhooks">["webhooks"][number];

/** The servers that the gateway notifies, and the notifications that it sent. */
export function Webhooks() {
  const [search, setSearch] = useSearchParams();
  const { data, error, refetch } = useApi("GET /v1/webhooks", undefined, {
    polls: ({ webhooks }) => webhooks.some(({ last }) => last?.state === "pending"),
  });
  const open = (isOpen: boolean) => setSearch(isOpen ? { new: "" } : {}, { replace: true });
  const webhooks = data?.webhooks ?? [];
  const logged = webhooks.find(({ id }) => id === search.get("log"));
  return (
    <Page
      title="Webhooks"
      about="Other servers, such as a chat, that are notified of proposals, approvals and promotions."
      actions={
        <Button look="primary" icon={Plus} onClick={() => open(true)}>
          New webhook
        </Button>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonRows count={3} />}
      {data !== undefined && (
        <Panel>
          {webhooks.length === 0 ? (
            <Empty
              icon={WebhookIcon}
              title="No webhooks yet"
              action={<Button onClick={() => open(true)}>New webhook</Button>}
            >
              Notifications are signed and have no content of skills.
            </Empty>
          ) : (
            <WebhookTable webhooks={webhooks} />
          )}
        </Panel>
      )}
      {logged !== undefined && <DeliveryLog key={logged.id} webhook={logged.id} name={logged.name} />}
      <NewWebhook isOpen={search.has("new")} onClose={() => open(false)} />
    </Page>
  );
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const [, setSearch] = useSearchParams();
  const [removing, setRemoving] = useState<Webhook>();
  const stale = ["GET /v1/webhooks", "GET /v1/webhooks/{webhook}/deliveries"] as const;
  const change = useChange("PUT /v1/webhooks/{webhook}/enabled", stale);
  const test = useChange("POST /v1/webhooks/{webhook}/test", stale);
  const remove = useChange("DELETE /v1/webhooks/{webhook}", ["GET /v1/webhooks"]);
  const toggle = ({ id, name, isEnabled }: Webhook) =>
    change.mutate(
      { params: { webhook: id }, body: { isEnabled: !isEnabled } },
      { onSuccess: () => toast(`${name} is ${isEnabled ? "paused" : "on"}`), onError: toastFailure },
    );
  const send = ({ id }: Webhook) => {
    setSearch({ log: id }, { replace: true });
    test.mutate({ params: { webhook: id } }, { onError: toastFailure });
  };
  const confirm = ({ id, name }: Webhook) => {
    // The log of a deleted webhook does not exist.
    setSearch({}, { replace: true });
    remove.mutate(
      { params: { webhook: id } },
      { onSuccess: () => toast(`${name} deleted`), onError: toastFailure },
    );
  };
  const act: Column<Webhook> = {
    title: "Actions",
    isAction: true,
    show: (webhook) => (
      <span className="inline-flex">
        <IconButton
          icon={Send}
          label={`Send a test to ${webhook.name}`}
          disabled={!webhook.isEnabled}
          onClick={() => send(webhook)}
        />
        <IconButton
          icon={webhook.isEnabled ? Pause : Play}
          label={`${webhook.isEnabled ? "Pause" : "Resume"} ${webhook.name}`}
          onClick={() => toggle(webhook)}
        />
        <IconButton icon={Trash2} label={`Delete ${webhook.name}`} onClick={() => setRemoving(webhook)} />
      </span>
    ),
  };
  return (
    <>
      <Table label="List of webhooks" columns={[...columns, act]} rows={webhooks} keyOf={({ id }) => id} />
      <Confirm
        isOpen={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => {
          if (removing !== undefined) confirm(removing);
          setRemoving(undefined);
        }}
        title={`Delete ${removing?.name ?? ""}`}
        text="Its log and the notifications that wait are deleted, too. This cannot be undone."
        action="Delete"
      />
    </>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    title: "Name",
    show: ({ id, name }) => (
      <Link
        href={`/webhooks?log=${id}`}
        className="inline-flex items-center gap-1.5 font-medium break-words text-accent-strong underline underline-offset-2"
      >
        <History className="size-3.5 shrink-0" aria-hidden />
        {name}
      </Link>
    ),
  },
  { title: "Address", isMinor: true, show: ({ url }) => <Mono className="break-all">{url}</Mono> },
  {
    title: "Topics",
    isMinor: true,
    show: ({ topics }) => (
      <span className="flex flex-wrap gap-1">
        {topics.map((topic) => (
          <Badge key={topic}>{topic}</Badge>
        ))}
      </span>
    ),
  },
  {
    title: "State",
    show: ({ isEnabled }) => <Badge tone={isEnabled ? "good" : "warn"}>{isEnabled ? "on" : "paused"}</Badge>,
  },
  {
    title: "Last notification",
    show: ({ last }) =>
      last === undefined ? (
        <span className="text-muted">none</span>
      ) : (
        <span className="inline-flex flex-wrap items-center gap-1.5">
          <DeliveryBadge {...last} /> <Ago at={last.at} />
        </span>
      ),
  },
];
