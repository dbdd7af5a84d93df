export {
  type ClaudeSkills,
  type ClaudeSkillsOptions,
  claudeSkills,
  name,
  names,
} from "@skillhold/adapters/claude-agent";
