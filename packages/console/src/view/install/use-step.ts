import type { InstallProgressStep } from "@skillhold/protocol/http";
import { useCallback, useState } from "react";
import { useInstallSteps } from "../../api/live.ts";

const names = {
  resolving: "Looking at the source",
  fetching: "Fetching",
  checking: "Checking",
  installing: "Installing",
  done: "",
} as const;

export interface Step {
  /** The name that progress is sent under. */
  readonly request: string;
  /** Empty when no step is running. */
  readonly text: string;
}

/** The step that an install of this page is at. */
export function useStep(): Step {
  const [request] = useState(() => crypto.randomUUID());
  const [text, setText] = useState("");
  const listen = useCallback(
    (step: InstallProgressStep) => {
      if (step.request === request) setText(describeStep(step));
    },
    [request],
  );
  useInstallSteps(listen);
  return { request, text };
}

export function describeStep({ stage, skill, done, total }: InstallProgressStep): string {
  const name = names[stage];
  const place = total !== undefined && total > 1 && done !== undefined ? ` (${done + 1} of ${total})` : "";
  return name === "" ? "" : `${name}${skill === undefined ? "" : ` ${skill}`}${place}…`;
}
