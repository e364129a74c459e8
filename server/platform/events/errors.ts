import { defineErrors } from '#errors/define.ts'

export const EVENTS_ERRORS = defineErrors({
  'request.foreign_origin': [
    403,
    'Pages from {origin} cannot connect to this server. The operator of this server can add the origin to CORS_ORIGINS.',
  ],
  'request.upgrade_needed': [426, 'Connect to this endpoint with a WebSocket.'],
  'events.no_token': [
    408,
    'No access token arrived in time. Connect again, and first send a JSON object with type "auth" and your access token as token.',
  ],
  'events.malformed': [
    400,
    'The first message must be a JSON object with type "auth" and your access token as token.',
  ],
  'events.too_many': [429, 'You already have {limit} live connections. Close one first.'],

  'events.message_in_progress': [
    409,
    'The previous message is still in progress. Send the next message after its last event.',
  ],

  'events.server_full': 'The server has too many live connections. Try again later.',
})
