import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  use,
  useId,
} from "react";
import { classNames } from "./class-names.ts";

const box =
  "w-full rounded-md border border-line-strong bg-panel text-ink placeholder:text-faint disabled:opacity-60 aria-invalid:border-bad";

export interface FieldProps {
  readonly label: string;
  readonly note?: ReactNode;
  readonly error?: string | undefined;
  /** One control from this file: the label names it and the note describes it. */
  readonly children: ReactNode;
}

interface Named {
  readonly id?: string;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid"?: boolean | undefined;
}

/** The ids and state that a field gives its control; empty outside a field. */
const Naming = createContext<Named>({});

/** A control with its label. The note and the error below it are its description, not part of its name. */
export function Field({ label, note, error, children }: FieldProps) {
  const id = useId();
  const about = [
    ...(note === undefined ? [] : [`${id}-note`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  const named: Named = {
    id,
    "aria-describedby": about.length === 0 ? undefined : about.join(" "),
    "aria-invalid": error === undefined ? undefined : true,
  };
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      <Naming value={named}>{children}</Naming>
      {note !== undefined && (
        <p id={`${id}-note`} className="text-xs text-muted">
          {note}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...use(Naming)} className={classNames(box, "h-8 px-2.5 text-sm", className)} {...rest} />;
}

export function TextArea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <textarea {...use(Naming)} className={classNames(box, "px-2.5 py-1.5 text-sm", className)} {...rest} />
  );
}

export function Select({ className, children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <select {...use(Naming)} className={classNames(box, "h-8 px-2 text-sm", className)} {...rest}>
      {children}
    </select>
  );
}

export interface SwitchProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly label: string;
  readonly disabled?: boolean;
}

export function Switch({ isOn, onChange, label, disabled = false }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
      className={classNames(
        "relative inline-flex h-5 w-9 shrink-0 items-center rounded-full border transition-colors disabled:opacity-50",
        isOn ? "border-accent bg-accent" : "border-line-strong bg-raised",
      )}
    >
      <span
        className={classNames(
          "inline-block size-3.5 rounded-full transition-transform",
          isOn ? "translate-x-4.5 bg-on-accent" : "translate-x-0.5 bg-muted",
        )}
      />
    </button>
  );
}
