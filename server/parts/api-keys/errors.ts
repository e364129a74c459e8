import { defineErrors } from '#errors/define.ts'

export const API_KEYS_ERRORS = defineErrors({
  'api_key.not_found': [404, 'API key not found'],
  'api_key.expiry_past': [400, 'expires_at must be in the future.', 'validation'],
})
