export default {
  title: 'Playground',
  clear: {
    action: 'Clear history',
    consequence:
      'All messages in the playground are deleted. Your connections are kept. This can’t be undone.',
    title: 'Clear history?',
  },
  lost: 'The connection was lost before the reply was complete. The playground doesn’t keep incomplete replies. Send your message again.',
  memory: {
    label: 'Earlier messages',
    note: 'Earlier messages without their tool calls',
  },
  messages: 'Messages',
  notAllowed:
    'Your role can view connections but can’t use them. Ask an administrator for the permission mcp:write.',
  placeholder: 'Describe a task',
  setup: {
    choose: 'Choose connections',
    connect: 'Connect an account',
    connections: 'Connections',
    defaultModel: 'Default model',
    direct: 'Use connected tools',
    discovery: 'Find servers for a task',
    inactive:
      '{count, plural, one {A selected connection is no longer active and isn’t used.} other {# selected connections are no longer active and aren’t used.}}',
    model: 'Model',
    noActive: 'No active connections',
    noMatches: 'No matching connections',
    none: 'No connections yet',
  },
  turn: {
    connect: 'Connect',
    connectServer: 'Connect {name}',
    notSetUp: 'Ask a system administrator to set up this server.',
    recommended: 'Recommended servers',
    retry: 'Retry with selected connections',
    thinking: 'Thinking…',
    use: 'Use',
    useServer: 'Use {name}',
    you: 'You:',
  },
  welcome: {
    costs: 'Replies cost credits. The history is cleared after 30 minutes without messages.',
    direct:
      'Describe a task. The model does it with the tools of the selected connections, and each call shows its input and output.',
    directExamples: {
      first: 'What can you do with the connected tools?',
      second: 'Show me what has changed since yesterday',
    },
    discovery:
      'Describe a task. The model finds servers whose tools can do it. Connect one, and send the task again.',
    examples: 'Example tasks',
    findExamples: {
      first: 'List the open issues that are assigned to me',
      second: 'Find a page in our team’s wiki',
      third: 'Post a message in a team channel',
    },
    title: 'What do you want to do?',
  },
} as const
