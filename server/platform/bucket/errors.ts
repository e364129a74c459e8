import { defineErrors } from '#errors/define.ts'

export const BUCKET_ERRORS = defineErrors({
  'bucket.name':
    'bucket must have 3 to 63 characters: lowercase letters, digits, dots and hyphens. The first and last must be a letter or digit.',
  'bucket.region':
    'region must have at most 32 characters: lowercase letters, digits and hyphens, such as us-east-1.',
  'bucket.prefix': 'prefix must be text of at most {limit} bytes, such as handbook/.',
  'bucket.key_pair': 'Send both access_key_id and secret_access_key, or neither.',
  'bucket.access_key':
    'access_key_id is too long or contains a character that is not allowed in access keys. Copy it again.',
  'bucket.secret_key':
    'secret_access_key is too long or contains a character that is not allowed in secrets. Copy it again.',
  'bucket.key': 'An object key must have 1 to {limit} bytes of text.',
  'bucket.endpoint_query':
    'endpoint must be a URL of at most {limit} characters, without a query or fragment (? or #).',
  'bucket.endpoint_path':
    'The path of endpoint can contain only letters, digits, slashes, hyphens, dots, underscores and tildes.',
  'bucket.incomplete': '{host} did not send a complete response within {seconds} seconds. Try again later.',
  'bucket.silent': '{host} sent nothing for {seconds} seconds. Try again later.',
  'bucket.too_many_objects':
    'The bucket {bucket} has more than {limit} objects under this prefix. Choose a prefix with fewer objects.',
  'bucket.endless_list':
    'The object list of the bucket {bucket} cannot be read because its pages are out of order. Check that the endpoint supports the S3 API.',
  'bucket.page_too_large':
    '{host} sent a page of the object list that is larger than {megabytes} MB. Check that the endpoint supports the S3 API.',
  'bucket.size_unknown':
    '{host} did not report the size of {key}. Check that the endpoint supports the S3 API.',
  'bucket.object_empty': 'This object is empty: {key} has 0 bytes. Upload its content again, or delete it.',
  'bucket.object_too_large':
    '{key} is larger than {megabytes} MB, the limit for a file. Split it into smaller files.',
  'bucket.list_unreadable':
    '{host} sent an object list that cannot be read: {details}. Check that the endpoint supports the S3 API.',
  'bucket.unavailable': '{host} is overloaded or had an internal error ({answer}). Try again later.',
  'bucket.wrong_region':
    'The bucket {bucket} is in the region {region}. Set region to {region}, and change endpoint to match if you set one.',
  'bucket.not_found': '{host} has no bucket named {bucket}. Check bucket, region and endpoint.',
  'bucket.object_gone':
    '{key} is no longer in the bucket {bucket}. Upload it there again, or delete the document.',
  'bucket.not_listed':
    '{host} cannot list the bucket {bucket}. Check that the endpoint does not contain the bucket name.',
  'bucket.unknown_access_key': '{host} does not know this access key. Check access_key_id and the endpoint.',
  'bucket.signature': '{host} rejected the signature. Check secret_access_key.',
  'bucket.session_token':
    '{host} accepts this access key only with a session token, which is not supported. Use a permanent access key.',
  'bucket.signature_region': '{host} rejected the signature. Check the region of the bucket {bucket}.',
  'bucket.clock':
    '{host} reports that the clock of this server is wrong. The operator of this server must correct it.',
  'bucket.object_archived': '{key} is archived. Restore it in the bucket {bucket} first.',
  'bucket.archived': 'This object is archived. Restore it in the bucket {bucket} first.',
  'bucket.redirect':
    '{host} redirects the request, and redirects are not followed. Check the region and endpoint of the bucket {bucket}.',
  'bucket.list_private':
    'The bucket {bucket} at {host} is not public. Set access_key_id and secret_access_key.',
  'bucket.object_private':
    '{key} in the bucket {bucket} at {host} is not public. Set access_key_id and secret_access_key.',
  'bucket.list_forbidden':
    'This access key cannot list the bucket {bucket} at {host}. Grant it s3:ListBucket.',
  'bucket.object_forbidden':
    'This access key cannot read {key} in the bucket {bucket} at {host}. Grant it s3:GetObject.',
  'bucket.list_refused':
    '{host} refused to list the bucket {bucket} ({answer}). Check the permissions of the access key.',
  'bucket.object_refused':
    '{host} refused to read {key} in the bucket {bucket} ({answer}). Check the permissions of the access key.',
})
