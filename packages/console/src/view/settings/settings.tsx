import { LogOut } from "lucide-react";
import { useMe } from "../../api/session.tsx";
import { useSignOut } from "../../api/sign-out.ts";
import { ShortcutList } from "../../layout/shortcut.tsx";
import { Button } from "../../ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import { About } from "./about.tsx";
import { Appearance } from "./appearance.tsx";
import { Notifications } from "./notifications.tsx";
import { Passkeys } from "./passkeys.tsx";
import { SandboxTest } from "./sandbox-test.tsx";

/** The gateway's identity and configuration, and the user's display settings. */
export function Settings() {
  return (
    <Page title="Settings">
      <Account />
      <Passkeys />
      <Notifications />
      <Appearance />
      <About />
      <SandboxTest />
      <Panel title="Keyboard shortcuts">
        <div className="p-4">
          <ShortcutList />
        </div>
      </Panel>
    </Page>
  );
}

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" });

function Account() {
  const { user, role, agent, expiresAt } = useMe();
  const { leave, isLeaving } = useSignOut();
  return (
    <Panel
      title="You"
      actions={
        <Button icon={LogOut} isBusy={isLeaving} onClick={() => void leave().catch(toastFailure)}>
          Sign out
        </Button>
      }
    >
      <p className="px-4 py-3 text-sm">
        <span className="font-medium">{user}</span>, {role}
        {agent !== undefined && ` for the agent ${agent}`}
        <span className="text-muted"> · signed in until {day.format(new Date(expiresAt))}</span>
      </p>
    </Panel>
  );
}
