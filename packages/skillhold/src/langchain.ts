export { type LangChainCaller, name, skillCall, skillsMiddleware } from "@skillhold/adapters/langchain";
