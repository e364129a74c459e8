import { WORD_CHARACTERS_MAX } from './words.ts'

/*
 * Other forms under which a word is found. An index contains a word and its other form, so that a query finds both, and
 * so that indexes of older releases still answer. A change of these forms or of words.ts needs a higher WORDS_VERSION.
 */

/**
 * Version of the words in indexes. Rows of an older version are indexed again in the background (kb/index-again.ts,
 * chat/index-messages-system.ts).
 */
export const WORDS_VERSION = 1

/** Letters that are no composition of a plain letter and a mark. */
const PLAIN: Record<string, string> = {
  ...{ đ: 'd', ð: 'd', ɖ: 'd', ɗ: 'd', ø: 'o', ɔ: 'o', œ: 'oe', ł: 'l', ħ: 'h', ŧ: 't', ı: 'i', æ: 'ae' },
  ...{
    ß: 'ss',
    þ: 'th',
    ŋ: 'n',
    ɓ: 'b',
    ƙ: 'k',
    ĸ: 'k',
    ƴ: 'y',
    ə: 'e',
    ɛ: 'e',
    ς: 'σ',
    ё: 'е',
    ѐ: 'е',
    ѝ: 'и',
  },
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ة: 'ه', ک: 'ك', ہ: 'ه', ە: 'ه', ھ: 'ه', '\u0640': '' },
}
/** Accents, vowel points and signs of recitation, but not the marks of kana. */
const MARK =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}]]--[\u3099\u309a]]/gv
/** In Cyrillic, й and ї are letters of their own. Other scripts have no marks that are left out in writing. */
const KEEPS_MARKS = /[\u0400-\u052f\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/u
const ASCII_LAST = '\x7f'
const ASCII = /^[\0-\x7f]*$/

/** Plain forms of the letters seen so far, at most one for each letter of Unicode. */
const plainLetters = new Map<string, string>()

/**
 * Returns a lowercase word without accents, vowel points and other marks that writers leave out: `đường` becomes `duong`,
 * `straße` `strasse`, `ısı` `isi`, `أحمد` `احمد`. Returns a word of marks alone as it is.
 */
export function foldWord(word: string): string {
  if (ASCII.test(word)) return word
  let folded = ''
  for (const letter of word) folded += letter <= ASCII_LAST ? letter : plainOf(letter)
  return folded === '' ? word : folded.slice(0, WORD_CHARACTERS_MAX).toWellFormed()
}

function plainOf(letter: string): string {
  const known = plainLetters.get(letter)
  if (known !== undefined) return known
  const plain = KEEPS_MARKS.test(letter)
    ? (PLAIN[letter] ?? letter)
    : [...letter.normalize('NFD').replace(MARK, '')].map((base) => PLAIN[base] ?? base).join('')
  plainLetters.set(letter, plain)
  return plain
}

/** A syllable of Hangul has a final consonant if its index is not a multiple of 28. */
const FIRST_SYLLABLE = 0xac00
const FINALS = 28
const FINAL_RIEUL = 8
const HANGUL_WORD = /^[가-힣]{2,}$/

/** After which syllables a particle stands: any, those with or without a final consonant. */
type After = 'any' | 'consonant' | 'vowel'

/**
 * Particles and endings of nouns, longest first, and the number of syllables that must remain. Many nouns end like a
 * particle of one syllable, so more must remain before those.
 */
const PARTICLES: [ending: string, after: After, remaining: number][] = [
  ...particles(
    'any',
    1,
    '에서는 에서도 에서의 에서만 에게서 에게는 에게도 까지는 까지도 까지의 부터는 부터의 께서는 한테서',
  ),
  ...particles(
    'any',
    1,
    '에서 에게 까지 부터 께서 한테 처럼 보다 마다 조차 마저 밖에 에는 에도 에만 만큼 하고 에',
  ),
  ...particles('any', 2, '들에게 들은 들이 들을 들의 들도 입니다 입니까 도 만 의 들'),
  ...particles(
    'consonant',
    1,
    '으로는 으로도 으로의 으로써 으로서 이라는 이라도 이라면 이라고 이지만 이에요 이었다 이라서',
  ),
  ...particles('consonant', 1, '으로 이나 이란 이며 이다 이랑 은 을 이'),
  ...particles('vowel', 1, '는 를'),
  ...particles('consonant', 2, '과'),
  ...particles('vowel', 2, '예요 였다 로는 로도 로의 로써 로서 가 와 로 나 란 랑'),
].sort(([one], [other]) => other.length - one.length)
/** Forms of the verbs that make a verb of a noun: `환불하다`, `환불됩니다`, `환불받을`. */
const VERB =
  /(?:하|되|받|시키)(?:는|고|며|면|여|지|게|기|니|나|던|다|거나|려면|려고|도록|면서|지만|나요|는지|는데|지요|였다|었다|십시오|세요|실|은|을|아|아야|으면|으려면|았다|았습니다|습니다)?$|(?:한|할|함|해|된|될|됨|돼)(?:다|야|서|요|도|지|주세요|드립니다|야만)?$|(?:합|됩)(?:니다|니까)$|(?:했|됐|하였|되었)(?:다|습니다|어요|으며|던|는데|을)?$/
const VERB_SYLLABLES_MAX = 6
const NOUN_SYLLABLES_MIN = 2
/** Maximum number of particles that follow each other. */
const PARTICLES_MAX = 3

function particles(after: After, remaining: number, list: string): [string, After, number][] {
  return list.split(' ').map((ending) => [ending, after, remaining])
}

export const isHangul = (word: string): boolean => HANGUL_WORD.test(word)

/** Returns a Korean noun without its particles: `환불` for `환불은`, `환불을` and `환불에서는`. */
export function withoutParticles(word: string): string {
  if (!HANGUL_WORD.test(word)) return word
  let noun = word
  for (let count = 0; count < PARTICLES_MAX; count++) {
    const shorter = withoutParticle(withoutVerb(noun))
    if (shorter === noun) break
    noun = shorter
  }
  return noun
}

function withoutParticle(word: string): string {
  for (const [ending, after, remaining] of PARTICLES) {
    const length = word.length - ending.length
    if (length >= remaining && word.endsWith(ending) && mayFollow(word.charCodeAt(length - 1), ending, after))
      return word.slice(0, length)
  }
  return word
}

function mayFollow(syllable: number, ending: string, after: After): boolean {
  const final = (syllable - FIRST_SYLLABLE) % FINALS
  // 로 also follows ㄹ: 서울로.
  if (after === 'vowel') return final === 0 || (final === FINAL_RIEUL && ending.startsWith('로'))
  return after === 'any' || final !== 0
}

function withoutVerb(word: string): string {
  const from = Math.max(NOUN_SYLLABLES_MIN, word.length - VERB_SYLLABLES_MAX)
  const found = VERB.exec(word.slice(from))
  return found ? word.slice(0, from + found.index) : word
}

/** Returns the other form of a word as in words.ts, under which it is found too. Returns null if there is none. */
export function variantOf(word: string): string | null {
  if (ASCII.test(word)) return null
  const variant = withoutParticles(foldWord(word))
  return variant === word ? null : variant
}
