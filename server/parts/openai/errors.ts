import { defineErrors } from '#errors/define.ts'

export const OPENAI_ERRORS = defineErrors({
  'openai.model_not_found': [
    404,
    'There is no model or agent called {model}. GET /openai/v1/models lists them.',
  ],
  'openai.agent_has_tools': [400, 'This agent calls tools of its own: leave tools out'],
  'openai.no_agent_embeddings': [
    403,
    'The key of a deployment opens its agent, and an agent makes no embeddings',
  ],
})
