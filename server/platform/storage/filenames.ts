/** Bytes of a name in UTF-8: what file systems and buckets take, with room for a number. */
const NAME_BYTES_MAX = 200
/** So much of what a client calls its file is looked at: no file system has longer names. */
const NAME_CHARACTERS_MAX = 1_000
/** A longer one is no extension. */
const EXTENSION_MAX = 16

/** Control characters, and those that change the direction of text: `gpj.exe` must not read as `exe.jpg`. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/**
 * A name that is safe to store, to send in a header and to show, made of what a client calls its file: the last part
 * of a path, without what can't be seen, of at most 200 bytes with its extension.
 */
export function safeFilename(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last
    .slice(0, NAME_CHARACTERS_MAX)
    .normalize('NFC')
    .toWellFormed()
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const { stem, extension } = splitName(clean)
  return `${cut(stem, NAME_BYTES_MAX - Buffer.byteLength(extension))}${extension}` || 'file'
}

/**
 * The name itself, or the first of `name (2).ext`, `name (3).ext` … that is not taken. A name in other letters, large
 * for small, is the same one: to some file systems it is.
 */
export function uniqueFilename(name: string, taken: Iterable<string>): string {
  const { stem, extension } = splitName(name)
  const known = new Set([...taken].map((other) => other.toLowerCase()))
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${stem} (${number})${extension}`
    if (!known.has(candidate.toLowerCase())) return candidate
  }
}

function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? name.slice(dot) : ''
  return extension.length > EXTENSION_MAX
    ? { stem: name, extension: '' }
    : { stem: name.slice(0, name.length - extension.length), extension }
}

/** Cut between characters, to so many bytes. */
function cut(text: string, bytesMax: number): string {
  let bytes = 0
  let result = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > bytesMax) break
    result += character
  }
  return result
}
