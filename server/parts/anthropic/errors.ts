import { defineErrors } from '#errors/define.ts'

export const ANTHROPIC_ERRORS = defineErrors({
  'anthropic.no_threads': [400, 'Messages are not stored, so send the whole conversation without thread.'],

  'anthropic.block_type': '{field}: blocks of type {type} are not supported here. Remove the block.',
  'anthropic.block_field': '{field} is required for this type.',
  'anthropic.image_data': '{field} must have a media_type such as image/png, and base64 as data.',
  'anthropic.source_type': '{field}: sources of type {type} are not supported. Send base64, url or text.',
  'anthropic.tool_type':
    '{field}: tools of type {type} are not supported. Define the tool with an input_schema.',
  'anthropic.tool_use_id':
    '{field}.tool_use_id must be the ID of a tool_use block in an earlier assistant message.',
  'anthropic.images_max': 'A request can have at most {limit} images. Remove some.',
  'anthropic.unsupported': '{field} is not supported. Leave it out.',
})
