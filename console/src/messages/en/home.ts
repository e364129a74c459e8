export default {
  ask: {
    label: 'Ask anything',
    keys: 'Enter to send, Shift+Enter for a new line',
    send: 'Send',
  },
  chats: {
    title: 'Recent chats',
    all: 'View all chats',
    empty: 'No chats yet. Only you can see your chats.',
  },
  agents: { title: 'Agents', all: 'View all agents', off: 'Inactive' },
  greeting: 'Hello, {name}',
  knowledge: {
    title: 'Knowledge bases',
    all: 'View all knowledge bases',
    documents: '{count, plural, one {# document} other {# documents}}',
  },
  loading: 'Loading',
  spending: {
    title: 'Credits',
    all: 'View all usage',
    available: '<amount>{credits}</amount> <note>available</note>',
    none: '<amount>{credits}</amount> <note>available. Models don’t reply until an administrator adds credits.</note>',
    unused: 'No usage in the last {days, number} days',
    used: '{credits} used in the last {days, number} days for {replies, plural, one {# reply} other {# replies}}.',
  },
  steps: {
    title: 'Get started',
    progress: '{done, number} of {total, number} done',
    hide: 'Hide steps',
    done: 'Done',
    doneMark: '(done)',
    model: {
      title: 'Add a language model',
      reason: 'Until you add a model, the built-in demo replies. It only shows how Parley works.',
    },
    chat: { title: 'Start a chat', reason: 'Try what a model can do.' },
    document: { title: 'Add a document', reason: 'Replies can then use the document and cite it.' },
    agent: {
      title: 'Create an agent',
      reason: 'An agent is a model with instructions, knowledge and tools.',
    },
  },
  viewAll: 'View all',
} as const
