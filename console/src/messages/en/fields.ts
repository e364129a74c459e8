/** The labels of request fields, for error messages that name a field. */
export default {
  label: {
    amount: 'Amount',
    config: 'Configuration',
    content: 'Content',
    current_password: 'Current password',
    description: 'Description',
    email: 'Email',
    first_name: 'First name',
    last_name: 'Last name',
    message: 'Message',
    name: 'Name',
    new_password: 'New password',
    password: 'Password',
    query: 'Search',
    system_prompt: 'System prompt',
    text: 'Text',
    title: 'Title',
    url: 'URL',
    version: 'Version',
  },
  refused: '“{field}” {problem}',
} as const
