import { defineErrors } from '#errors/define.ts'

export const OPENAI_ERRORS = defineErrors({
  'openai.model_not_found': [
    404,
    'There is no model or agent named {model}. GET /openai/v1/models lists them.',
  ],
  'openai.parameter_refused': [
    400,
    '{field} is not accepted by {model}. Leave it out, or choose another model.',
  ],
  'openai.agent_has_tools': [400, 'This agent uses its own tools. Omit tools from the request.'],
  'openai.no_agent_embeddings': [
    403,
    'A deployment key gives access only to its agent, and agents do not create embeddings. Use an API key of the organization.',
  ],

  'openai.tool_choice': 'tool_choice can only require a tool that is listed in tools.',
  'openai.images_max': 'A request can have at most {limit} images. Remove some.',
  'openai.tool_call_id':
    '{field}.tool_call_id must be the ID of a tool call in an earlier assistant message.',
  'openai.no_user_message': '{field} must contain a user message.',
  'openai.arguments': '{field}: arguments must be a JSON object.',
  'openai.image_type': 'An image must be PNG, JPEG, WebP or GIF.',
  'openai.images_bytes':
    'The images of a request can have at most {limit} bytes in total. Send fewer or smaller images.',
  'openai.image_data': 'An image in a data: URL must be encoded in base64 and have a type such as image/png.',
  'openai.image_bytes': 'An image can have at most {limit} bytes. Send a smaller one.',
  'openai.image_status': 'The image URL responded with status {status}. Check that anyone can open it.',
  'openai.call_id': '{field}.call_id must be the call_id of an earlier function_call.',
  'openai.item_type': '{field}: items of type {type} are not supported. Remove the item.',
  'openai.call_fields': '{field} must have call_id and name.',
  'openai.dimensions': 'dimensions must be {length} for this model, or omitted.',
  'openai.part_types': '{field}: only parts of type {types} are supported.',
  'openai.field_unsupported': '{field} is not supported. {instead}',
})
