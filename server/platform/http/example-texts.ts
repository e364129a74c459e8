import { ANSWER, at, DAY, HOURS, MODEL, REPLY, SERVER, SESSION, SOURCES } from './example-values.ts'

/* Examples that cannot be composed from a schema: streams and files. */

const EVENTS_CALL = { id: 'call_9Qz4', name: 'list_events', input: { date: DAY } }
const CALENDAR = { events: [{ title: 'Tasting', start: at('15:00:00') }] }

/** Example events of streams, by the component that describes the data of an event. Each event has a summary. */
const EVENTS: Record<string, readonly (readonly [summary: string, data: object])[]> = {
  ReplyEvent: [
    [`id: ${REPLY}.1`, { message: 'We open at 8:00 on weekdays ' }],
    [`id: ${REPLY}.2`, { message: 'and at 9:00 on weekends [1].' }],
    [`id: ${REPLY}.3`, { message: 'DONE' }],
  ],
  PromptEvent: [
    ['id: 1', { content: 'Write a menu for a rainy day.' }],
    ['id: 2', { content: 'DONE' }],
  ],
  ConversationEvent: [
    ['event: start', { message_id: REPLY, chat_session_id: SESSION }],
    ['event: content', { content: 'How about Morning Fern?' }],
    [
      'event: end',
      { message_id: REPLY, finish_reason: 'stop', usage: { input_tokens: 210, output_tokens: 9 } },
    ],
  ],
  QueryEvent: [
    ['event: sources', { sources: SOURCES }],
    ['event: content', { content: ANSWER }],
    ['event: end', { citations: [1], usage: { input_tokens: 820, output_tokens: 95 } }],
  ],
  PlaygroundEvent: [
    ['A tool call that started', { message: '', tool: { ...EVENTS_CALL, output: null } }],
    [
      'A tool call that ended',
      { message: '', tool: { ...EVENTS_CALL, output: CALENDAR, error: null, successful: true } },
    ],
    ['A piece of the reply', { message: 'You have one event today: the tasting at 15:00.', tool: null }],
    ['Recommended servers', { mcp: { server_ids: [SERVER] }, message: '' }],
    ['The end', { message: 'DONE', tool: null }],
  ],
}

/**
 * Example streams for clients of OpenAI and Anthropic, by path. Plain text instead of events with schemas, because
 * these companies document the events.
 */
const STREAMS: Record<string, string> = {
  '/openai/v1/chat/completions':
    `data: {"id":"chatcmpl-${REPLY}","object":"chat.completion.chunk","created":1772442000,"model":"Shop assistant",` +
    '"choices":[{"index":0,"delta":{"content":"We open at 8:00."},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
  '/openai/v1/completions':
    `data: {"id":"cmpl-${REPLY}","object":"text_completion","created":1772442000,"model":"Shop assistant",` +
    '"choices":[{"index":0,"text":"We open at 8:00.","logprobs":null,"finish_reason":null}]}\n\ndata: [DONE]\n\n',
  '/openai/v1/responses':
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":4,' +
    `"item_id":"msg_${REPLY}",` +
    '"output_index":0,"content_index":0,"delta":"We open at 8:00."}\n\n',
  '/anthropic/v1/messages':
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,' +
    '"delta":{"type":"text_delta","text":"We open at 8:00."}}\n\n',
}

/** Returns the example events of streams whose event data this component describes. */
export const eventsOf = (component: string): readonly (readonly [summary: string, data: object])[] =>
  EVENTS[component] ?? []

/** Returns an example excerpt of a stream without a component for its events. */
export const streamOf = (url: string): string | undefined => STREAMS[url]

const FILES: Record<string, string> = {
  'text/csv': `day,model_id,model_name,messages,input_tokens,output_tokens,credits\r\n${DAY},${MODEL},GPT-5 mini,1,820,95,1200\r\n`,
  'text/markdown': `# Opening hours\n\n## You, ${at('09:00:00')}\n\n${HOURS}\n\n## Assistant, ${at('09:00:00')}\n\n${ANSWER}\n`,
  'application/zip': '(the bytes of the ZIP archive)',
}

/** Returns the example content of a file of this content type. */
export const exampleOfFile = (type: string): string => FILES[type] ?? '(the bytes of the file)'
