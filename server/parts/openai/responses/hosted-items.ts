import type { HostedItem, ResponseItem } from './schemas.ts'

/*
 * Items of tools that OpenAI runs. Clients that used them with another server send them back as part of the conversation.
 * No model here knows these tools, but some items contain text on which the conversation builds.
 */

/** Types of the items, and the text of those that may contain some. https://platform.openai.com/docs/api-reference */
const TEXTS = {
  web_search_call: null,
  image_generation_call: null,
  computer_call: null,
  computer_call_output: null,
  mcp_list_tools: null,
  mcp_approval_request: null,
  mcp_approval_response: null,
  tool_search_call: null,
  tool_search_output: null,
  additional_tools: null,
  compaction_trigger: null,
  file_search_call: ({ results }) => listOf(results).map(({ filename, text }) => lines([filename, text])),
  code_interpreter_call: ({ code, outputs }) => [code, ...listOf(outputs).map(({ logs }) => logs)],
  mcp_call: ({ server_label: server, name, arguments: given, output, error }) =>
    isFilled(output) || isFilled(error) ? [server, name, given, output, error] : [],
  local_shell_call: ({ action }) => [recordOf(action)['command']],
  local_shell_call_output: ({ output }) => [output],
  shell_call: ({ action }) => [recordOf(action)['commands']],
  shell_call_output: ({ output }) =>
    typeof output === 'string'
      ? [output]
      : listOf(output).flatMap(({ stdout, stderr, outcome }) => [stdout, stderr, exitOf(outcome)]),
  apply_patch_call: ({ operation }) => {
    const { type, path, diff } = recordOf(operation)
    return [type, path, diff]
  },
  apply_patch_call_output: ({ status, output }) => [status, output],
  program: ({ code }) => [code],
  program_output: ({ result }) => [result],
} satisfies Record<string, ((item: Fields) => unknown[]) | null>

type Fields = Record<string, unknown>

export const HOSTED_TYPES = Object.keys(TEXTS) as (keyof typeof TEXTS)[]

export const isHosted = (item: ResponseItem | HostedItem): item is HostedItem =>
  item.type !== undefined && Object.hasOwn(TEXTS, item.type)

/** Returns the message that stands for the item in the conversation, or null if the item contains no text. */
export function messageFor(item: HostedItem): ResponseItem | null {
  const textsOf: ((fields: Fields) => unknown[]) | null = TEXTS[item.type]
  const text = lines(textsOf?.(item) ?? [])
  return text === ''
    ? null
    : { role: 'user', content: `(Earlier in this conversation: ${item.type})\n${text}` }
}

/** Returns the names of the ignored items, for X-Ignored-Parameters. */
export function ignoredItems(input: string | readonly (ResponseItem | HostedItem)[]): string[] {
  if (typeof input === 'string') return []
  const ignored = input.filter(isHosted).filter((item) => messageFor(item) === null)
  return [...new Set(ignored.map(({ type }) => `input.${type}`))]
}

const lines = (texts: readonly unknown[]): string => texts.map(textOf).filter(isFilled).join('\n')

const isFilled = (value: unknown): boolean => textOf(value).trim() !== ''

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(' ')
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

function exitOf(outcome: unknown): string {
  const { type, exit_code: code } = recordOf(outcome)
  return code === undefined || code === 0 ? (type === 'timeout' ? 'timeout' : '') : `exit code ${code}`
}

const recordOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(recordOf) : [])
