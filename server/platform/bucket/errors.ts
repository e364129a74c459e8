import { defineErrors } from '#errors/define.ts'

export const BUCKET_ERRORS = defineErrors({
  'bucket.name': 'bucket must be a bucket name of 3 to 63 lower-case letters, digits, dots and hyphens.',
  'bucket.region': 'region must be up to 32 lower-case letters, digits and hyphens, such as us-east-1.',
  'bucket.prefix': 'prefix must be the beginning of keys, of at most {limit} bytes.',
  'bucket.key_pair': 'Give both access_key_id and secret_access_key, or neither.',
  'bucket.access_key': 'access_key_id is too long or contains a character that no access key has.',
  'bucket.secret_key': 'secret_access_key is too long or contains a character that no secret has.',
  'bucket.key': 'A key has 1 to {limit} bytes of text.',
  'bucket.endpoint_query': 'endpoint must be an address without a query or fragment (? or #).',
  'bucket.endpoint_path': 'endpoint must be an address whose path needs no encoding.',
  'bucket.incomplete': '{host} did not answer completely within {seconds} seconds.',
  'bucket.silent': '{host} sent nothing for {seconds} seconds.',
  'bucket.too_many_objects':
    'The bucket {bucket} holds more than {limit} objects under this prefix. Give a prefix that fewer keys begin with.',
  'bucket.endless_list': 'The list of the bucket {bucket} never ends: its pages are not in order.',
  'bucket.page_too_large': '{host} sent a list of more than {megabytes} MB for one page.',
  'bucket.size_unknown': '{host} does not say how large {key} is.',
  'bucket.object_too_large': '{key} is larger than {megabytes} MB, the limit for a file.',
  'bucket.list_unreadable': "{host} sent a list of the bucket that can't be read: {details}.",
  'bucket.unavailable': '{host} is overloaded or has a problem of its own ({answer}).',
  'bucket.wrong_region':
    'The bucket {bucket} is in the region {region}. Set region to it, and endpoint to match if you give one.',
  'bucket.not_found':
    "{host} has no bucket called {bucket}. Check the bucket's name, its region and its endpoint.",
  'bucket.object_gone': '{key} is not in the bucket {bucket} any more.',
  'bucket.not_listed':
    '{host} does not list the bucket {bucket}. Check the endpoint, which must not name the bucket.',
  'bucket.unknown_access_key': '{host} does not know this access key. Check access_key_id and the endpoint.',
  'bucket.signature': '{host} did not accept the signature. Check secret_access_key.',
  'bucket.session_token':
    '{host} accepts this access key only with a session token, which is not supported. Give a permanent access key.',
  'bucket.signature_region': '{host} did not accept the signature. Check the region of the bucket {bucket}.',
  'bucket.clock':
    '{host} says that the clock of this server is wrong. The operator of this server has to set it.',
  'bucket.object_archived': '{key} is archived. Restore it in the bucket {bucket} first.',
  'bucket.archived': 'This object is archived. Restore it in the bucket {bucket} first.',
  'bucket.redirect':
    '{host} redirects, which is not followed. Check the region and the endpoint of the bucket {bucket}.',
  'bucket.list_private':
    'The bucket {bucket} at {host} is not public. Give access_key_id and secret_access_key.',
  'bucket.object_private':
    '{key} in the bucket {bucket} at {host} is not public. Give access_key_id and secret_access_key.',
  'bucket.list_forbidden':
    '{host} does not let this access key list the bucket {bucket}. Grant it s3:ListBucket.',
  'bucket.object_forbidden':
    '{host} does not let this access key read {key} in the bucket {bucket}. Grant it s3:GetObject.',
  'bucket.list_refused': '{host} refused to list the bucket {bucket} ({answer}).',
  'bucket.object_refused': '{host} refused to read {key} in the bucket {bucket} ({answer}).',
})
