import { folderId, publishId, reservedIds } from "../field/identity.ts";
import { readOpenclaw } from "../field/openclaw.ts";
import { authorVersion, isSemver, readRuntime } from "../field/runtime.ts";
import { fieldPosition, type ParsedSkill } from "../parse/parse.ts";
import { textOf } from "../yaml/value.ts";
import type { FindingList } from "./finding-list.ts";
import { standardFields } from "./standard.ts";
import type { Subject } from "./subject.ts";

/** Fields beyond the specification that this product or a well-known client reads. */
const recognisedFields: ReadonlySet<string> = new Set(
  `agent argument-hint arguments author background category command-arg-mode command-dispatch command-tool context
   dependencies deps deps_mode disable-model-invocation disallowed-tools effort emoji examples exclude_deps homepage
   hooks keywords model paths platforms required_credential_files required_environment_variables requires runtime
   shell slug tags triggers user-invocable version when_to_use`.split(/\s+/),
);

/** The rules for fields beyond the specification. */
export function checkExtension(skill: ParsedSkill, subject: Subject, findings: FindingList): void {
  checkFields(skill, findings);
  checkId(skill, subject, findings);
  checkVersion(skill, findings);
  const { frontmatter } = skill;
  if (readRuntime(frontmatter["runtime"]).isMalformed) {
    const message =
      "The field `runtime` is neither a name nor a list of names; the skill counts as universal.";
    findings.push({ code: "RUNTIME_MALFORMED", ...fieldPosition(skill, "runtime"), message });
  }
  if (readOpenclaw(frontmatter).isMalformed) {
    const message = "The requirements below `metadata` are neither valid YAML nor valid JSON5.";
    findings.push({ code: "OPENCLAW_MALFORMED", ...fieldPosition(skill, "metadata"), message });
  }
  const features = findings.reports("MCP_YAML_SUBSET") ? [...(skill.yaml?.features ?? [])] : [];
  if (features.length > 0) {
    const message = `Simple YAML readers in MCP clients do not support: ${features.join(", ")}.`;
    findings.push({ code: "MCP_YAML_SUBSET", line: 2, column: 1, message });
  }
}

function checkFields(skill: ParsedSkill, findings: FindingList): void {
  if (!findings.reports("UNRECOGNISED_FIELDS")) return;
  const fields = Object.keys(skill.frontmatter);
  const unread = fields.filter((field) => !standardFields.has(field) && !recognisedFields.has(field));
  if (unread[0] === undefined) return;
  const message = `Unrecognized field: ${unread.map((field) => `\`${field}\``).join(", ")}.`;
  findings.push({ code: "UNRECOGNISED_FIELDS", ...fieldPosition(skill, unread[0]), message });
}

function checkId(skill: ParsedSkill, subject: Subject, findings: FindingList): void {
  const field = textOf(skill.frontmatter["slug"]) === undefined ? "name" : "slug";
  const published = publishId(skill.frontmatter, subject.id);
  if (published === undefined) {
    findings.push({
      code: "ID_UNDERIVABLE",
      ...fieldPosition(skill, field),
      message: field === "slug" ? "The slug is not a valid id." : "The name does not give a valid id.",
    });
  } else if (reservedIds.has(published)) {
    findings.push({
      code: "ID_RESERVED",
      ...fieldPosition(skill, field),
      message: `The id ${published} is reserved by the gateway.`,
    });
  }
  if (subject.folder === undefined) return;
  const { id, isSlugified } = folderId(subject.folder);
  if (isSlugified) {
    const message = `The folder ${JSON.stringify(subject.folder)} is not a valid id; the skill's id is ${id}.`;
    findings.push({ code: "ID_SLUGIFIED", line: 1, column: 1, message });
  }
}

function checkVersion(skill: ParsedSkill, findings: FindingList): void {
  const version = authorVersion(skill);
  if (version === undefined) {
    findings.push({
      code: "VERSION_MISSING",
      line: 2,
      column: 1,
      message: "The field `version` is missing.",
    });
  } else if (!isSemver(version)) {
    const field = skill.frontmatter["version"] === undefined ? "metadata" : "version";
    const message = `The version ${JSON.stringify(version)} is not a semantic version.`;
    findings.push({ code: "VERSION_NOT_SEMVER", ...fieldPosition(skill, field), message });
  }
}
