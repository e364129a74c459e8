/*
 * Requests in the form in which programs without a library of their own send them. Texts are shortened; fields, blocks
 * and headers are those of the programs.
 */

export interface RecordedClientRequest {
  name: string
  path: string
  headers: Record<string, string>
  body: object
  /** The header X-Ignored-Parameters of the response of a server that is compatible with OpenAI. */
  ignored: string[]
}

const EPHEMERAL = { type: 'ephemeral' }
const text = (content: string, more: object = {}) => ({ type: 'text', text: content, ...more })
const schemaOf = (...fields: string[]) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  required: fields,
  additionalProperties: false,
})

const CLAUDE_CODE = {
  path: '/anthropic/v1/messages?beta=true',
  headers: {
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27',
    'user-agent': 'claude-cli/2.1.0 (external, cli)',
    'x-app': 'cli',
    'x-stainless-lang': 'js',
  },
  body: {
    max_tokens: 32_000,
    stream: true,
    system: [
      text("You are Claude Code, Anthropic's official CLI for Claude.", { cache_control: EPHEMERAL }),
      text('You are an interactive agent.', { cache_control: EPHEMERAL }),
    ],
    messages: [
      {
        role: 'user',
        content: [text('<system-reminder>\nToday is Monday.\n</system-reminder>'), text('List the files')],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I need a listing.', signature: 'c2lnbmF0dXJl' },
          { type: 'tool_use', id: 'toolu_01', name: 'Bash', input: { command: 'ls' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_01',
            content: [text('a.txt')],
            is_error: false,
            cache_control: EPHEMERAL,
          },
        ],
      },
      { role: 'system', content: [text('Plan mode has ended.')] },
      { role: 'user', content: [text('Go on', { cache_control: EPHEMERAL })] },
    ],
    tools: [
      { name: 'Bash', description: 'Runs a command', input_schema: schemaOf('command') },
      {
        name: 'Read',
        description: 'Reads a file',
        input_schema: schemaOf('file_path'),
        cache_control: EPHEMERAL,
      },
    ],
    metadata: { user_id: 'user_0_account__session_1' },
    thinking: { type: 'adaptive' },
    output_config: { effort: 'medium' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  },
}

const PATCH_TEXT = '*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch'
const CODEX = {
  path: '/openai/v1/responses',
  headers: { originator: 'codex_cli_rs', session_id: 's', 'user-agent': 'codex_cli_rs/0.100.0' },
  body: {
    stream: true,
    store: false,
    instructions: 'You are Codex.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '<permissions/>' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add a file' }] },
      { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAAA' },
      { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1', output: '{"output":"a.txt"}' },
      {
        type: 'custom_tool_call',
        status: 'completed',
        call_id: 'call_2',
        name: 'apply_patch',
        input: PATCH_TEXT,
      },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'Success' },
      { type: 'function_call', name: 'search', namespace: 'mcp__docs', arguments: '{}', call_id: 'call_3' },
      { type: 'function_call_output', call_id: 'call_3', output: [{ type: 'input_text', text: 'found' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks' }] },
    ],
    tools: [
      {
        type: 'function',
        name: 'shell',
        description: 'Runs',
        strict: false,
        parameters: schemaOf('command'),
      },
      {
        type: 'custom',
        name: 'apply_patch',
        description: 'Edits files',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch' },
      },
      {
        type: 'namespace',
        name: 'mcp__docs',
        description: 'Documents',
        tools: [{ type: 'function', name: 'search', description: 'Searches', parameters: schemaOf('query') }],
      },
      { type: 'web_search', external_web_access: true },
      { type: 'local_shell' },
      { type: 'image_generation', output_format: 'png' },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '019a',
    text: { verbosity: 'low' },
    client_metadata: { installation: 'i' },
  },
}

const CURSOR = {
  path: '/openai/v1/chat/completions',
  headers: { 'user-agent': 'Cursor/1.7' },
  body: {
    stream: true,
    stream_options: { include_usage: true },
    user: 'github|user_01',
    temperature: 0,
    messages: [
      { role: 'system', content: 'You are an assistant in an editor.' },
      { role: 'user', content: [text('<user_info>\nLinux\n</user_info>'), text('Read a.txt')] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            index: 0,
            function: { name: 'read_file', arguments: '{"target_file":"a.txt"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', name: 'read_file', content: [text('hello')] },
      { role: 'user', content: [text('Thanks', { cache_control: EPHEMERAL })] },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'read_file', description: 'Reads', parameters: schemaOf('target_file') },
      },
    ],
    tool_choice: 'auto',
    metadata: { cursorConversationId: 'c' },
    include: ['reasoning.encrypted_content'],
    store: false,
  },
}

export const RECORDED: RecordedClientRequest[] = [
  { name: 'Claude Code', ...CLAUDE_CODE, ignored: ['cache_control', 'context_management'] },
  {
    name: 'Codex',
    ...CODEX,
    ignored: [
      'tools.web_search',
      'tools.local_shell',
      'tools.image_generation',
      'prompt_cache_key',
      'client_metadata',
    ],
  },
  { name: 'Cursor', ...CURSOR, ignored: ['metadata', 'include', 'store'] },
]
