import { defineErrors } from '#errors/define.ts'

export const LLM_ERRORS = defineErrors({
  'llm.not_found': [404, 'Language model not found'],
  'llm.none': [
    400,
    'No active model in this organization supports {capability}. Add or enable one that does.',
  ],
  'llm.in_use': [409, 'This language model is used by {users}. Choose another model there first.'],
  'llm.base_url_needed': [400, 'base_url is required because {provider} has no public address.'],
  'llm.key_needed': [400, 'Send config.api_key again when you change config.base_url.'],
  'llm.cannot_call_tools': [
    400,
    'This language model cannot call tools. Choose one with the tools capability, or an agent without tools.',
  ],
  'llm.inactive': [400, 'This language model is not active. Activate it, or choose another model.'],
  'llm.failed': [503, '{reason}'],
  'llm.rate_limited': [429, '{reason}'],
  'llm.refused': [400, '{reason}'],
  'llm.cannot_see': [400, 'This language model cannot see images. Choose one with the vision capability.'],
  'llm.cannot_chat': [400, 'This model does not generate text. Choose one that does.'],
  'llm.not_configured': [400, 'LLM provider {provider} is not configured correctly. Please contact support.'],

  'llm.ended_early': 'The caller canceled the request before the reply was complete.',
  'llm.broke': 'Something went wrong while the model was replying. Try again.',
})
