/**
 * Maximum length of a file name in UTF-8 bytes. File systems and buckets allow such a name even with a number
 * appended.
 * @limit name of a file
 */
const NAME_BYTES_MAX = 200
/** Only this many characters of a client's file name are examined. No file system allows longer names. */
const NAME_CHARACTERS_MAX = 1_000
/** Maximum length of an extension. A longer suffix is part of the name. */
const EXTENSION_MAX = 16

/**
 * Invisible characters, including characters that change the text direction: they could display `gpj.exe` as
 * `exe.jpg`.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/**
 * Makes a client's file name safe to store, to send in a header and to display. Keeps only the last segment of a
 * path, removes invisible characters, and cuts the name to 200 bytes including the extension.
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
 * Returns the name if it is not taken. Otherwise returns the first free name of `name (2).ext`, `name (3).ext` and so
 * on. Compares without case, as some file systems do.
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

/** Cuts a string to a number of UTF-8 bytes, without splitting a character. */
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
