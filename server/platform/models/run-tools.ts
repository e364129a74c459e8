import { parseExactJson } from '#database/exact-json.ts'
import { sentence } from '#errors'
import { decodeNested } from './nested-arguments.ts'
import { storable } from './reply-text.ts'
import type { RunnableTool, ToolOutcome, ToolSink } from './tool-loop.ts'
import type { ToolCall } from './types.ts'
import { writeJson } from './write-json.ts'

/** Maximum tools of a step that run concurrently. @limit concurrent tool calls of a reply */
const TOOLS_AT_ONCE_MAX = 8
/** Maximum timeout of a tool, in milliseconds. */
const TIMEOUT_MS_MAX = 15 * 60_000
/** @limit output of a tool */
const OUTPUT_CHARACTERS_MAX = 1024 * 1024
const ERROR_CHARACTERS_MAX = 2_000
/** Maximum tool names listed in the error for an unknown tool. */
const NAMES_LISTED_MAX = 50

/** Limits of the loop's remaining outputs in total. */
export interface OutputBudget {
  charactersLeft: number
  imageBytesLeft: number
}

/**
 * Runs the tool calls of one step, several concurrently, and returns the outcomes in call order. Reports each start
 * and end to the sink. If the signal aborts or a tool times out, aborts the tool's own signal and stops waiting for
 * the tool. Rejects only with the signal's reason.
 */
export async function runTools(
  tools: ReadonlyMap<string, RunnableTool>,
  calls: readonly ToolCall[],
  budget: OutputBudget,
  sink: ToolSink,
  signal: AbortSignal,
): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = []
  const ended = new AbortController()
  const bounded = AbortSignal.any([signal, ended.signal])
  let next = 0
  const work = async (): Promise<void> => {
    while (next < calls.length && !bounded.aborted) {
      const index = next++
      const call = calls[index] as ToolCall
      sink.toolStarted(call)
      const onBug = (error: unknown): void => sink.toolBroke?.(call, error)
      const outcome = await runTool(tools, call, budget, onBug, bounded)
      outcomes[index] = outcome
      sink.toolEnded(call, outcome)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(TOOLS_AT_ONCE_MAX, calls.length) }, work))
    signal.throwIfAborted()
    return outcomes
  } finally {
    ended.abort()
  }
}

async function runTool(
  tools: ReadonlyMap<string, RunnableTool>,
  { name, input, fault }: ToolCall,
  budget: OutputBudget,
  onBug: (error: unknown) => void,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  signal.throwIfAborted()
  const tool = tools.get(name)
  if (!tool) return failed(unknownTool(name, [...tools.keys()]))
  if (fault !== undefined) return failed(sentence('tool.arguments_broken', { fault }))
  const timeoutMs = Math.min(tool.timeoutMs, TIMEOUT_MS_MAX)
  const given = new AbortController()
  const timer = setTimeout(() => given.abort(), timeoutMs)
  const stop = (): void => given.abort(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    const aborted = new Promise<never>((_resolve, reject) =>
      given.signal.addEventListener('abort', () => reject(given.signal.reason)),
    )
    // An async function turns a synchronous throw into a rejection.
    const run = async (): Promise<ToolOutcome> =>
      tool.run(decodeNested(input, tool.definition.parameters), given.signal)
    return withinBudget(await Promise.race([run(), aborted]), budget)
  } catch (error) {
    signal.throwIfAborted()
    if (given.signal.aborted) return failed(sentence('tool.timeout', { seconds: timeoutMs / 1000 }))
    onBug(error)
    return failed(sentence('tool.broke'))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

function unknownTool(name: string, names: string[]): string {
  const others = names.length > NAMES_LISTED_MAX ? ', …' : ''
  const listed = `${names.slice(0, NAMES_LISTED_MAX).join(', ')}${others}`
  return sentence('tool.unknown', { name: JSON.stringify(name.slice(0, 90)), tools: listed })
}

/**
 * Returns a storable outcome. Its output is JSON, or a truncated string if the output exceeds the budget. Omits images
 * that exceed the budget.
 */
function withinBudget(
  { output, successful, error, images = [] }: ToolOutcome,
  budget: OutputBudget,
): ToolOutcome {
  if (!successful) return failed(error || sentence('tool.failed'))
  const charactersMax = Math.min(OUTPUT_CHARACTERS_MAX, budget.charactersLeft)
  const written = typeof output === 'string' ? null : writeJson(output ?? null, charactersMax)
  if (typeof output !== 'string' && !written) return failed(sentence('tool.not_json'))
  const text = written ? written.text : storable(String(output).slice(0, charactersMax))
  budget.charactersLeft -= text.length
  const value = written && !written.isCut ? parseExactJson(text) : text
  const shown = images.filter(({ data }) => {
    const fits = data.length <= budget.imageBytesLeft
    if (fits) budget.imageBytesLeft -= data.length
    return fits
  })
  return { output: value, successful: true, error: null, ...(shown.length > 0 && { images: shown }) }
}

const failed = (error: unknown): ToolOutcome => ({
  output: null,
  successful: false,
  error: storable(String(error).slice(0, ERROR_CHARACTERS_MAX)),
})
