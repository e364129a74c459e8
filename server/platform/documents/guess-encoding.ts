import { chardet } from 'jschardet'
import { decodeText } from './decode-text.ts'
import type { FoundEncoding } from './text-encoding.ts'

/** Maps the detector's names of encodings to the labels of the Encoding Standard. */
const LABELS: Record<string, string> = {
  big5hkscs: 'big5',
  cp866: 'ibm866',
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  euc_jis_2004: 'euc-jp',
  gb18030: 'gb18030',
  'koi8-r': 'koi8-r',
  'koi8-u': 'koi8-u',
  'mac-cyrillic': 'x-mac-cyrillic',
  'mac-roman': 'macintosh',
}
for (const page of [0, 1, 2, 3, 4, 5, 6, 7, 8]) LABELS[`cp125${page}`] = `windows-125${page}`
for (const part of [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16]) LABELS[`iso8859-${part}`] = `iso-8859-${part}`

/** Parts of ISO 8859 that are rare, and the factor of the detector's confidence in them. */
const RARE = new Set([3, 4, 10, 14, 16].map((part) => `iso-8859-${part}`))
const RARE_FACTOR = 0.9

/** Candidates that are examined, best first. */
const CANDIDATES_MAX = 8
/** The text is doubtful if the next reading is at least this likely in relation to the best. */
const DOUBT_RATIO = 0.8

/** A text with fewer bytes beyond ASCII is doubtful, because it fits many encodings. */
const EVIDENCE_BYTES_MIN = 8

/**
 * Returns the legacy encoding that fits the sample of a text best. The less evidence a sample has, the more it prefers
 * Windows-1252, which is the most frequent one.
 */
export function guessEncoding(sample: Buffer): FoundEncoding {
  const evidence = sample.filter((byte) => byte >= 0x80).length
  const factorOf = (encoding: string): number =>
    encoding === 'windows-1252' ? 1 + 1 / (1 + evidence) : RARE.has(encoding) ? RARE_FACTOR : 1
  const candidates = chardet
    .detectAll(sample, { includeEncodings: Object.keys(LABELS), ignoreThreshold: true, compatNames: false })
    .slice(0, CANDIDATES_MAX)
    .flatMap(({ encoding: name, confidence }) => {
      const encoding = LABELS[name ?? '']
      if (encoding === undefined) return []
      return [{ encoding, confidence: confidence * factorOf(encoding), text: decodeText(encoding, sample) }]
    })
    .sort((a, b) => b.confidence - a.confidence)
  const plausible = candidates.filter(({ text }) => isPlausible(text))
  const [best, ...others] = plausible.length > 0 ? plausible : candidates
  if (best === undefined) return { encoding: 'windows-1252', isDoubtful: true }
  const next = others.find(({ text }) => text !== best.text)
  const isClose = next !== undefined && next.confidence >= best.confidence * DOUBT_RATIO
  return { encoding: best.encoding, isDoubtful: isClose || evidence < EVIDENCE_BYTES_MIN }
}

/** Control characters, to which undefined bytes are decoded, and the currency sign, which is hardly used. */
const UNDEFINED = /[\u0080-\u009f\u00a4]/
/** The least number of characters per invalid one: a sample may have cut ones. */
const CHARACTERS_PER_ERROR = 200

/** Runs of letters beyond ASCII. */
const FOREIGN_LETTERS = /[\u00aa\u00b5\u00ba\u00c0-\u0e7f]+/g
/**
 * Places that text rarely has: Latin letters beside letters of another script ("cafй"), a capital after a small letter
 * ("KŽln"), a symbol between letters ("alem‡n").
 */
const OUT_OF_PLACE = [
  /[a-z][\u0370-\u0e7f]|[\u0370-\u0e7f][a-z]/gi,
  /\p{Ll}(?![\0-\x7f])\p{Lu}|\p{Lu}(?![\0-\x7f])\p{Lu}\p{Ll}/gu,
  /[a-z](?![\0-\x7f\u00a0\u00ad\u00b7\u2010-\u2019])[\p{S}\p{P}\u00b2\u00b3\u00b9][a-z]/giu,
]

/** Returns whether a text has only defined characters, and not mostly letters and symbols that are out of place. */
function isPlausible(text: string): boolean {
  if (UNDEFINED.test(text)) return false
  const errors = text.split('\ufffd').length - 1
  if (errors * CHARACTERS_PER_ERROR > text.length) return false
  const words = text.match(FOREIGN_LETTERS)?.length ?? 0
  const strange = OUT_OF_PLACE.reduce((sum, pattern) => sum + (text.match(pattern)?.length ?? 0), 0)
  return strange === 0 || strange <= words / 2
}
