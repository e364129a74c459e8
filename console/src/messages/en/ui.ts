export default {
  justNow: 'just now',
  loading: 'Loading',
  requestId: 'Request ID: {id}',
  retry: 'Retry',
  showMore: 'Show more',
} as const
