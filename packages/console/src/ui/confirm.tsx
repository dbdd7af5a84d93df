import { useId, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field, Input } from "./field.tsx";

export interface ConfirmProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** What must be typed first, for what cannot be taken back easily. */
  readonly word?: string;
  readonly isBusy?: boolean;
}

/** Asks before something is done. */
export function Confirm({
  isOpen,
  onClose,
  onConfirm,
  title,
  text,
  action,
  word,
  isBusy = false,
}: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const id = useId();
  const confirm = () => {
    setTyped("");
    onConfirm();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            type="submit"
            form={id}
            isBusy={isBusy}
            disabled={word !== undefined && typed !== word}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && (word === undefined || typed === word)) confirm();
        }}
      >
        <p className="text-sm">{text}</p>
        {word !== undefined && (
          <div className="mt-3">
            <Field label={`Type ${word} to confirm`}>
              <Input
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
                autoComplete="off"
                spellCheck={false}
              />
            </Field>
          </div>
        )}
      </form>
    </Dialog>
  );
}
