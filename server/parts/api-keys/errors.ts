import { defineErrors, notFound } from '#errors/define.ts'

export const API_KEYS_ERRORS = defineErrors({
  'api_key.not_found': notFound('API key not found', 'key_id'),
  'api_key.expiry_past': [400, 'expires_at must be in the future.', 'validation'],
})
