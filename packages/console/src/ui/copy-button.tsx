import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { toastFailure } from "./toast.tsx";

const SHOWN_MS = 1500;

/** Copies a text that the page shows elsewhere. Contract: the label starts with "Copy", the visible text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      window.setTimeout(() => setCopied(false), SHOWN_MS);
    } catch (error) {
      toastFailure(error);
    }
  };
  return (
    <Button
      icon={isCopied ? Check : Copy}
      aria-label={isCopied ? "Copied" : label}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{isCopied ? "Copied" : "Copy"}</span>
    </Button>
  );
}
