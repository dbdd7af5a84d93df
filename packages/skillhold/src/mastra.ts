export {
  type MastraCaller,
  type MastraSkills,
  type MastraSkillsOptions,
  mastraSkills,
  name,
  skillCall,
} from "@skillhold/adapters/mastra";
