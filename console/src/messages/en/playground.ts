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
    direct: 'Connected tools',
    discovery: 'Server discovery',
    inactive:
      '{count, plural, one {A selected connection is no longer active and isn’t used.} other {# selected connections are no longer active and aren’t used.}}',
    model: 'Model',
    noActive: 'No active connections',
    noMatches: 'No matching connections',
    none: 'No connections yet',
  },
  turn: {
    connect: 'Connect account',
    connectServer: 'Connect {name}',
    recommended: 'Recommended servers',
    retry: 'Retry with selected connections',
    thinking: 'Thinking…',
    use: 'Use',
    useServer: 'Use {name}',
    you: 'You:',
  },
  welcome: {
    costs: 'Replies cost credits. The history is cleared after 30 minutes without messages.',
    direct: 'The model uses the tools of the selected connections. Each call shows its input and output.',
    discovery:
      'The model searches the server catalog and recommends servers to connect. To use their tools, select connections above.',
    title: 'What do you want to do?',
  },
} as const
