import { defineErrors } from '#errors/define.ts'

export const NET_ERRORS = defineErrors({
  'net.not_an_address': 'This is not a valid URL. Start it with https:// or http://.',
  'net.protocol': 'URLs that start with {protocol} are not supported. Use https:// or http://.',
  'net.credentials': 'A URL must not contain a user name or password.',
  'net.not_public':
    '{host} is not a public address. The operator of this server can allow it with ALLOW_PRIVATE_NETWORK.',
  'net.cloud_metadata':
    '{host} is reserved for cloud metadata and is not a public address. The operator of this server can allow this exact address with ALLOW_PRIVATE_NETWORK.',
  'net.busy': 'Too many calls are waiting for a connection to this service. Try again in a few seconds.',
  'net.name_unknown': 'The host name {host} cannot be resolved. Check the URL.',
  'net.connection_timeout':
    '{host} cannot be reached: it did not accept the connection in time. Try again later.',
  'net.certificate':
    '{host} cannot be reached securely: its certificate is not valid, or it does not use https. Check the URL.',
  'net.connection_failed': '{host} cannot be reached, or closed the connection. Try again later.',
  'net.incomplete': '{host} did not send a complete response within {seconds} seconds. Try again later.',
  'net.no_answer': '{host} did not respond within {seconds} seconds. Try again later.',
  'net.redirect_target': '{host} redirects to a URL that cannot be followed. Check the URL.',
  'net.redirects': '{host} redirects more than {limit} times. Use the final URL.',
  'net.too_large': '{host} sent a response larger than {megabytes} MB. Request less data.',
  'net.encoding':
    '{host} compressed its response with an unsupported encoding. Use a URL whose responses are not compressed.',
  'net.damaged': '{host} sent a damaged response that cannot be decompressed. Try again later.',
})
