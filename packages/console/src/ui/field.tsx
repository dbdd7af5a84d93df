import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";
import { classNames } from "./class-names.ts";

const box =
  "w-full rounded-md border border-line-strong bg-panel text-ink placeholder:text-faint disabled:opacity-60 aria-invalid:border-bad";

export interface FieldProps {
  readonly label: string;
  readonly note?: ReactNode;
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** A label around what it names, so that both are one for everyone. */
export function Field({ label, note, error, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label className="block space-y-1">
      <span className="block text-sm font-medium">{label}</span>
      {children}
      {note !== undefined && <span className="block text-xs text-muted">{note}</span>}
      {error !== undefined && <span className="block text-xs text-bad">{error}</span>}
    </label>
  );
}

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input className={classNames(box, "h-8 px-2.5 text-sm", className)} {...rest} />;
}

export function TextArea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea className={classNames(box, "px-2.5 py-1.5 text-sm", className)} {...rest} />;
}

export function Select({ className, children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <select className={classNames(box, "h-8 px-2 text-sm", className)} {...rest}>
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
