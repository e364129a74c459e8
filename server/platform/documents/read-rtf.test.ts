import { describe, expect, test } from 'vitest'
import { readAs } from '#tests/support/read-as.ts'

describe('an RTF', () => {
  const rtf = (
    body: string,
    head = '\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 MS Gothic;}{\\f3\\fcharset134 SimSun;}}',
  ) => Buffer.from(`{\\rtf1${head}${body}}`, 'latin1')
  const bytes = (text: string) =>
    [...Buffer.from(text, 'latin1')].map((byte) => `\\'${byte.toString(16)}`).join('')
  test.each<[what: string, body: string, expected: string, head?: string]>([
    ['with paragraphs', '\\pard one\\par two\\par', 'one\n\ntwo'],
    ['with accents', "\\pard Gr\\'fc\\'dfe \\u8364 ?\\par", 'Grüße €'],
    ['with raw accents', '\\pard Gr\xfc\xdfe\\par', 'Grüße'],
    ['with Unicode', "\\pard\\uc1 \\u36864\\'cd\\u27454?\\par", '退款'],
    [
      'with negative Unicode and no fallback',
      '\\pard\\uc0 \\u-28672 \\u-10179 \\u-8704 \\par',
      '退'.codePointAt(0) === undefined ? '' : `${String.fromCharCode(65536 - 28672)}😀`,
    ],
    ['with a Cyrillic font', `\\pard\\f1 ${bytes('\xcf\xf0\xe8\xe2\xe5\xf2')}\\par`, 'Привет'],
    ['with a Japanese font', `\\pard\\f2 ${bytes('\x95\xd4\x8b\xe0')}\\par`, '返金'],
    ['with a Chinese font and literal bytes', `\\pard\\f3 ${bytes('\xcd\xcb\xbf\xee')}\\par`, '退款'],
    [
      'with a Cyrillic code page',
      `\\pard ${bytes('\xcf\xf0\xe8\xe2\xe5\xf2')}\\par`,
      'Привет',
      '\\ansi\\ansicpg1251',
    ],
    ['with formatting', '\\pard {\\b bold} and {\\i italic}\\par', 'bold and italic'],
    ['with escapes', '\\pard a\\{b\\}c\\\\d\\~e\\_f\\par', 'a{b}c\\d\u00a0e-f'],
    ['with quotes and dashes', '\\pard \\ldblquote a\\rdblquote  \\endash  \\bullet\\par', '“a” – •'],
    [
      'with a table',
      '\\trowd\\cellx1000\\cellx2000\\pard\\intbl Name\\cell Units\\cell\\row\\trowd\\cellx1000\\cellx2000\\pard\\intbl Hub\\cell 7\\cell\\row\\pard after\\par',
      '| Name | Units |\n| --- | --- |\n| Hub | 7 |\n\nafter',
    ],
    [
      'with merged cells',
      '\\trowd\\cellx1\\cellx2\\pard\\intbl a\\cell b\\cell\\row\\trowd\\clvmgf\\cellx1\\cellx2\\pard\\intbl EU\\cell 1\\cell\\row\\trowd\\clvmrg\\cellx1\\cellx2\\pard\\intbl\\cell 2\\cell\\row',
      '| a | b |\n| --- | --- |\n| EU | 1 |\n| EU | 2 |',
    ],
    [
      'with a link',
      '\\pard {\\field{\\*\\fldinst HYPERLINK "https://example.com/"}{\\fldrslt site}}\\par',
      '[site](https://example.com/)',
    ],
    ['with a field', '\\pard No. {\\field{\\*\\fldinst MERGEFIELD x}{\\fldrslt C-4711}}\\par', 'No. C-4711'],
    ['with a heading', '\\pard\\outlinelevel0 Title\\par\\pard text\\par', '# Title\n\ntext'],
    ['with list numbers', '{\\listtext 1.\\tab}first\\par', '1. first'],
    ['with a footnote', '\\pard See{\\footnote The note.}.\\par', 'See[1].\n\n1. The note.'],
    [
      'with a header and a footer',
      '{\\header Contract 4711\\par}{\\footer Confidential\\par}\\pard Body.\\par',
      'Contract 4711\n\nBody.\n\nConfidential',
    ],
    ['with a picture', '\\pard a{\\pict\\wmetafile8 010900000320}b\\par', 'ab'],
    ['with binary data', '\\pard a{\\pict\\bin4 {{}}}b\\par', 'ab'],
    ['with hidden and deleted text', '\\pard a{\\v unseen}{\\deleted old}b\\par', 'ab'],
    ['with unknown groups', '\\pard a{\\*\\zzz unknown}{\\info{\\title t}}b\\par', 'ab'],
    [
      'with a text box',
      '\\pard a{\\shp{\\*\\shpinst\\shpleft0{\\sp{\\sn x}{\\sv 1}}{\\shptxt BOX\\par}}}\\par',
      'aBOX',
    ],
    ['with line breaks in the file', '\\pard one\r\n two\\par', 'one two'],
    ['with both versions of a text', '\\pard {\\upr{old}{\\*\\ud{new}}}\\par', 'new'],
  ])('%s', async (_what, body, expected, head) => {
    expect(await readAs(rtf(body, head), 'rtf')).toBe(expected)
  })

  test.each<[what: string, content: string]>([
    ['cut off', '{\\rtf1 {\\b text'],
    ['with too deep groups', `{\\rtf1 ${'{'.repeat(5_000)}${'}'.repeat(5_000)}}`],
  ])('that is %s is damaged', async (_what, content) => {
    await expect(readAs(content, 'rtf')).rejects.toThrow(/damaged/)
  })
})
