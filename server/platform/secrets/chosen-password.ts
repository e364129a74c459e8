import { fail } from '#errors'

/** Words that are easy to guess for an account of this product. */
const PRODUCT_WORDS = ['parley']
/** Shorter words occur in good passwords by chance. */
const WORD_LENGTH_MIN = 4
/** Letters and digits that a password needs beside those words. */
const REMAINDER_MIN = 5

/** What setting a password may throw. */
export const PASSWORD_ERRORS = ['auth.password_common', 'auth.password_personal'] as const

let leaked: Promise<ReadonlySet<string>> | undefined

/**
 * Throws where a password that a person chooses is one that attackers try first: one of the 18,000 most frequent in
 * published leaks, or little more than the product's name or `ownWords` (address and names). NIST SP 800-63B, 3.1.1.2.
 */
export async function checkChosenPassword(password: string, ownWords: readonly string[] = []): Promise<void> {
  leaked ??= loadLeaked()
  const folded = password.toLowerCase()
  if ((await leaked).has(folded)) throw fail('auth.password_common')
  const words = [...PRODUCT_WORDS, ...ownWords.flatMap(partsOf)].filter(
    (word) => word.length >= WORD_LENGTH_MIN,
  )
  const remainder = words
    .sort((a, b) => b.length - a.length)
    .reduce((rest, word) => rest.replaceAll(word, ''), folded)
  const left = remainder.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  if (remainder !== folded && left < REMAINDER_MIN) throw fail('auth.password_personal')
}

/** An address or a name as a whole, and each of its words. */
const partsOf = (text: string): string[] => {
  const folded = text.toLowerCase()
  return [folded, ...folded.split(/[^\p{L}\p{N}]+/u)]
}

/** Loaded at the first use: the list takes a few megabytes. */
async function loadLeaked(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()))
}
