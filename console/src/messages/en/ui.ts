export default {
  copied: 'Copied',
  copy: 'Copy',
  copyItem: 'Copy {name}',
  secretOnce: 'Copy this now and store it securely. It is not shown again.',
  justNow: 'just now',
  loading: 'Loading',
  requestId: 'Request ID: {id}',
  retry: 'Retry',
  showMore: 'Show more',
} as const
