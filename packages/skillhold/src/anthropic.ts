export {
  type AnthropicQuestion,
  type AnthropicSkills,
  type AnthropicSkillsOptions,
  anthropicSkills,
  name,
} from "@skillhold/adapters/anthropic";
