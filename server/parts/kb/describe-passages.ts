import { PASSAGES_PREFACE, writePassage } from '#platform/models/prompt-elements.ts'

/** Minimum score of a passage that is sent to the model. */
export const SCORE_THRESHOLD = 0.1
/** Maximum number of passages per message. */
export const PASSAGES_MAX = 10
/** Maximum share of a message's prompt for passages. */
export const PASSAGES_SHARE = 0.25

interface DescribedPassage {
  document_name: string
  headings: readonly string[]
  content: string
}

/**
 * Formats passages for the prompt, best first. Omits passages that would exceed `bytesMax` in total. The preface says
 * that passages are data, so that the model doesn't follow instructions inside them. Passages are numbered from 1, in
 * the order of `used`.
 */
export function describePassages<Passage extends DescribedPassage>(
  passages: readonly Passage[],
  bytesMax: number,
): { text: string; used: Passage[] } {
  const used: Passage[] = []
  const elements: string[] = []
  let bytes = 0
  for (const passage of passages) {
    const { document_name: document, headings, content } = passage
    const element = writePassage({ number: used.length + 1, document, headings, content })
    const size = Buffer.byteLength(element)
    if (bytes + size > bytesMax) continue
    bytes += size
    used.push(passage)
    elements.push(element)
  }
  if (used.length === 0) return { text: '', used }
  return { text: [PASSAGES_PREFACE, ...elements].join('\n\n'), used }
}
