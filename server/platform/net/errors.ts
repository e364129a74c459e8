import { defineErrors } from '#errors/define.ts'

export const NET_ERRORS = defineErrors({
  'net.not_an_address': 'This is not a web address. Start it with https:// or http://',
  'net.protocol': 'Only https:// and http:// addresses can be reached, not {protocol}',
  'net.credentials': 'An address must not contain a user name or a password.',
  'net.not_public':
    '{host} is not at a public address. The operator of this server can allow it with ALLOW_PRIVATE_NETWORK.',
  'net.cloud_metadata':
    '{host} is not at a public address: it is reserved for cloud metadata. The operator of this server can allow this exact address with ALLOW_PRIVATE_NETWORK.',
  'net.name_unknown': "The address of {host} can't be found.",
  'net.connection_timeout': "{host} can't be reached: it did not accept the connection in time.",
  'net.certificate':
    "{host} can't be reached safely: its certificate is not valid, or it does not speak https.",
  'net.connection_failed': "{host} can't be reached, or broke the connection. Try again later.",
  'net.incomplete': '{host} did not answer completely within {seconds} seconds.',
  'net.no_answer': '{host} did not answer within {seconds} seconds.',
  'net.redirect_target': "{host} redirects to an address that can't be followed.",
  'net.redirects': '{host} redirects more than {limit} times.',
  'net.too_large': '{host} sent more than {megabytes} MB for one address.',
  'net.encoding': "{host} compressed its answer with an encoding that isn't supported.",
  'net.damaged': "{host} sent an answer that can't be decompressed: it is damaged.",
})
