import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./button.tsx";
import { toastFailure } from "./toast.tsx";

/** A command, all of it to be read, with the way to copy it. */
export function CommandLine({ line }: { readonly line: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(line);
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-bg p-1 pl-2.5">
      <code className="min-w-0 flex-1 py-1.5 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {line}
      </code>
      <IconButton
        icon={isCopied ? Check : Copy}
        label={isCopied ? "Copied" : "Copy the command"}
        onClick={() => copy().catch(toastFailure)}
      />
    </div>
  );
}
