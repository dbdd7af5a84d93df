import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";

export interface FoundSecret {
  readonly line: number;
  readonly rule: string;
}

const MAX_BYTES = 300_000;
/** Most texts hold no text that a rule of the preset begins with; these are spared the rules. */
const HINT =
  /AKIA|ASIA|aws_|AIza|ghp_|gho_|ghu_|ghs_|github_pat_|glpat-|xox[abpors]-|hooks\.slack|sk-ant-|sk-proj-|sk-[A-Za-z0-9]{20}|npm_[A-Za-z0-9]{30}|_authToken|-----BEGIN|SG\.[\w-]{16}|shpat_|mongodb(?:\+srv)?:\/\/|postgres(?:ql)?:\/\/|mysql:\/\/|:\/\/[^\s:/@]{1,50}:[^\s@/]{1,80}@|hf_[A-Za-z]{30}|lin_api_|op_|ntn_|secret_|dp\.pt\.|figd_|vault|private_key|sendgrid|linear|1password/;
/** Values that documentation uses. */
const EXAMPLE =
  /EXAMPLE|example|your[-_]|placeholder|xxxx|XXXX|\*\*\*|user:pass|username:password|:password\d*@|:pass@|<[a-z]|\$\{|\{\{|localhost|127\.0\.0\.1|dummy|changeme|foobar|postgres:postgres|root:root|admin:admin|1234567890|abcdef|:secret@|test/;

/** Secrets in a text, by the rules of @secretlint. Values of documentation are left out. */
export async function findSecrets(path: string, text: string): Promise<readonly FoundSecret[]> {
  if (text.length > MAX_BYTES || /example|sample|template/i.test(path) || !HINT.test(text)) return [];
  const result = await lintSource({
    source: { filePath: path, content: text, ext: "", contentType: "text" },
    options: {
      maskSecrets: true,
      config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }] },
    },
  });
  const lines = text.split("\n");
  return result.messages.flatMap(({ loc, ruleId }) => {
    const line = lines[loc.start.line - 1] ?? "";
    return EXAMPLE.test(line) ? [] : [{ line: loc.start.line, rule: ruleId }];
  });
}
