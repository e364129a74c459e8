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

  'openai.tool_choice': 'tool_choice can demand a call only of what is in tools',
  'openai.images_max': 'A request can have at most {limit} images',
  'openai.tool_call_id': '{field}.tool_call_id must be the id of a call in an assistant message before it',
  'openai.no_user_message': '{field} must hold a message of the user',
  'openai.arguments': '{field}: arguments must be a JSON object',
  'openai.image_type': 'An image must be PNG, JPEG, WebP or GIF',
  'openai.images_bytes': 'Images can have at most {limit} bytes together',
  'openai.image_data': 'An image in a data: address must be base64 with a type image/…',
  'openai.image_bytes': 'An image can have at most {limit} bytes',
  'openai.image_status': 'The address of the image answered with the status {status}',
  'openai.call_id': '{field}.call_id must be that of a function_call before it',
  'openai.item_type': "{field}: items of the type {type} aren't supported",
  'openai.call_fields': '{field} must have call_id and name',
  'openai.dimensions': 'dimensions must be {length} with this model, or left out',
  'openai.part_types': '{field}: only parts of the types {types} are supported',
  'openai.field_unsupported': '{field} is not supported here: {instead}',
})
