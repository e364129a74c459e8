import { PASSAGES_PREFACE, writePassage } from '#platform/models/prompt-elements.ts'

/** What fits a question less is not shown to a model that answers it (spec, send_message, rule 3). */
export const SCORE_THRESHOLD = 0.1
/** So many passages at most go with a message (spec, send_message, rule 3). */
export const PASSAGES_MAX = 10
/** A quarter of the prompt of a message may be passages. */
export const PASSAGES_SHARE = 0.25

interface DescribedPassage {
  document_name: string
  headings: readonly string[]
  content: string
}

/**
 * Passages as a part of the prompt, as many as fit into so many bytes, the best first. They are data: a passage that
 * gives orders is told apart from whoever asks. The number that each has there is its place in `used`, from 1 on.
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
