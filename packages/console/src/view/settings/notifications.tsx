import { type NotificationState, switchNotifications, useNotifications } from "../../api/notification.ts";
import { Switch } from "../../ui/field.tsx";
import { Panel } from "../../ui/page.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";

const notes: Readonly<Record<NotificationState, string>> = {
  on: "This browser shows a notice when an approval or a proposal waits for you.",
  off: "Show a notice on this desktop when an approval or a proposal waits for you.",
  blocked: "The browser blocks notifications of this site. Allow them in the settings of the browser.",
  unsupported: "Notifications need a browser on a desktop, and TLS or the address localhost.",
};

/** Whether this browser shows notices of waiting approvals and proposals. */
export function Notifications() {
  const state = useNotifications();
  const change = async (isOn: boolean) => {
    const next = await switchNotifications(isOn);
    toast(next === "on" ? "Notifications are on" : "Notifications are off");
  };
  return (
    <Panel title="Notifications">
      <div className="flex items-start gap-3 px-4 py-3 text-sm">
        <Switch
          label="Desktop notifications"
          isOn={state === "on"}
          disabled={state === "unsupported" || state === "blocked"}
          onChange={(isOn) => void change(isOn).catch(toastFailure)}
        />
        <p>{notes[state]}</p>
      </div>
    </Panel>
  );
}
