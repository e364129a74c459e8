import { pause } from './pause.ts'
import { readPassages, readToolOutput, withoutAttachments } from './prompt-elements.ts'
import type { ReplyText } from './reply-text.ts'
import { asArguments, newCallId } from './tool-calls.ts'
import { callableTools, demandsCall } from './tool-choice.ts'
import type { ModelMessage, ModelRequest, ModelResult } from './types.ts'

const WORD_DELAY_MS = 15
const QUOTE_CHARACTERS_MAX = 400
const TITLE_WORDS = 6
const PASSAGES_QUOTED_MAX = 3
const PASSAGE_CHARACTERS_MAX = 200

/**
 * Streams a reply from the built-in demo model. The model is deterministic and needs no API key and no network, so
 * that every feature works without a provider. Its replies quote the user's message and say that they come from the
 * demo. Visitors of websites read them too, so they contain neither instructions of agents nor steps for developers.
 *
 * The demo model also writes titles, and emits reasoning on request. It calls a tool if the user's message names one
 * (`use tool NAME`, or `TOOL:NAME={…}` with input) or the request demands a call.
 */
export async function streamDemo(
  request: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const last = request.messages.at(-1)
  const question = textOf(last)
  const inputTokens = countWords([request.system ?? '', ...request.messages.map(textOf)].join(' '))
  let outputTokens = 0
  const say = async (text: string, take: (word: string) => void): Promise<void> => {
    for (const word of text.split(/(?<=\s)/)) {
      signal.throwIfAborted()
      take(word)
      outputTokens += 1
      await pause(WORD_DELAY_MS, signal)
    }
  }
  if (request.thinking)
    await say(`The message has ${countWords(question)} words. I can only quote it.`, (word) =>
      reply.reasoning(word),
    )

  const toolRequest = requestedTool(request, last?.role === 'user' ? question : undefined)
  if (toolRequest) {
    reply.toolCall({ id: newCallId(), ...toolRequest })
    return { finishReason: 'tool_calls', usage: { inputTokens, outputTokens: outputTokens + 1 } }
  }
  await say(inForm(request, answer(request, last, question)), (word) => reply.text(word))
  return { finishReason: 'stop', usage: { inputTokens, outputTokens } }
}

/**
 * Wraps the text in JSON if the request has a response format, ignoring the schema. Then truncates the result at the
 * first stop sequence.
 */
function inForm({ responseFormat, stop = [] }: ModelRequest, text: string): string {
  const whole = responseFormat ? JSON.stringify({ answer: text }) : text
  const ends = stop.map((mark) => whole.indexOf(mark)).filter((end) => end >= 0)
  return whole.slice(0, Math.min(whole.length, ...ends))
}

function answer(request: ModelRequest, last: ModelMessage | undefined, question: string): string {
  if (request.system?.startsWith('Write a title')) return titleOf(question)
  if (last?.role === 'tool')
    return `The tool **${last.toolName}** answered:\n\n> ${quote(readToolOutput(last.output))}\n`
  const { asked, passages } = readPassages(question)
  const lines = [
    'This is the **Parley demo**, not a language model: it can only repeat what you write. You said:',
    `> ${quote(asked)}`,
  ]
  if (passages.length > 0)
    lines.push(`Your documents have ${countOf(passages.length, 'passage')} about this:`)
  for (const { number, document, content } of passages.slice(0, PASSAGES_QUOTED_MAX))
    lines.push(`> ${quote(content, PASSAGE_CHARACTERS_MAX)}\n>\n> (${document}) [${number}]`)
  const earlier = request.messages.length - 1
  if (earlier > 0) lines.push(`This chat has ${countOf(earlier, 'earlier message')}.`)
  lines.push('As soon as a language model is connected, it answers here.')
  return `${lines.join('\n\n')}\n`
}

/** Returns the first words of the user's message as a title. */
const titleOf = (conversation: string): string =>
  (/^User: (.*)/.exec(conversation)?.[1] ?? '').split(/\s+/).slice(0, TITLE_WORDS).join(' ')

/**
 * Returns the tool that the user's message names, or the first tool if the request demands a call. Ignores
 * attachments and passages, which must not trigger calls.
 */
function requestedTool(
  request: ModelRequest,
  question = '',
): { name: string; input: Record<string, unknown> } | undefined {
  const asked = withoutAttachments(readPassages(question).asked)
  const [, named, input = '{}'] = /(?:TOOL:|\buse (?:the )?tool )([\w-]+)(?:=(\{.*\}))?/is.exec(asked) ?? []
  const tools = callableTools(request)
  const tool = tools.find(({ name }) => name === named)
  if (!tool)
    return tools[0] && demandsCall(request.toolChoice) ? { name: tools[0].name, input: {} } : undefined
  try {
    return { name: tool.name, input: asArguments(JSON.parse(input)) ?? {} }
  } catch {
    return { name: tool.name, input: {} } // invalid JSON after the name: call without input
  }
}

function textOf(message: ModelMessage | undefined): string {
  if (!message) return ''
  if (message.role === 'tool') return message.output
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : `(an ${part.type})`)).join(' ')
}

/**
 * Truncates text without splitting a character. Prefixes every line but the first with `> `, for a Markdown quote.
 */
function quote(text: string, charactersMax = QUOTE_CHARACTERS_MAX): string {
  const characters = [...text.slice(0, charactersMax * 2)]
  const excerpt = characters.slice(0, charactersMax).join('').toWellFormed()
  return (excerpt.length < text.length ? `${excerpt} …` : excerpt).replaceAll('\n', '\n> ')
}

const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length
