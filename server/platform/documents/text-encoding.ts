import { createReadStream } from 'node:fs'

type Unicode = 'utf-8' | 'utf-16le' | 'utf-16be'

/**
 * Control characters that don't occur in text. Bytes that are undefined in Windows-1252 decode to such characters.
 */
const CONTROL = /[^\P{Cc}\t\n\v\f\r]/u

/**
 * Returns the encoding of a text file: UTF-16 if the file has a byte order mark, otherwise UTF-8 if valid, otherwise
 * Windows-1252. Returns null if the file is not text in any of these encodings. Rejects with the file system's error
 * if the file cannot be read.
 */
export async function findEncoding(path: string): Promise<Unicode | 'windows-1252' | null> {
  let encoding: Unicode = 'utf-8'
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const windows = new TextDecoder('windows-1252')
  let [isUnicode, isWindows] = [true, true]
  const reads = (decode: () => string | undefined): boolean => {
    try {
      return !decode()?.includes('\0')
    } catch {
      return false
    }
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    if (!decoder) {
      encoding = markedEncoding(chunk)
      decoder = new TextDecoder(encoding, { fatal: true })
    }
    isUnicode &&= reads(() => decoder?.decode(chunk, { stream: true }))
    isWindows &&= encoding === 'utf-8' && !CONTROL.test(windows.decode(chunk))
    if (!isUnicode && !isWindows) return null
  }
  isUnicode &&= reads(() => decoder?.decode())
  return isUnicode ? encoding : isWindows ? 'windows-1252' : null
}

/** Returns the encoding that the byte order mark indicates, or UTF-8 without a byte order mark. */
export function markedEncoding(head: Uint8Array): Unicode {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8'
}
