import { defineErrors } from '#errors/define.ts'

export const OPENAI_ERRORS = defineErrors({
  'openai.model_not_found': [
    404,
    '{field}: there is no model or agent named {value}. GET /openai/v1/models and /anthropic/v1/models list them.',
    { field: 'model' },
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

  'openai.response_not_found': [
    404,
    '{field}: there is no response {value}. It was deleted, has expired, was not stored, or belongs to another key or user.',
    { field: 'response_id' },
  ],
  'openai.previous_not_found': [
    404,
    '{field}: the response {value} or one before it was not found. Send the whole conversation as input.',
    { field: 'previous_response_id' },
  ],
  'openai.item_not_found': [
    404,
    '{field}: there is no stored item {value}. Send the item itself instead of a reference.',
    { field: 'input' },
  ],
  'openai.conversation_not_found': [
    404,
    '{field}: there is no conversation {value}. It was deleted, has expired, or belongs to another key or user.',
    { field: 'conversation_id' },
  ],
  'openai.item_missing': [
    404,
    '{field}: there is no item {value} in this conversation.',
    { field: 'item_id' },
  ],
  'openai.stores_nothing': [
    403,
    'This organization stores no responses and conversations. An administrator can change response_retention_days.',
  ],
  'openai.not_in_background': [
    400,
    'Only a response that runs in the background can be cancelled. This response has ended.',
  ],

  'openai.metadata_too_large': 'The metadata is larger than {kilobytes} KB. Send less.',
  'openai.chain_too_long':
    'The stored conversation has more than {items} items or {megabytes} MiB. Begin a new one.',
  'openai.compaction_unknown':
    '{field}: this compaction was changed, is too old, or comes from another organization. Send the conversation instead.',
  'openai.nothing_to_compact': 'input or previous_response_id must contain a conversation.',
  'openai.one_history': 'Send previous_response_id or conversation, not both.',
  'openai.role_needed': '{field} must have a role: user, assistant, system or developer.',
  'openai.only_agent': [
    403,
    'A deployment key gives access only to its agent, not to this operation. Use an API key of the organization.',
  ],
  'openai.cannot_draw': [400, 'This model does not generate images. Choose one with the image capability.'],
  'openai.cannot_speak': [400, 'This model does not speak. Choose one with the speech capability.'],
  'openai.cannot_transcribe': [
    400,
    'This model does not transcribe. Choose one with the transcription capability.',
  ],

  'openai.tool_field': '{field} is required for a tool of this type.',
  'openai.tool_choice': 'tool_choice can only require a tool that is listed in tools.',
  'openai.allowed_tools': 'tool_choice can only allow tools that are listed in tools.',
  'openai.file_missing': '{field}.file must have file_data or file_id.',
  'openai.file_data': '{field}.file.file_data must be a data: URL in base64.',
  'openai.audio_data': '{field}.input_audio.data must be base64.',
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
  'openai.url_status': 'The URL {url} responded with status {status}. Check that anyone can open it.',
  'openai.files_max': 'A request can have at most {limit} files. Remove some.',
  'openai.file_type':
    '{name} must be a PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV, Markdown or text file.',
  'openai.file_unreadable': '{name}: {reason}',
  'openai.call_id': '{field}.call_id must be the call_id of an earlier function_call or custom_tool_call.',
  'openai.item_type': '{field}: items of type {type} are not supported. Remove the item.',
  'openai.call_fields': '{field} must have call_id and name.',
  'openai.tokens': 'input {index} must contain only tokens of the encoding cl100k_base, or be a text.',
  'openai.dimensions': 'dimensions must be {length} for this model, or omitted.',
  'openai.part_field': '{field} is required for a part of type {type}.',
  'openai.part_types': '{field}: only parts of type {types} are supported.',
  'openai.field_unsupported': '{field} is not supported. {instead}',
})
