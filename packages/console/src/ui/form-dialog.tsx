import { type ReactNode, useId } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./state.tsx";

export interface FormDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly onSubmit: () => void;
  /** Whether everything is there that it needs. */
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** The fields. */
  readonly children: ReactNode;
}

/** Asks for a few things and sends them, by the button or by Enter. */
export function FormDialog(props: FormDialogProps) {
  const { isOpen, onClose, title, action, onSubmit, isReady, isBusy, error, children } = props;
  const id = useId();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="mb-3 space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
      </form>
      {error !== null && <Failure error={error} isCompact />}
    </Dialog>
  );
}
