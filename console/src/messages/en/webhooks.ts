export default {
  title: 'Webhooks',
  description:
    'A webhook sends signed HTTP requests to your server when an event occurs in this organization.',
  add: 'Add webhook',
  empty: 'No webhooks yet',
  emptyHint:
    'Notify your server when a conversation has a new reply, a knowledge base is indexed, or credits run low.',
  failingSince: 'No successful delivery since {time}',
  state: {
    enabled: 'Enabled',
    failing: 'Failing',
    disabled: 'Disabled',
  },
  page: {
    title: 'Webhook',
    events: 'Events: {events}',
    notFound: 'Webhook not found',
    notFoundHint: 'The webhook was deleted, or it belongs to another organization.',
    disabled:
      '{reason} No events are sent until you enable the webhook. Events that occur while it is disabled are never sent.',
    disabledByMember:
      'A member disabled this webhook. No events are sent until you enable the webhook. Events that occur while it is disabled are never sent.',
    failing:
      'No delivery has succeeded since {time}. After five days without a successful delivery, the webhook is disabled automatically.',
  },
  actions: {
    test: 'Send test event',
    testPending: 'The test event is queued behind earlier deliveries',
    testDelivered: 'Test event delivered: HTTP {status} in {ms, number} ms',
    testFailed: 'Test event failed: {error}',
    testRejected: 'Test event failed: HTTP {status}',
    more: 'More actions',
    edit: 'Edit',
    enable: 'Enable',
    enabled: 'Webhook enabled',
    disable: 'Disable',
    disabled: 'Webhook disabled',
    disableTitle: 'Disable this webhook?',
    disableConsequence:
      'Pending deliveries are marked as failed. You can enable the webhook again at any time.',
    rotate: 'Rotate secret',
    rotateTitle: 'Rotate the signing secret?',
    rotateConsequence:
      'For 24 hours, requests are signed with both the new and the current secret. Older secrets stop working immediately.',
    rotated: 'The previous secret stays valid for 24 hours.',
    delete: 'Delete',
    deleteTitle: 'Delete this webhook?',
    deleteConsequence:
      'Parley sends no more events to {url}, and the delivery history is deleted. This can’t be undone.',
    deleted: 'Webhook deleted',
  },
  form: {
    new: 'Add webhook',
    edit: 'Edit webhook',
    add: 'Add webhook',
    save: 'Save webhook',
    saved: 'Webhook saved',
    url: 'URL',
    urlHint: 'HTTP or HTTPS. If the response status isn’t 2xx, the delivery is retried for about a day.',
    description: 'Description (optional)',
    events: 'Events',
  },
  event: {
    conversation: {
      updated: 'A conversation is created, renamed, archived or deleted, or has a new reply',
    },
    agent_deployment: {
      status_changed: 'A deployment is paused or resumed',
    },
    knowledge_base: {
      ingestion_completed: 'All documents of a knowledge base are indexed',
      ingestion_failed: 'No document of a knowledge base could be indexed',
    },
    billing: {
      debited: 'Credits are spent',
      credits_low: 'Credits fall below the warning threshold',
    },
  },
  secret: {
    title: 'Signing secret',
    usage:
      'Use the secret to verify that requests come from Parley. The signatures follow the Standard Webhooks specification, so you can verify them with its libraries.',
    done: 'Done',
  },
  deliveries: {
    title: 'Deliveries',
    empty: 'No deliveries yet',
    emptyHint: 'Deliveries of the last 30 days appear here. Send a test event to check the connection.',
    noMatches: 'No deliveries match these filters',
    status: 'Status',
    event: 'Event',
    all: 'All',
  },
  deliveryStatus: {
    pending: 'Pending',
    delivered: 'Delivered',
    failed: 'Failed',
  },
  delivery: {
    sequence: 'Delivery #{number, number}',
    attempts: 'Attempts',
    responded: 'HTTP {status} after {ms, number} ms',
    failed: '{error} ({ms, number} ms)',
    noAttempts: 'No attempts yet',
    nextAttempt: 'Next attempt: {time}',
    data: 'Event data',
    redeliver: 'Redeliver event',
    redelivering: 'Delivery scheduled',
    disabled: 'Enable the webhook first',
  },
} as const
