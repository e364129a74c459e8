import { defineErrors } from '#errors/define.ts'

export const EVENTS_ERRORS = defineErrors({
  'request.foreign_origin': [
    403,
    'Pages of {origin} cannot connect to this server. Its operator can add the origin to CORS_ORIGINS.',
  ],
  'request.upgrade_needed': [426, 'Connect to this address with a WebSocket'],
  'events.no_token': [
    408,
    'No access token arrived in time. Connect again, and send a JSON object with type "auth" and your token first.',
  ],
  'events.malformed': [
    400,
    'The first message must be a JSON object with type "auth" and your access token as token',
  ],
  'events.too_many': [429, 'You have {limit} live connections already: close one'],

  'events.server_full': 'Too many live connections. Try again later.',
})
