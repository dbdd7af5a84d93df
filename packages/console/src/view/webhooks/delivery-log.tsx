import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { IconButton } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, Mono } from "../../ui/text.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import { DeliveryBadge } from "./delivery-state.tsx";

type Delivery = Answer<"GET /v1/webhooks/{webhook}/deliveries">["deliveries"][number];

const states = ["delivered", "pending", "failed"] as const;

/** The notifications of a webhook, newest first. */
export function DeliveryLog({ webhook, name }: { readonly webhook: string; readonly name: string }) {
  const [state, setState] = useState<Delivery["state"]>();
  const params = { webhook };
  const { data, error, refetch } = useApi(
    "GET /v1/webhooks/{webhook}/deliveries",
    { params, ...(state === undefined ? {} : { query: { state } }) },
    { keep: true, polls: ({ deliveries }) => deliveries.some((each) => each.state === "pending") },
  );
  const redeliver = useChange("POST /v1/webhooks/{webhook}/deliveries/{delivery}/redeliver", [
    "GET /v1/webhooks",
    "GET /v1/webhooks/{webhook}/deliveries",
  ]);
  const again: Column<Delivery> = {
    title: "Send again",
    isAction: true,
    show: ({ id, type }) => (
      <IconButton
        icon={RotateCw}
        label={`Send ${type} again`}
        onClick={() => redeliver.mutate({ params: { webhook, delivery: id } }, { onError: toastFailure })}
      />
    ),
  };
  return (
    <Panel title={`Notifications to ${name}`}>
      <div className="flex items-center gap-2 px-4 py-2">
        <Select
          aria-label="State of the notifications"
          className="w-auto"
          value={state ?? ""}
          onChange={({ target }) => setState(states.find((each) => each === target.value))}
        >
          <option value="">all</option>
          {states.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonRows count={2} />}
      {data?.deliveries.length === 0 && (
        <p className="px-4 pb-3 text-sm text-muted">No notifications. Send a test.</p>
      )}
      {data !== undefined && data.deliveries.length > 0 && (
        <Table
          label="List of notifications"
          columns={[...columns, again]}
          rows={data.deliveries}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  );
}

const columns: readonly Column<Delivery>[] = [
  {
    title: "Event",
    show: ({ type, body }) => (
      <details>
        <summary className="cursor-pointer font-medium">{type}</summary>
        <Mono className="block max-w-xl pt-1 break-all text-muted">{body}</Mono>
      </details>
    ),
  },
  {
    title: "State",
    show: (delivery) => (
      <span className="space-y-0.5">
        <DeliveryBadge {...delivery} />
        {delivery.error !== undefined && (
          <span className="block max-w-md text-xs break-words text-muted">{delivery.error}</span>
        )}
      </span>
    ),
  },
  {
    title: "Attempts",
    isMinor: true,
    show: ({ attempts, dueAt }) => (
      <>
        <span className="tabular-nums">{attempts}</span>
        {dueAt !== undefined && attempts > 0 && (
          <span className="text-muted">
            , next <Ago at={dueAt} />
          </span>
        )}
      </>
    ),
  },
  { title: "Created", isMinor: true, show: ({ createdAt }) => <Ago at={createdAt} /> },
];
