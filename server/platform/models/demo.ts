import { parseExactJson } from '#database/exact-json.ts'
import { DEMO_WORDS, languageOfMessage } from './demo-words.ts'
import { pause } from './pause.ts'
import { readPassages, readToolOutput, withoutAttachments } from './prompt-elements.ts'
import type { ReplyText } from './reply-text.ts'
import { newCallId } from './tool-calls.ts'
import { callableTools, demandsCall } from './tool-choice.ts'
import { asArguments } from './tool-input.ts'
import type { ModelMessage, ModelRequest, ModelResult } from './types.ts'

const WORD_DELAY_MS = 15
const QUOTE_CHARACTERS_MAX = 400
const TITLE_WORDS = 6
const PASSAGES_QUOTED_MAX = 3
const PASSAGE_CHARACTERS_MAX = 200

/**
 * Streams a reply from the built-in demo model. The model is deterministic and needs no API key and no network, so
 * that every feature works without a provider. Its replies quote the user's message and say that they come from the
 * demo, in German or English like the message. Visitors of websites read them too, so they contain neither instructions
 * of agents nor steps for developers.
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
  const words = wordsFor(request)
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
  if (request.thinking) await say(words.thought(countWords(question)), (word) => reply.reasoning(word))

  const toolRequest = requestedTool(request, last?.role === 'user' ? question : undefined)
  if (toolRequest) {
    reply.toolCall({ id: newCallId(), ...toolRequest })
    return { finishReason: 'tool_calls', usage: { inputTokens, outputTokens: outputTokens + 1 } }
  }
  await say(inForm(request, answer(request, last, question, words)), (word) => reply.text(word))
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

/** Returns the sentences of the reply, in the language of the newest user message. */
function wordsFor({ messages, language }: ModelRequest): Words {
  const asked = readPassages(textOf(messages.findLast(({ role }) => role === 'user'))).asked
  return DEMO_WORDS[languageOfMessage(withoutAttachments(asked), language)]
}

type Words = (typeof DEMO_WORDS)[keyof typeof DEMO_WORDS]

function answer(
  request: ModelRequest,
  last: ModelMessage | undefined,
  question: string,
  words: Words,
): string {
  if (request.system?.startsWith('Write a title')) return titleOf(question)
  if (last?.role === 'tool')
    return `${words.toolAnswered(last.toolName)}\n\n> ${quote(readToolOutput(last.output))}\n`
  const { asked, passages } = readPassages(question)
  const lines = [words.introduction, `> ${quote(asked)}`]
  if (passages.length > 0) lines.push(words.passages(passages.length))
  for (const { number, document, content } of passages.slice(0, PASSAGES_QUOTED_MAX))
    lines.push(`> ${quote(content, PASSAGE_CHARACTERS_MAX)}\n>\n> (${document}) [${number}]`)
  const earlier = request.messages.length - 1
  if (earlier > 0) lines.push(words.earlier(earlier))
  lines.push(words.end)
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
    return { name: tool.name, input: asArguments(parseExactJson(input)) ?? {} }
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

/** Counts without an array of words, which a long message would make large. */
function countWords(text: string): number {
  let count = 0
  for (const _word of text.matchAll(/\S+/g)) count += 1
  return count
}
