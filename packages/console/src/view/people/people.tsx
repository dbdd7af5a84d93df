import { Ban, Pencil, Undo2, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { Answer } from "../../api/client.ts";
import { useMe } from "../../api/session.tsx";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago, count } from "../../ui/text.tsx";
import { toast, toastFailure } from "../../ui/toast.tsx";
import { Invitation } from "./invitation.tsx";
import { type Person, peopleOf } from "./person.ts";
import { PersonDialog } from "./person-dialog.tsx";

/** The people of the gateway: roles, sign-ins and open invitations. */
export function People() {
  const [search, setSearch] = useSearchParams();
  const isInviting = search.has("invite");
  const open = (isOpen: boolean) => setSearch(isOpen ? { invite: "" } : {}, { replace: true });
  return (
    <Page
      title="People"
      about="Invite people by a link. Their role sets what they can do, and each can create tokens of their own."
      actions={
        <Button look="primary" icon={UserPlus} onClick={() => open(true)}>
          Invite person
        </Button>
      }
    >
      <Invited />
      <PersonList />
      <Invitation isOpen={isInviting} user={search.get("user") ?? ""} onClose={() => open(false)} />
    </Page>
  );
}

type Code = Answer<"GET /v1/sign-in-codes">["codes"][number];

/** Invitations that were not used yet. Shows nothing without one. */
function Invited() {
  const { data, error, refetch } = useApi("GET /v1/sign-in-codes");
  const revoke = useChange("DELETE /v1/tokens/{token}", ["GET /v1/sign-in-codes"]);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.codes.length === 0) return null;
  const end = ({ id, user }: Code) =>
    revoke.mutate(
      { params: { token: id } },
      { onSuccess: () => toast(`The invitation of ${user} is revoked`), onError: toastFailure },
    );
  const columns: readonly Column<Code>[] = [
    { title: "User", show: ({ user }) => <span className="font-medium">{user}</span> },
    { title: "Role", show: ({ role }) => <RoleBadge role={role} /> },
    { title: "Invited by", isMinor: true, show: ({ createdBy }) => createdBy },
    { title: "Expires", show: ({ expiresAt }) => <Ago at={expiresAt} /> },
    {
      title: "Revoke",
      isAction: true,
      show: (code) => (
        <Button
          look="danger"
          icon={Ban}
          aria-label={`Revoke the invitation of ${code.user}`}
          onClick={() => end(code)}
        >
          <span className="max-sm:sr-only">Revoke</span>
        </Button>
      ),
    },
  ];
  return (
    <Panel title="Open invitations">
      <Table label="List of open invitations" columns={columns} rows={data.codes} keyOf={({ id }) => id} />
    </Panel>
  );
}

function PersonList() {
  const { user: me } = useMe();
  const users = useApi("GET /v1/users");
  const tokens = useApi("GET /v1/tokens");
  const [ending, setEnding] = useState<Person>();
  const [edited, setEdited] = useState<string>();
  const change = useChange("PUT /v1/users/{user}", [
    "GET /v1/users",
    "GET /v1/tokens",
    "GET /v1/sign-in-codes",
  ]);
  const activate = ({ name }: Person, isActive: boolean) =>
    change.mutate(
      { params: { user: name }, body: { isActive } },
      {
        onSuccess: () => toast(isActive ? `${name} may sign in again` : `The access of ${name} has ended`),
        onError: toastFailure,
      },
    );
  const error = users.error ?? tokens.error;
  if (error !== null) return <Failure error={error} onRetry={() => void users.refetch()} />;
  if (users.data === undefined || tokens.data === undefined) return <SkeletonRows count={3} />;
  const people = peopleOf(users.data.users, tokens.data.tokens, Date.now());
  return (
    <Panel title={count(people.length, "person").replace("persons", "people")}>
      {people.length === 0 ? (
        <Empty icon={Users} title="No people yet">
          Invite someone by a link.
        </Empty>
      ) : (
        <Table
          label="List of people"
          columns={columnsFor(me, {
            onEnd: setEnding,
            onRestore: (person) => activate(person, true),
            onEdit: ({ name }) => setEdited(name),
          })}
          rows={people}
          keyOf={({ name }) => name}
        />
      )}
      <Confirm
        isOpen={ending !== undefined}
        onClose={() => setEnding(undefined)}
        onConfirm={() => {
          if (ending !== undefined) activate(ending, false);
          setEnding(undefined);
        }}
        title={`End the access of ${ending?.name ?? ""}`}
        text="This signs them out everywhere, revokes their tokens and links, and their passkeys stop working. Their skills and grants stay."
        action="End access"
      />
      <PersonDialog
        person={people.find(({ name }) => name === edited)}
        onClose={() => setEdited(undefined)}
      />
    </Panel>
  );
}

function RoleBadge({ role }: { readonly role: string }) {
  return <Badge tone={role === "admin" ? "warn" : "neutral"}>{role}</Badge>;
}

interface PersonActions {
  readonly onEnd: (person: Person) => void;
  readonly onRestore: (person: Person) => void;
  readonly onEdit: (person: Person) => void;
}

function columnsFor(me: string, actions: PersonActions): readonly Column<Person>[] {
  return [
    {
      title: "Person",
      show: ({ name }) => (
        <>
          <span className="font-medium break-words">{name}</span>
          {name === me && <span className="text-muted"> (you)</span>}
        </>
      ),
    },
    {
      title: "Role",
      show: ({ role }) =>
        role === undefined ? <span className="text-muted">no access</span> : <RoleBadge role={role} />,
    },
    {
      title: "Last seen",
      show: ({ lastSeenAt }) =>
        lastSeenAt === undefined ? <span className="text-muted">never</span> : <Ago at={lastSeenAt} />,
    },
    { title: "Browsers", isMinor: true, show: ({ sessions }) => sessions.length },
    { title: "Tokens", isMinor: true, show: ({ programs }) => programs.length },
    {
      title: "Change",
      isAction: true,
      show: (person) => person.name !== me && <PersonButtons person={person} {...actions} />,
    },
  ];
}

function PersonButtons({ person, onEnd, onRestore, onEdit }: PersonActions & { readonly person: Person }) {
  const { name, isActive } = person;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      <Button icon={Pencil} aria-label={`Edit ${name}`} onClick={() => onEdit(person)}>
        <span className="max-sm:sr-only">Edit</span>
      </Button>
      {isActive ? (
        <Button look="danger" icon={Ban} aria-label={`End access of ${name}`} onClick={() => onEnd(person)}>
          <span className="max-sm:sr-only">End access</span>
        </Button>
      ) : (
        <Button icon={Undo2} aria-label={`Restore access of ${name}`} onClick={() => onRestore(person)}>
          <span className="max-sm:sr-only">Restore access</span>
        </Button>
      )}
    </span>
  );
}
