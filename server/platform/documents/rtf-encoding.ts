/** Decodes the bytes of a run of text. */
export interface RtfDecoder {
  decode(bytes: Uint8Array): string
}

/** Encodings by the number of the code page, where the name is not windows-NUMBER. */
const LABELS: Record<number, string> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  65001: 'utf-8',
}

const decoders = new Map<number, RtfDecoder>()

/** Returns the decoder of a Windows code page. Unknown code pages are read with `otherwise`, or as Windows-1252. */
export function decoderOf(codePage: number, otherwise?: RtfDecoder): RtfDecoder {
  const known = decoders.get(codePage)
  if (known !== undefined) return known
  const label = LABELS[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : null)
  if (label === null) return otherwise ?? decoderOf(1252)
  const decoder = new TextDecoder(label)
  decoders.set(codePage, decoder)
  return decoder
}
