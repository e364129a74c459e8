/** Maximum length of a name in UTF-8 bytes. File systems and buckets allow it, with room for a number. */
const NAME_BYTES_MAX = 200
/** Only this much of a client's file name is examined. No file system allows longer names. */
const NAME_CHARACTERS_MAX = 1_000
/** A longer suffix is not an extension. */
const EXTENSION_MAX = 16

/** Control characters and marks that change text direction: `gpj.exe` must not read as `exe.jpg`. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/**
 * Makes a client's file name safe to store, to send in a header and to display. Keeps the last part of a path, without
 * invisible characters, and cuts it to 200 bytes including its extension.
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
 * Returns the name, or the first of `name (2).ext`, `name (3).ext` … that is not taken. Ignores case, as some file
 * systems do.
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

/** Cuts to a number of bytes, without splitting a character. */
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
