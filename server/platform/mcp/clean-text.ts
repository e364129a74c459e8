/**
 * Removes characters that are invisible to users but read by models: control, format and direction characters, tags,
 * and private use.
 */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/gu, '\n')
    .replace(
      /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}]|[\u{E0100}-\u{E01EF}\u115F\u1160\u3164\uFFA0]/gu,
      '',
    )
