import { isUtf8 } from 'node:buffer'
import { decodeUnicode, type WideUnicode } from './unicode-text.ts'

/**
 * Returns the encoding of the start of a text in UTF-16 or UTF-32 without a byte order mark. Returns null if the bytes
 * are not plausible in any of these.
 */
export function findUnmarkedUnicode(head: Buffer): WideUnicode | null {
  if (head.length % 2 !== 0 || isTextWithControls(head)) return null
  const canBeLegacy = !CONTROL_BYTES.test(head.toString('latin1'))
  const found = (['utf-32le', 'utf-32be', 'utf-16le', 'utf-16be'] as const)
    .map((encoding) => ({ encoding, share: plausibleShare(encoding, head, canBeLegacy) }))
    .reduce((best, one) => (one.share > best.share ? one : best))
  return found.share >= PLAUSIBLE_SHARE_MIN ? found.encoding : null
}

/** Bytes that occur in no text of ASCII and legacy encodings. 1A ends files of DOS. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for.
export const CONTROL_BYTES = /[\0-\x08\x0e-\x19\x1b-\x1f\x7f]/

/** The least share of plausible characters in text. */
const PLAUSIBLE_SHARE_MIN = 0.9
/** In UTF-16, about half of the bytes of Latin, Cyrillic, Arabic or Thai text are control bytes. */
const CONTROL_SHARE_MIN = 0.2

/** Returns whether the bytes are text in UTF-8 or ASCII with some control bytes. */
function isTextWithControls(head: Buffer): boolean {
  const nulls = head.filter((byte) => byte === 0).length
  const controls = head.filter((byte) => byte < 0x20 && CONTROL_BYTES.test(String.fromCharCode(byte))).length
  // Without NUL, the bytes of a character remain valid.
  const isEightBit = isUtf8(nulls === 0 ? head : Buffer.from(head.filter((byte) => byte !== 0)))
  return isEightBit && controls < head.length * CONTROL_SHARE_MIN
}

/** Blocks of the scripts that most text is written in, with punctuation and symbols. */
const PLAUSIBLE =
  /[\t\n\f\r -~\u00a0-\u024f\u0370-\u06ff\u0900-\u0dff\u0e00-\u0eff\u10a0-\u11ff\u1e00-\u206f\u20a0-\u214f\u2190-\u22ff\u2460-\u26ff\u3000-\u30ff\u3105-\u318f\u3200-\u9fff\uac00-\ud7a3\uf900-\ufaff\u{1f300}-\u{1faff}\u{20000}-\u{2ffff}]/u
/** Fullwidth forms occur beside the scripts of East Asia. */
const FULLWIDTH = /[\ufe30-\ufe4f\uff01-\uffee]/u
const EAST_ASIAN = /[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/u
const KANA = /[\u3001\u3002\u3041-\u30ff]/u
/** Characters whose code ends with a zero byte are rare. In the wrong byte order, Latin letters are such characters. */
const isRare = (character: string): boolean => (character.codePointAt(0) ?? 0) % 256 === 0

/** Share of kana that text in UTF-16 has if it could also be text in a legacy encoding. */
const KANA_SHARE_MIN = 0.25

/**
 * Returns the share of plausible characters, from 0 to 1, or 0 for invalid bytes. Among bytes that may also be text in
 * a legacy encoding, only Japanese is recognized.
 */
function plausibleShare(encoding: WideUnicode, head: Buffer, canBeLegacy: boolean): number {
  const isWide = encoding.startsWith('utf-32')
  if (isWide && (canBeLegacy || head.length % 4 !== 0)) return 0
  const characters = Array.from(decodeUnicode(encoding, head))
  const isEastAsian = characters.some((character) => EAST_ASIAN.test(character))
  let plausible = 0
  let kana = 0
  for (const character of characters) {
    if (character === '\ufffd' || character === '\0') return 0
    if (KANA.test(character)) kana++
    if (PLAUSIBLE.test(character) || (isEastAsian && FULLWIDTH.test(character)))
      plausible += isRare(character) ? 0.5 : 1
  }
  if (canBeLegacy && kana < characters.length * KANA_SHARE_MIN) return 0
  return plausible / characters.length
}
