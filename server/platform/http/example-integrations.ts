import { sentence } from '#errors'
import {
  at,
  CALL,
  CATEGORY,
  CHAT,
  CONNECTION,
  DELIVERY,
  DOCUMENT,
  FIND_ORDER,
  HOURS,
  ORDER,
  ORGANIZATION,
  REPLY,
  SERVER,
  SOURCE,
  TOOL,
  WEBHOOK,
} from './example-values.ts'

const LOW = { balance: 99_990, available: 99_989 }
const LOW_CREDITS_WEBHOOK = {
  id: WEBHOOK,
  description: 'Warns us before the credits run out.',
  event_types: ['billing.credits_low'],
}
const INPUT_MESSAGE = {
  type: 'message',
  id: `msg_${REPLY}`,
  role: 'user',
  status: 'completed',
  content: [{ type: 'input_text', text: HOURS }],
}
const DELIVERED = { id: DELIVERY }

/** Values by component and field: tools, MCP, OpenAI's API, events and webhooks. */
export const INTEGRATION_RECORDS: Record<string, Record<string, unknown>> = {
  BillingCreditsLowEvent: { ...DELIVERED, ...LOW },
  BillingDebitedEvent: { ...DELIVERED, api_key_id: null, deployment_id: null },
  ConversationUpdatedEvent: DELIVERED,
  DeploymentStatusChangedEvent: {
    ...DELIVERED,
    name: 'Website',
    status: 'paused',
    previous_status: 'active',
  },
  IngestionCompletedEvent: {
    ...DELIVERED,
    name: 'Shop handbook',
    documents: { total: 24, ready: 24, failed: 0 },
    sources: [{ id: SOURCE, type: 'web', status: 'ready', error: null }],
  },
  IngestionFailedEvent: {
    ...DELIVERED,
    name: 'Price lists',
    documents: { total: 1, ready: 0, failed: 1 },
    sources: [{ id: SOURCE, type: 'file', status: 'failed', error: sentence('document.no_text_in_pdf') }],
  },
  McpClientDocument: {
    client_id: 'https://parley.fernhill.example/api/mcp/client.json',
    client_name: 'Parley',
  },
  McpConnectionAttempt: { id: CONNECTION },
  DeletedMcpInstance: { message: 'MCP instance deleted', code: undefined, values: undefined },
  McpInstance: { id: CONNECTION, name: 'Work account', status: 'active' },
  McpServer: { id: SERVER, name: 'Calendar', description: 'Reads and creates events.', auth_type: 'oauth' },
  McpServerRecord: {
    id: SERVER,
    name: 'Calendar',
    description: 'Reads and creates events.',
    url: 'https://calendar.example.com/mcp',
    auth_config: { type: 'oauth', client_id: 'parley', scopes: 'events.read events.write' },
  },
  McpPendingConnection: { expires_at: at('09:10:00') },
  McpServerWithTools: {
    id: SERVER,
    name: 'Calendar',
    description: 'Reads and creates events.',
    auth_type: 'oauth',
    error: null,
  },
  McpTool: {
    name: 'list_events',
    description: 'Lists the events of a day.',
    input_schema: { type: 'object', properties: { date: { type: 'string' } }, required: ['date'] },
  },
  McpResource: {
    uri: 'file:///opening-hours.md',
    name: 'Opening hours',
    description: 'The opening hours of the shop.',
    content_type: 'text/markdown',
    size: 412,
  },
  AnthropicMessage: {
    id: `msg_${REPLY}`,
    model: 'Shop assistant',
    content: [{ type: 'text', text: 'We open at 8:00.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 24,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 8,
    },
  },
  AnthropicModel: { id: 'Shop assistant', display_name: 'Shop assistant' },
  AnthropicModelPage: { has_more: false, first_id: 'Shop assistant', last_id: 'Shop assistant' },
  AnthropicTokenCount: { input_tokens: 24 },
  OpenAiChatCompletion: {
    id: `chatcmpl-${REPLY}`,
    model: 'Shop assistant',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'We open at 8:00.' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 24, completion_tokens: 8, total_tokens: 32 },
  },
  OpenAiCompletion: {
    id: `cmpl-${REPLY}`,
    model: 'Shop assistant',
    choices: [{ index: 0, text: 'We open at 8:00.', logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 24, completion_tokens: 8, total_tokens: 32 },
  },
  OpenAiCompaction: {
    id: `resp_${REPLY}`,
    created_at: 1_772_442_000,
    output: [INPUT_MESSAGE, { type: 'compaction', id: `cmp_${REPLY}`, encrypted_content: 'v1.9Kd4Lm2x' }],
    usage: { input_tokens: 96, output_tokens: 14, total_tokens: 110 },
  },
  OpenAiConversation: { id: `conv_${CHAT}`, created_at: 1_772_442_000, metadata: { topic: 'Opening hours' } },
  OpenAiConversationItem: { id: `msg_${REPLY}`, type: 'message' },
  OpenAiDeletedConversation: { id: `conv_${CHAT}` },
  OpenAiDeletedResponse: { id: `resp_${REPLY}` },
  OpenAiItemList: {
    data: [INPUT_MESSAGE],
    first_id: `msg_${REPLY}`,
    last_id: `msg_${REPLY}`,
    has_more: false,
  },
  OpenAiEmbeddingList: { model: 'text-embedding-3-small', embedding: [0.0123, -0.0456, 0.0789] },
  OpenAiDeletedFile: { id: DOCUMENT },
  OpenAiFile: { id: DOCUMENT, filename: 'Price list.pdf', bytes: 48_210, created_at: 1_772_442_000 },
  OpenAiFileList: { has_more: false, first_id: DOCUMENT, last_id: DOCUMENT },
  OpenAiImageList: {
    data: [{ b64_json: 'iVBORw0KGgo=' }],
    output_format: 'png',
    usage: { input_tokens: 12, output_tokens: 1_056, total_tokens: 1_068 },
  },
  OpenAiModel: { id: 'Shop assistant', owned_by: 'agent' },
  OpenAiModelList: {
    data: [
      { id: 'GPT-5 mini', owned_by: 'openai' },
      { id: 'Shop assistant', owned_by: 'agent' },
    ],
  },
  OpenAiResponse: {
    id: `resp_${REPLY}`,
    previous_response_id: null,
    created_at: 1_772_442_000,
    model: 'Shop assistant',
    output: [
      {
        type: 'message',
        id: `msg_${REPLY}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'We open at 8:00.', annotations: [] }],
      },
    ],
    usage: { input_tokens: 24, output_tokens: 8, total_tokens: 32 },
  },
  OpenAiTranscription: {
    text: 'When do you open?',
    language: 'en',
    duration: 1.6,
    usage: { type: 'duration', seconds: 2 },
  },
  PlaygroundMemoryEntry: { content: 'Which events are in my calendar today?' },
  Tool: {
    id: TOOL,
    logo_url: null,
    name: 'Find order',
    description: 'Finds an order by its number.',
    functions: [
      {
        name: 'find_order',
        description: 'Finds an order by its number.',
        parameters: {
          type: 'object',
          properties: { order_number: { type: 'string' } },
          required: ['order_number'],
        },
      },
    ],
    inputs: [
      {
        name: 'order_number',
        type: 'str',
        description: 'Number of the order.',
        required: true,
        default: null,
      },
    ],
    configuration: [
      {
        name: 'api_key',
        type: 'str',
        description: 'Key of the shop.',
        required: true,
        default: null,
        secret: true,
      },
    ],
    outputs: { type: 'dict', description: 'Status and carrier of the order.' },
    settings: {
      function_info: {
        name: 'find_order',
        is_async: true,
        description: 'Finds an order by its number.',
        code: FIND_ORDER,
      },
      requirements: [],
      deployment: { framework: 'python', toolkit_class: false, standalone_function: true },
      network: ['shop.fernhill.example'],
    },
  },
  ToolCall: { ...CALL, output: ORDER },
  ToolCategory: { id: CATEGORY, name: 'Orders', description: 'Tools for the shop.' },
  ToolTestResult: {
    result: 'Order FH-1042 has been shipped.',
    tool_calls: [
      {
        name: CALL.name,
        input: CALL.input,
        output: ORDER,
        error: null,
        successful: true,
        execution_time: 0.4,
      },
    ],
    execution_time: 2.1,
  },
  Webhook: LOW_CREDITS_WEBHOOK,
  WebhookTestEvent: DELIVERED,
  WebhookWithSecret: { ...LOW_CREDITS_WEBHOOK, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwVb3xK9n8Wq0=' },
  WebhookDelivery: {
    ...DELIVERED,
    event_type: 'billing.credits_low',
    status: 'delivered',
    next_attempt_at: null,
    data: { organization_id: ORGANIZATION, ...LOW, threshold: 100_000 },
  },
}
