import { CircleCheck, CircleX, FileX } from "lucide-react";
import { Field, Select } from "../../../ui/field.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Empty, Failure, SkeletonRows } from "../../../ui/state.tsx";
import { useAddress } from "../../../ui/use-address.ts";
import type { SkillFile, SkillProps } from "../skill-view.ts";
import { useText } from "../use-text.ts";
import { FindingList } from "./finding-list.tsx";
import { type Checked, defaultProfile, profileNames, useChecked } from "./use-checked.ts";

/** The check results for SKILL.md. The browser runs the same checks as the gateway. */
export function Validation({ skill }: SkillProps) {
  const file = skill.files.find(({ role }) => role === "instructions");
  if (file === undefined)
    return (
      <Empty icon={FileX} title="It has no SKILL.md">
        It was made from its tools. There is nothing to check.
      </Empty>
    );
  return <Checks skill={skill} file={file} />;
}

function Checks({ skill, file }: SkillProps & { readonly file: SkillFile }) {
  const { id, revision } = skill.entry;
  const [read, write] = useAddress();
  const profile = profileNames.find(({ name }) => name === read("profile"))?.name ?? defaultProfile;
  const { data, error, retry } = useText({ id, file, revision }, { isWhole: true });
  const checked = useChecked(data?.text, profile, skill);
  return (
    <Panel title={`Validation of ${file.path}`}>
      <div className="border-b border-line p-4">
        <Field label="Profile" note={profileNames.find(({ name }) => name === profile)?.about}>
          <Select
            value={profile}
            className="sm:max-w-72"
            onChange={({ target }) => write("profile", target.value === defaultProfile ? "" : target.value)}
          >
            {profileNames.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      </div>
      {error !== null && <Failure error={error} onRetry={retry} />}
      {checked instanceof Error && <Failure error={checked} />}
      {error === null && checked === undefined && <SkeletonRows count={2} />}
      {checked !== undefined && !(checked instanceof Error) && (
        <Result id={id} path={file.path} revision={revision} checked={checked} />
      )}
    </Panel>
  );
}

interface ResultProps {
  readonly id: string;
  readonly path: string;
  readonly revision: number | undefined;
  readonly checked: Checked;
}

function Result({ id, path, revision, checked }: ResultProps) {
  const { valid, diagnostics } = checked;
  const Icon = valid ? CircleCheck : CircleX;
  return (
    <>
      <p aria-live="polite" className="flex items-center gap-2 px-4 py-3 text-sm font-medium">
        <Icon className={`size-4 shrink-0 ${valid ? "text-good" : "text-bad"}`} aria-hidden />
        {wordsFor(checked)}
      </p>
      {diagnostics.length > 0 && (
        <FindingList id={id} path={path} revision={revision} findings={diagnostics} />
      )}
    </>
  );
}

function wordsFor({ valid, diagnostics }: Checked): string {
  if (diagnostics.length === 0) return "Valid, with no findings.";
  const of = (wanted: string) => diagnostics.filter(({ severity }) => severity === wanted).length;
  const parts = (["error", "warning", "info"] as const).flatMap((each) => {
    const number = of(each);
    if (number === 0) return [];
    const noun = each === "info" ? (number === 1 ? "note" : "notes") : number === 1 ? each : `${each}s`;
    return [`${number} ${noun}`];
  });
  return `${valid ? "Valid" : "Not valid"} for this profile: ${parts.join(", ")}.`;
}
