import type { Catalogue } from './catalogue.ts'

export const MODELS_ERRORS = {
  'llm.not_found': [404, 'Language model not found'],
  'llm.none': [400, 'No active language model here has the capability {capability}: add one'],
  'llm.in_use': [409, 'This language model is used by {users}. Change those first.'],
  'llm.base_url_needed': [400, 'Give base_url: {provider} has no public address'],
  'llm.key_needed': [400, 'Give config.api_key again when config.base_url changes'],
  'llm.cannot_call_tools': [
    400,
    'This language model can not call tools. Choose one with the capability tools, or an agent without tools.',
  ],
  'llm.inactive': [400, 'This language model is not active'],
  'llm.failed': [503, '{reason}'],
  'llm.cannot_see': [400, 'This language model can not see images. Choose one with the capability vision.'],
  'llm.takes_no_files': [
    400,
    'A model that makes images takes other images, one that makes videos takes nothing but words',
  ],
  'llm.cannot_chat': [400, 'This model does not write text, so it can not be used here'],
  'llm.not_configured': [400, 'LLM provider {provider} is not configured correctly. Please contact support.'],

  'agent.not_found': [404, 'Agent not found'],
  'agent.inactive': [400, 'This agent is not active'],
  'agent.name_taken': [409, 'This organization has an agent with this name already'],
  'agent.in_use': [409, 'This agent is deployed as {deployments}. Delete those deployments first.'],
  'agent.changing': [409, 'Others are changing this agent at this moment: try again'],
  'agent.tools_too_large': [400, 'tools must take at most {limit} bytes'],

  'openai.model_not_found': [
    404,
    'There is no model or agent called {model}. GET /openai/v1/models lists them.',
  ],
  'openai.agent_has_tools': [400, 'This agent calls tools of its own: leave tools out'],
  'openai.no_agent_embeddings': [
    403,
    'The key of a deployment opens its agent, and an agent makes no embeddings',
  ],

  'deployment.not_found': [404, 'Deployment not found'],
  'deployment.paused': [403, 'This deployment is paused'],
  'deployment.config_invalid': [400, '{reason}'],
  'deployment.origin_not_allowed': [403, 'This page is not one of the allowed_origins of the deployment'],
  'deployment.daily_limit': [
    429,
    'This chat has taken as many messages today as it may. It goes on at midnight (UTC).',
  ],
  'deployment.not_api': [403, 'Only the key of a deployment of the type api opens this'],

  'tool.not_found': [404, 'Tool not found'],
  'tool.taken': [409, 'This organization has this version of a tool with this name already'],
  'tool.in_use': [409, 'This tool is used by {users}. Take it from those first.'],
  'tool.changing': [409, 'This tool was changed by somebody else at the same time. Try again.'],
  'tool.invalid': [400, '{reason}'],
  'tool.code_invalid': [400, '{reason}'],
  'tool.config_invalid': [400, '{reason}'],
  'tool.function_twice': [
    400,
    'Both {first} and {second} have a function {name}: an agent can have one of them',
  ],
  'tool.category_not_found': [404, 'Tool category not found'],
  'tool.category_taken': [409, 'This organization has a tool category with this name already'],
  'tool.category_in_use': [409, 'This category has tools: {tools}. Move or delete those first.'],
} as const satisfies Catalogue
