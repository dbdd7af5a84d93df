import type { ReactNode } from "react";
import { Link } from "wouter";
import { useSkills } from "../../api/use-skills.ts";
import { Ago, CopyText, formatBytes, Mono } from "../../ui/text.tsx";
import { exactText, type Question } from "./question.ts";

/** The facts that an approval is bound to, and the origin of the question. */
export function QuestionFacts({ question }: { readonly question: Question }) {
  const { data: rows } = useSkills();
  const owner = rows?.find(({ entry }) => entry.id === question.skill)?.registry?.owner;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 md:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)]">
      {factsOf(question, owner).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-xs leading-5 text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(question: Question, owner: string | undefined): readonly (readonly [string, ReactNode])[] {
  const { treeHash, sandbox, network, mounts, secrets, stdin, session, rule, origin, askedAt } = question;
  return [
    ["Asked by", askedBy(question)],
    ...(owner === undefined ? [] : [["Owner", owner] as const]),
    ["Content", <CopyText key="hash" text={treeHash} label="content hash" isShort />],
    ["Sandbox", sandbox],
    // Without a sandbox, the requested network limit is not enforced.
    ["Network", sandbox === "none" ? "unrestricted" : exactText(network)],
    ["Secrets", secrets.length === 0 ? "none" : secrets.map(exactText).join(", ")],
    ["Mounts", mounts.length === 0 ? "none" : <Mounts key="mounts" mounts={mounts} />],
    ...(stdin === undefined
      ? []
      : [
          [
            "Input",
            <span key="input">
              {formatBytes(stdin.bytes)}{" "}
              <CopyText text={stdin.digest} label="the hash of the input" isShort />
            </span>,
          ] as const,
        ]),
    ...(origin === undefined
      ? []
      : [
          [
            "Served by",
            <Mono key="origin" className="break-all">
              {exactText(origin)}
            </Mono>,
          ] as const,
        ]),
    ["Rule", <Mono key="rule">{rule}</Mono>],
    ["Asked", <Ago key="asked" at={askedAt} />],
    [
      "Session",
      <Link
        key="session"
        href={`/activity/${encodeURIComponent(session)}`}
        className="font-mono text-xs text-accent hover:underline"
      >
        {session.slice(0, 8)}
      </Link>,
    ],
  ];
}

function askedBy({ requester: { agent, user } }: Question): string {
  const whose = user === undefined ? "an unnamed user" : `the user ${exactText(user)}`;
  return agent === undefined ? whose : `the agent ${exactText(agent)} of ${whose}`;
}

function Mounts({ mounts }: Pick<Question, "mounts">) {
  return (
    <ul>
      {mounts.map(({ source, target, isWritable }) => (
        <li key={target} className="break-words">
          <Mono className="break-all">{exactText(source)}</Mono> at{" "}
          <Mono className="break-all">{exactText(target)}</Mono>, {isWritable ? "writable" : "read-only"}
        </li>
      ))}
    </ul>
  );
}
