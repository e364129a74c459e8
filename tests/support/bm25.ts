/*
 * A textbook keyword search, used as a baseline for other searches. It is Okapi BM25 (Robertson and Zaragoza, "The
 * Probabilistic Relevance Framework", 2009) with k1 1.2 and b 0.75. It indexes stems (M. F. Porter, "An algorithm for
 * suffix stripping", 1980) and skips stop words.
 */

const K1 = 1.2
const B = 0.75

const STOP_WORDS = new Set(
  'a an and are as at be but by for from had has have he her his how i if in into is it its my no not of on or our she so such that the their them then there these they this to was we were what when where which who why will with you your do does did can could would should'.split(
    ' ',
  ),
)

/** Scores all documents for a query, in the order of the documents. */
export type Search = (query: string) => number[]

export function createBm25(texts: string[]): Search {
  const documents = texts.map((text) => countOf(termsOf(text)))
  const lengths = documents.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0))
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / texts.length
  const frequency = countOf(documents.flatMap((counts) => [...counts.keys()]))
  return (query) => {
    const terms = termsOf(query)
    return documents.map((counts, index) => {
      const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / averageLength)
      return terms.reduce((score, term) => {
        const count = counts.get(term) ?? 0
        const holders = frequency.get(term) ?? 0
        const idf = Math.log(1 + (texts.length - holders + 0.5) / (holders + 0.5))
        return score + (idf * count * (K1 + 1)) / (count + norm)
      }, 0)
    })
  }
}

function countOf(terms: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

const termsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stem)

const C = '[^aeiou]'
const V = '[aeiouy]'
const CC = `${C}[^aeiouy]*`
const VV = `${V}[aeiou]*`
const MORE_THAN_0 = new RegExp(`^(${CC})?${VV}${CC}`)
const EXACTLY_1 = new RegExp(`^(${CC})?${VV}${CC}(${VV})?$`)
const MORE_THAN_1 = new RegExp(`^(${CC})?${VV}${CC}${VV}${CC}`)
const HAS_VOWEL = new RegExp(`^(${CC})?${V}`)
const ENDS_CVC = new RegExp(`^${CC}${V}[^aeiouwxy]$`)

const STEP_2: [string, string][] = Object.entries({
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
})
const STEP_3: [string, string][] = Object.entries({
  icate: 'ic',
  ative: '',
  alize: 'al',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
})
const STEP_4 =
  /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/

export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  // Uppercase marks a leading y as a consonant.
  let form = word.startsWith('y') ? `Y${word.slice(1)}` : word
  form = form.replace(/(ss|i)es$/, '$1').replace(/([^s])s$/, '$1')
  form = step1b(form)
  if (/y$/.test(form) && HAS_VOWEL.test(form.slice(0, -1))) form = `${form.slice(0, -1)}i`
  form = replaceEnding(replaceEnding(form, STEP_2), STEP_3)
  const [, base] = STEP_4.exec(form) ?? []
  if (base !== undefined && MORE_THAN_1.test(base)) form = base
  if (form.endsWith('e')) {
    const rest = form.slice(0, -1)
    if (MORE_THAN_1.test(rest) || (EXACTLY_1.test(rest) && !ENDS_CVC.test(rest))) form = rest
  }
  if (form.endsWith('ll') && MORE_THAN_1.test(form)) form = form.slice(0, -1)
  return form.toLowerCase()
}

function step1b(form: string): string {
  if (form.endsWith('eed')) return MORE_THAN_0.test(form.slice(0, -3)) ? form.slice(0, -1) : form
  const [, rest] = /^(.+?)(?:ed|ing)$/.exec(form) ?? []
  if (rest === undefined || !HAS_VOWEL.test(rest)) return form
  if (/(at|bl|iz)$/.test(rest)) return `${rest}e`
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1)
  return ENDS_CVC.test(rest) ? `${rest}e` : rest
}

function replaceEnding(form: string, endings: [string, string][]): string {
  const [ending, instead] = [...endings]
    .sort(([a], [b]) => b.length - a.length)
    .find(([end]) => form.endsWith(end)) ?? ['', '']
  const rest = form.slice(0, form.length - ending.length)
  return ending !== '' && MORE_THAN_0.test(rest) ? rest + instead : form
}

/** Returns nDCG@10 with binary relevance (Järvelin and Kekäläinen, 2002). */
export function ndcgAt10(scores: number[], answers: number[]): number {
  const best = scores
    .map((score, index) => ({ score, index }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, 10)
  const gain = (rank: number): number => 1 / Math.log2(rank + 2)
  const got = best.reduce((sum, { index }, rank) => sum + (answers.includes(index) ? gain(rank) : 0), 0)
  const most = answers.slice(0, 10).reduce((sum, _answer, rank) => sum + gain(rank), 0)
  return got / most
}
