export {
  name,
  type OpenAiSkills,
  type OpenAiSkillsOptions,
  openAiSkills,
  skillCall,
} from "@skillhold/adapters/openai-agents";
