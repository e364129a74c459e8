/**
 * Control characters, characters without width, and characters that change the direction of text. In an error, they
 * could hide or rearrange the words around a client's input, or control the terminal that shows a log.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Returns the text with the code of each invisible character in its place, such as `\u202e`. Keeps those of `kept`. */
export const escapeInvisible = (text: string, kept = ''): string =>
  text.replace(INVISIBLE, (character) =>
    kept.includes(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
