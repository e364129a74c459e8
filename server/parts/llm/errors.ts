import { defineErrors, notFound } from '#errors/define.ts'

export const LLM_ERRORS = defineErrors({
  'llm.not_found': notFound('Language model not found', 'model_id'),
  'llm.none': [
    400,
    'No active model in this organization supports {capability}. Add or enable one that does.',
  ],
  'llm.in_use': [409, 'This language model is used by {users}. Choose another model there first.'],
  'llm.no_member': [
    400,
    'No member of this route is active and configured. Activate a member, or add one to the route.',
  ],
  'llm.member_not_found': [
    404,
    '{field}: the model {value} was not found. Add a model of this organization.',
    { field: 'config.route.members' },
  ],
  'llm.member_is_route': [400, 'The member {model} is itself a route. Add its members instead.'],
  'llm.members_differ': [
    400,
    'The members of this route share no capability. Choose members that all have text, image, video or transcription.',
  ],
  'llm.route_needed': [400, 'Send config.route with the members of the route.'],
  'llm.setting_unknown': [400, 'Remove config.{setting}: the provider {provider} has no such setting.'],
  'llm.connection_not_found': notFound('Model connection not found', 'connection_id'),
  'llm.connection_name_taken': [
    409,
    'This organization has a model connection with this name. Choose another name.',
  ],
  'llm.connection_in_use': [
    409,
    'This connection is used by {models}. Choose another connection there first.',
  ],
  'llm.connection_or_key': [400, 'Send either config.connection_id, or config.api_key and config.base_url.'],
  'llm.connection_of_another': [
    400,
    'This connection leads to {connected}, but the model is from {provider}. Choose a connection to {provider}.',
  ],
  'llm.connection_key_needed': [400, 'Send api_key again when you change base_url.'],
  'llm.api_key_needed': [400, 'api_key is required for the provider {provider}.'],
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
