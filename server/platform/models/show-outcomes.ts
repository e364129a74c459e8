import { writeToolOutput } from './prompt-elements.ts'
import type { ToolOutcome } from './tool-loop.ts'

/**
 * Maximum size of one output in a prompt, for any context window: about 25,000 tokens. The prompts of all later steps
 * contain the output again, and its tokens are charged each time.
 */
const SHOWN_BYTES_MAX = 100_000
/** Share of the context window's remaining space that the outputs of a step may use. */
const SHOWN_SHARE = 0.5
const CUT_REMARK = '\n[The rest was omitted because it is too long.]'

/**
 * Returns the outcomes of a step's calls as prompt elements: strings unchanged, other values as JSON, failures as
 * `error: …`. Together, the outputs use at most half of `bytesLeft`. Short outputs stay whole, and long outputs share
 * the remaining space.
 */
export function showOutcomes(outcomes: readonly ToolOutcome[], bytesLeft: number): string[] {
  const texts = outcomes.map(textOf)
  const bytes = texts.map((text) => Buffer.byteLength(text))
  let left = Math.max(0, bytesLeft * SHOWN_SHARE)
  let waiting = texts.length
  const outputs: string[] = []
  for (const index of [...texts.keys()].sort((a, b) => (bytes[a] ?? 0) - (bytes[b] ?? 0))) {
    const bytesMax = Math.min(Math.floor(left / waiting), SHOWN_BYTES_MAX)
    const text = cut(texts[index] ?? '', bytesMax)
    outputs[index] = writeToolOutput(text)
    left -= Math.min(bytes[index] ?? 0, bytesMax)
    waiting -= 1
  }
  return outputs
}

function textOf({ output, successful, error }: ToolOutcome): string {
  if (!successful) return `error: ${error}`
  return typeof output === 'string' ? output : JSON.stringify(output)
}

/** Truncates text without splitting a character, and appends a remark. */
function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  return new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true }) + CUT_REMARK
}
