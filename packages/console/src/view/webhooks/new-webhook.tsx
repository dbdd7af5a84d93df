import { WebhookTopic } from "@skillhold/protocol";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { CopyText } from "../../ui/text.tsx";

const topics: Readonly<Record<WebhookTopic, string>> = {
  proposals: "Proposals and their reviews",
  approvals: "Runs that wait for an approval",
  promotions: "Workflows that agents promote to skills",
};

export interface NewWebhookProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Adds a webhook, and shows its signing secret once. */
export function NewWebhook({ isOpen, onClose }: NewWebhookProps) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [chosen, setChosen] = useState<readonly WebhookTopic[]>(WebhookTopic.options);
  const [secret, setSecret] = useState<string>();
  const add = useChange("POST /v1/webhooks", ["GET /v1/webhooks"]);
  const close = () => {
    setName("");
    setUrl("");
    setChosen(WebhookTopic.options);
    setSecret(undefined);
    add.reset();
    onClose();
  };
  if (secret !== undefined)
    return (
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Signing secret"
        isKept
        footer={
          <Button look="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <div className="space-y-4 text-sm">
          <p>
            Copy it now. It is shown only once. The receiver verifies the signature of each notification with
            it.
          </p>
          <div className="rounded-md border border-line-strong bg-raised p-2">
            <CopyText text={secret} label="the signing secret" />
          </div>
        </div>
      </Dialog>
    );
  const send = () =>
    add.mutate(
      { body: { name, url, topics: [...chosen] } },
      { onSuccess: (added) => setSecret(added.secret) },
    );
  const choose = (topic: WebhookTopic, isChosen: boolean) =>
    setChosen(WebhookTopic.options.filter((each) => (each === topic ? isChosen : chosen.includes(each))));
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={close}
      title="New webhook"
      action="Add"
      onSubmit={send}
      isReady={name.trim() !== "" && url.trim() !== "" && chosen.length > 0}
      isBusy={add.isPending}
      error={add.error}
    >
      <Field label="Name" note="For example, the channel that it writes to.">
        <Input value={name} onChange={({ target }) => setName(target.value)} maxLength={256} />
      </Field>
      <Field
        label="Address"
        note="An https address. The gateway rejects private hosts that its operator does not name."
      >
        <Input
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          maxLength={2048}
          inputMode="url"
          placeholder="https://chat.example.org/hooks/skills"
          spellCheck={false}
        />
      </Field>
      <fieldset className="space-y-1">
        <legend className="text-sm font-medium">Topics</legend>
        {WebhookTopic.options.map((topic) => (
          <label key={topic} className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={chosen.includes(topic)}
              onChange={({ target }) => choose(topic, target.checked)}
              className="accent-(--accent)"
            />
            {topics[topic]}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
