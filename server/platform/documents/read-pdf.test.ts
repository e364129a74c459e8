import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cjkPdf, HELVETICA, linesOf, makePdf, type PdfParts, utf16 } from '#tests/support/pdf-files.ts'
import { createDocuments } from './documents.ts'
import { joinBrokenWords } from './join-broken-words.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-pdf-'))
const documents = createDocuments()
afterAll(async () => {
  await documents.close()
  rmSync(folder, { recursive: true })
})

async function textOf(file: Buffer): Promise<string> {
  const path = join(folder, 'stored')
  writeFileSync(path, file)
  return (await documents.extractText({ path, contentType: 'application/pdf' })).text
}

const SIMPLIFIED = '退款政策为三十天，价格是一百元。'
const TRADITIONAL = '退款政策為三十天，價格是一百元。'
const JAPANESE = '返金は三十日以内です。カタカナ'
const KOREAN = '환불은 삼십 일 이내에 가능합니다'

describe('text in fonts that are not embedded', () => {
  test.each([
    ['UniGB-UCS2-H', 'utf-16be', 'GB1', SIMPLIFIED],
    ['UniGB-UTF16-H', 'utf-16be', 'GB1', SIMPLIFIED],
    ['UniGB-UTF8-H', 'utf-8', 'GB1', SIMPLIFIED],
    ['UniGB-UTF32-H', 'utf-32be', 'GB1', SIMPLIFIED],
    ['GBK-EUC-H', 'gbk', 'GB1', SIMPLIFIED],
    ['GBKp-EUC-H', 'gbk', 'GB1', SIMPLIFIED],
    ['GBK2K-H', 'gbk', 'GB1', SIMPLIFIED],
    ['GB-EUC-H', 'gbk', 'GB1', SIMPLIFIED],
    ['GBpc-EUC-H', 'gbk', 'GB1', SIMPLIFIED],
    ['UniCNS-UCS2-H', 'utf-16be', 'CNS1', TRADITIONAL],
    ['UniCNS-UTF16-H', 'utf-16be', 'CNS1', TRADITIONAL],
    ['UniCNS-UTF8-H', 'utf-8', 'CNS1', TRADITIONAL],
    ['UniCNS-UTF32-H', 'utf-32be', 'CNS1', TRADITIONAL],
    ['ETen-B5-H', 'big5', 'CNS1', TRADITIONAL],
    ['ETenms-B5-H', 'big5', 'CNS1', TRADITIONAL],
    ['B5pc-H', 'big5', 'CNS1', TRADITIONAL],
    ['HKscs-B5-H', 'big5', 'CNS1', TRADITIONAL],
    ['UniJIS-UCS2-H', 'utf-16be', 'Japan1', JAPANESE],
    ['UniJIS-UCS2-HW-H', 'utf-16be', 'Japan1', JAPANESE],
    ['UniJIS-UTF16-H', 'utf-16be', 'Japan1', JAPANESE],
    ['UniJIS-UTF8-H', 'utf-8', 'Japan1', JAPANESE],
    ['UniJIS-UTF32-H', 'utf-32be', 'Japan1', JAPANESE],
    ['UniJIS2004-UTF16-H', 'utf-16be', 'Japan1', JAPANESE],
    ['90ms-RKSJ-H', 'shift_jis', 'Japan1', JAPANESE],
    ['90msp-RKSJ-H', 'shift_jis', 'Japan1', JAPANESE],
    ['90pv-RKSJ-H', 'shift_jis', 'Japan1', JAPANESE],
    ['83pv-RKSJ-H', 'shift_jis', 'Japan1', JAPANESE],
    ['Add-RKSJ-H', 'shift_jis', 'Japan1', JAPANESE],
    ['Ext-RKSJ-H', 'shift_jis', 'Japan1', JAPANESE],
    ['EUC-H', 'euc-jp', 'Japan1', JAPANESE],
    ['UniKS-UCS2-H', 'utf-16be', 'Korea1', KOREAN],
    ['UniKS-UTF16-H', 'utf-16be', 'Korea1', KOREAN],
    ['UniKS-UTF8-H', 'utf-8', 'Korea1', KOREAN],
    ['UniKS-UTF32-H', 'utf-32be', 'Korea1', KOREAN],
    ['KSCms-UHC-H', 'euc-kr', 'Korea1', KOREAN],
    ['KSCms-UHC-HW-H', 'euc-kr', 'Korea1', KOREAN],
    ['KSC-EUC-H', 'euc-kr', 'Korea1', KOREAN],
    ['KSCpc-EUC-H', 'euc-kr', 'Korea1', KOREAN],
  ])('is read with the character map %s', async (map, encoding, ordering, text) => {
    expect(await textOf(cjkPdf({ map, encoding, ordering, text }))).toBe(text)
    const more = 'BT /F2 12 Tf 72 700 Td (Latin heading only) Tj ET'
    expect(await textOf(cjkPdf({ map, encoding, ordering, text, more }))).toBe(`${text}\nLatin heading only`)
    if (map === '83pv-RKSJ-H') return // has no vertical map
    const vertical = map.replace(/H$/, 'V')
    expect((await textOf(cjkPdf({ map: vertical, encoding, ordering, text }))).normalize('NFKC')).toContain(
      text.slice(0, 5),
    )
  })

  test('is read by the numbers of a character collection', async () => {
    const font = cjkPdf({ map: 'Identity-H', encoding: 'utf-16be', ordering: 'Japan1', text: '\u034b\u034d' })
    expect(await textOf(font)).toBe('あい')
  })

  test('is not searched elsewhere for an unknown map', async () => {
    const map = '..#2f..#2fpackage'
    const file = cjkPdf({ map, encoding: 'utf-16be', ordering: 'GB1', text: '退', more: linesOf('Latin') })
    expect(await textOf(file)).toContain('Latin')
  })
})

/** Returns a PDF whose fields and notes are its objects from number 7 on; those in `shown` are on the page. */
const form = (objects: string[], { shown = objects.map((_, index) => index), ...parts }: FormParts = {}) =>
  makePdf({
    content: linesOf('Page'),
    ...parts,
    more: objects,
    page: `/Annots [${shown.map((index) => `${index + 7} 0 R`).join(' ')}]`,
    catalog: '/AcroForm << /Fields [7 0 R] >>',
  })
interface FormParts extends PdfParts {
  shown?: number[]
}

const RECT = '/Rect [100 690 300 710]'
const widget = (entries: string) => `<< /Type /Annot /Subtype /Widget ${RECT} ${entries} >>`
const note = (subtype: string, entries: string) =>
  `<< /Type /Annot /Subtype /${subtype} ${RECT} ${entries} >>`
const BOX = '/FT /Btn /AP << /N << /Yes null /Off null >> >>'

describe('forms and notes', () => {
  test.each<[string, string[], FormParts | undefined, string]>([
    ['a text field', [widget('/FT /Tx /T (name) /V (Alice Example)')], undefined, 'name: Alice Example'],
    [
      'a value in UTF-16',
      [widget(`/FT /Tx /T ${utf16('Straße')} /V ${utf16('Größe 東京 😀')}`)],
      undefined,
      'Straße: Größe 東京 😀',
    ],
    [
      'a value in UTF-8',
      [widget('/FT /Tx /T (a) /V (\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe)')],
      undefined,
      'a: Größe',
    ],
    ['a value in PDFDocEncoding', [widget('/FT /Tx /T (a) /V (\xe4\\204\xf6)')], undefined, 'a: ä—ö'],
    ['several lines', [widget('/FT /Tx /Ff 4096 /T (a) /V (one\\rtwo)')], undefined, 'a: one\ntwo'],
    [
      'a name for people',
      [widget('/FT /Tx /T (f1) /TU (Last name) /V (Example)')],
      undefined,
      'Last name: Example',
    ],
    [
      'a field with several annotations',
      [
        '<< /FT /Tx /T (city) /V (Berlin) /Kids [8 0 R 9 0 R] >>',
        widget('/Parent 7 0 R'),
        widget('/Parent 7 0 R'),
      ],
      { shown: [1, 2] },
      'city: Berlin',
    ],
    [
      'nested fields',
      [
        '<< /T (person) /Kids [8 0 R] >>',
        '<< /T (address) /Parent 7 0 R /FT /Tx /Kids [9 0 R] >>',
        widget('/T (city) /Parent 8 0 R /V (Hamburg)'),
      ],
      { shown: [2] },
      'person.address.city: Hamburg',
    ],
    [
      'a value that a parent has',
      [
        '<< /T (a) /FT /Tx /V (inherited) /Kids [8 0 R] >>',
        '<< /Parent 7 0 R /Kids [9 0 R] >>',
        widget('/Parent 8 0 R'),
      ],
      { shown: [2] },
      'a: inherited',
    ],
    [
      'a list',
      [widget('/FT /Ch /T (country) /V (DE) /Opt [[(FR) (France)] [(DE) (Germany)]]')],
      undefined,
      'country: Germany (DE)',
    ],
    [
      'a list without values',
      [widget('/FT /Ch /Ff 131072 /T (a) /V (red) /Opt [(red) (blue)]')],
      undefined,
      'a: red',
    ],
    ['a choice of several', [widget('/FT /Ch /T (a) /V [(x) (y)] /Opt [(x) (y) (z)]')], undefined, 'a: x, y'],
    [
      'a value beside the list',
      [widget('/FT /Ch /Ff 393216 /T (a) /V (own words) /Opt [(x)]')],
      undefined,
      'a: own words',
    ],
    ['a checked box', [widget(`${BOX} /T (agree) /V /Yes /AS /Yes`)], undefined, 'agree: [x] Yes'],
    ['a box that is not checked', [widget(`${BOX} /T (agree) /V /Off /AS /Off`)], undefined, 'agree: [ ]'],
    ['a box without a value', [widget(`${BOX} /T (agree)`)], undefined, 'agree: [ ]'],
    [
      'radio buttons',
      [
        '<< /FT /Btn /Ff 49152 /T (payment) /V /Card /Kids [8 0 R 9 0 R] >>',
        widget('/Parent 7 0 R /AS /Off /AP << /N << /Cash null /Off null >> >>'),
        widget('/Parent 7 0 R /AS /Card /AP << /N << /Card null /Off null >> >>'),
      ],
      { shown: [1, 2] },
      'payment: Card',
    ],
    ['a note on the page', [note('FreeText', '/Contents (FREETEXT note)')], undefined, 'FREETEXT note'],
    [
      'a note in UTF-16',
      [note('FreeText', `/Contents ${utf16('Anmerkung für später')}`)],
      undefined,
      'Anmerkung für später',
    ],
    [
      'a comment',
      [note('Text', '/T (Alice) /Contents (Check this)')],
      undefined,
      '[Note by Alice: Check this]',
    ],
    [
      'a comment without an author',
      [note('Text', '/Contents (Check this)')],
      undefined,
      '[Note: Check this]',
    ],
    ...'Highlight Underline Squiggly StrikeOut'
      .split(' ')
      .map((kind): [string, string[], undefined, string] => [
        `a comment on text (${kind})`,
        [note(kind, '/QuadPoints [100 710 300 710 100 690 300 690] /Contents (Really)')],
        undefined,
        '[Note: Really]',
      ]),
    ['a stamp', [note('Stamp', '/Contents (Approved)')], undefined, '[Note: Approved]'],
    ['a ligature', [note('FreeText', `/Contents ${utf16('of\ufb01ce')}`)], undefined, 'office'],
  ])('are read: %s', async (_what, objects, parts, text) => {
    expect(await textOf(form(objects, parts))).toBe(`Page\n${text}`)
    // The annotations are all that the file has. A box that is not checked is no text.
    const alone = await textOf(form(objects, { ...parts, content: '' })).catch(String)
    if (text.endsWith('[ ]')) expect(alone).toContain('This PDF contains no text')
    else expect(alone).toBe(text)
  })

  test('include an appearance without a value', async () => {
    const stream = 'BT /F2 12 Tf 2 4 Td (Drawn only) Tj ET'
    const appearance = `<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F2 6 0 R >> >> /Length ${stream.length} >>\nstream\n${stream}\nendstream`
    const free = [note('FreeText', '/AP << /N 8 0 R >>'), appearance]
    expect(await textOf(form(free, { shown: [0] }))).toBe('Page\nDrawn only')
    const field = [widget('/FT /Tx /T (a) /AP << /N 8 0 R >>'), appearance]
    expect(await textOf(form(field, { shown: [0] }))).toBe('Page\na: Drawn only')
  })

  test.each([
    ['a hidden field', widget('/FT /Tx /T (a) /V (SECRET) /F 2')],
    ['a field that is not viewed', widget('/FT /Tx /T (a) /V (SECRET) /F 32')],
    ['a password', widget('/FT /Tx /Ff 8192 /T (a) /V (SECRET)')],
    ['a hidden note', note('FreeText', '/Contents (SECRET) /F 2')],
    ['an empty field', widget('/FT /Tx /T (SECRET) /V ()')],
    ['an unused field', widget('/FT /Tx /T (SECRET)')],
    ['a button', widget('/FT /Btn /Ff 65536 /T (SECRET) /MK << /CA (SECRET) >>')],
    ['a link', note('Link', '/Contents (SECRET) /A << /S /URI /URI (https://example.com) >>')],
  ])('are left out: %s', async (_what, object) => {
    expect(await textOf(form([object]))).toBe('Page')
  })

  test('keep the text of a page whose annotations are damaged', async () => {
    for (const annots of ['[99 0 R 7 0 R]', '7 0 R', '(text)', '[null 12 [7 0 R]]'])
      expect(await textOf(makePdf({ content: linesOf('Page'), page: `/Annots ${annots}` }))).toBe('Page')
  })
})

/** A map of character codes that reads ~ as a soft hyphen, as word processors write it, and | as the ligature fi. */
const SOFT_MAP =
  'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7b> <0020> endbfrange 2 beginbfchar <7e> <00ad> <7c> <fb01> endbfchar endcmap'
const SOFT: PdfParts = {
  font: HELVETICA.replace('>>', '/ToUnicode 7 0 R >>'),
  more: [`<< /Length ${SOFT_MAP.length} >>\nstream\n${SOFT_MAP}\nendstream`],
}

describe('words', () => {
  test('are whole if they are broken by soft hyphens', async () => {
    const content = linesOf('The infor~', 'mation of|ce for Donau~dampf').replace('/F2', '/F1')
    expect(await textOf(makePdf({ ...SOFT, content }))).toBe('The information office for Donaudampf')
  })

  test('are whole if they are broken by hyphens at the ends of lines', async () => {
    const content = linesOf(
      'This infor-',
      'mation is long-',
      'term, as long-term',
      'as E-',
      'Mail in 2020-',
      '21.',
    )
    expect(await textOf(makePdf({ content }))).toBe(
      'This information is long-term, as long-term\nas E-Mail in 2020-\n21.',
    )
  })

  test.each([
    ['infor-\nmation', 'information'],
    ['infor\u00ad\nmation', 'information'],
    ['infor\u2010\nmation', 'information'],
    ['infor- \n  mation', 'information'],
    ['Rückgabe-\nrecht', 'Rückgaberecht'],
    ['возвра-\nщение', 'возвращение'],
    ['INFOR-\nMATION', 'INFORMATION'],
    ['E-\nMail', 'E-Mail'],
    ['Jean-\nPierre', 'Jean-Pierre'],
    ['DNA-\nbased', 'DNA-based'],
    ['x-\nray', 'x-ray'],
    ['Haupt-\nund Nebensatz', 'Haupt- und Nebensatz'],
    ['pre-\nand postwar', 'pre- and postwar'],
    ['well-known, as well-\nknown', 'well-known, as well-known'],
    ['2020-\n2021', '2020-\n2021'],
    ['- one\n- two', '- one\n- two'],
    ['a –\nb', 'a –\nb'],
    ['one -\ntwo', 'one -\ntwo'],
    ['end-\n\nNext', 'end-\n\nNext'],
  ])('%j becomes %j', (given, expected) => {
    expect(joinBrokenWords(given)).toBe(expected)
  })
})

test('a damaged page is marked, and the others are read', async () => {
  const file = makePdf({ content: linesOf('First'), more: ['<< /Type /Page /Parent 2 0 R /Contents 12 >>'] })
  const broken = Buffer.from(
    file
      .toString('latin1')
      .replace('/Kids [3 0 R] /Count 1', '/Kids [3 0 R 99 0 R] /Count 2')
      .replace(/xref[\s\S]*/, ''),
    'latin1',
  )
  expect(await textOf(Buffer.concat([broken, Buffer.from('trailer << /Root 1 0 R >>')]))).toContain('First')
})
