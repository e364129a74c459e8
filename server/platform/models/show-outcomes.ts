import { writeToolOutput } from './prompt-elements.ts'
import type { ToolOutcome } from './tool-loop.ts'

/** What a model is shown of one output, in the largest window too: some 25,000 tokens, which each later step pays again. */
const SHOWN_BYTES_MAX = 100_000
/** The outputs of a step get so much of the room that is left in the window. */
const SHOWN_SHARE = 0.5
const CUT_REMARK = '\n[The rest is left out here: it is too long.]'

/**
 * What came of the calls of a step, as the model is shown it: strings as they are, else JSON; `error: …` for what
 * failed; each in an element of the prompt. Together they take up half of `bytesLeft` in the window at most: short
 * ones stand whole, and long ones are cut to what those leave.
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

/** Between characters, not inside one. */
function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  return new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true }) + CUT_REMARK
}
