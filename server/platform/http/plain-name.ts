/** Characters that change the direction of text, and that nobody sees. */
const BIDIRECTIONAL = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/
const ZERO_WIDTH = /[\u180E\u200B\u2060-\u2064\uFEFF]/
/** Joiners that spelling requires: between letters of scripts with joined forms, and between the parts of an emoji. */
const JOINED_LETTERS =
  /(?<=[\p{L}\p{M}])(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}])[\u200C\u200D](?=[\p{L}\p{M}])/gu
const JOINED_EMOJI =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic})/gu

/** Returns whether a name shows all its characters in their order, so that two names that look alike are alike. */
export function isPlainName(name: string): boolean {
  if (BIDIRECTIONAL.test(name) || ZERO_WIDTH.test(name)) return false
  return !/[\u200C\u200D]/.test(name.replace(JOINED_LETTERS, '').replace(JOINED_EMOJI, ''))
}

const WORD = /[\p{L}\p{M}\u00AD]+/gu
/** Scripts whose letters look like Latin ones. */
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}]/u

/**
 * Returns whether no word mixes Latin letters with letters that look like them, such as a Cyrillic `а`. The name could
 * otherwise pass for another one.
 */
export const hasOneScript = (name: string): boolean =>
  (name.match(WORD) ?? []).every((word) => !(/\p{Script=Latin}/u.test(word) && LOOK_ALIKE.test(word)))
