import { describe, expect, test } from 'vitest'
import { makeZip } from '#tests/support/hostile-files.ts'
import {
  makeBook,
  makeDocument,
  makeOdf,
  makeSlides,
  makeWorkbook,
  para,
  run,
  shape,
} from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

/** Makes a small document of each kind that contains `inner` as raw XML between two marked texts. */
const KINDS: Record<string, (inner: string) => Buffer> = {
  docx: (inner) => makeDocument(`${para(run('FIRST'))}${inner}${para(run('LAST'))}`),
  xlsx: (inner) =>
    makeWorkbook({
      rows: `<row><c t="str"><v>FIRST</v></c></row>${inner}<row><c t="str"><v>LAST</v></c></row>`,
    }),
  pptx: (inner) => makeSlides([{ shapes: `${shape(null, 'FIRST')}${inner}${shape(null, 'LAST')}` }]),
  odt: (inner) => makeOdf('text', `<text:p>FIRST</text:p>${inner}<text:p>LAST</text:p>`),
  ods: (inner) =>
    makeOdf(
      'spreadsheet',
      `<table:table table:name="Data"><table:table-row><table:table-cell><text:p>FIRST</text:p></table:table-cell></table:table-row>${inner}<table:table-row><table:table-cell><text:p>LAST</text:p></table:table-cell></table:table-row></table:table>`,
    ),
  odp: (inner) =>
    makeOdf(
      'presentation',
      `<draw:page><draw:custom-shape><text:p>FIRST</text:p>${inner}<text:p>LAST</text:p></draw:custom-shape></draw:page>`,
    ),
  epub: (inner) => makeBook([`<html><body><p>FIRST</p>${inner}<p>LAST</p></body></html>`]),
}

/** XML that a reader must pass over without losing what follows. */
const HARMLESS: Record<string, string> = {
  'nothing else': '',
  'an unknown element': '<zz:unknown xmlns:zz="urn:zz"><zz:inner a="1"/></zz:unknown>',
  'an element of an unknown default namespace': '<unknown xmlns="urn:zz"><inner/></unknown>',
  'a comment and an instruction': '<!-- <a> & -- > --><?php echo "x" ?>',
  'a long attribute': `<zz a="${'x'.repeat(1_000_000)}"/>`,
  'a greater-than sign in an attribute': `<zz a="a>b" b='c">d'/>`,
  'many attributes': `<zz ${Array.from({ length: 20_000 }, (_, index) => `a${index}="${index}"`).join(' ')}/>`,
  'many namespaces': '<zz xmlns:a="urn:a" xmlns:b="urn:b"/>'.repeat(20_000),
  'many empty elements': '<zz/>'.repeat(200_000),
  'elements in elements': `${'<zz>'.repeat(500)}${'</zz>'.repeat(500)}`,
}

describe.each(Object.keys(KINDS))('a %s', (kind) => {
  const make = KINDS[kind] as (inner: string) => Buffer

  test.each(Object.keys(HARMLESS))('with %s keeps its text', async (what) => {
    const text = await readAs(make(HARMLESS[what] ?? ''), kind)
    expect(text).toMatch(/FIRST[\s\S]*LAST/)
  })

  test.each<[what: string, content: () => Buffer]>([
    ['elements without end', () => make('<zz>'.repeat(10_000))],
    ['elements that are too deep', () => make(`${'<zz>'.repeat(10_000)}${'</zz>'.repeat(10_000)}`)],
    ['an element that another one closes', () => make('<a></b>')],
    ['half of its bytes', () => make('').subarray(0, Math.floor(make('').length / 2))],
    ['more than 250 times its size', () => make(`<!--${' '.repeat(30_000_000)}-->`)],
  ])('with %s is refused with the reason, or read', async (_what, content) => {
    const outcome = await readAs(content(), kind).catch(String)
    // Browsers, too, read pages with elements that are not closed, so chapters of books are.
    if (kind !== 'epub' || !outcome.includes('FIRST'))
      expect(outcome).toMatch(/damaged|unpacks to more than|not detected/)
  })

  test('expands no entities', async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`
    const bytes = makeZip([
      { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
      {
        name: 'content.xml',
        content: `<?xml version="1.0"?>${laughs}<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>FIRST &b; &f; &#x41;&amp;</text:p></office:text></office:body></office:document-content>`,
      },
    ])
    const text = await readAs(bytes, 'odt')
    expect(text).toContain('A&')
    expect(text).not.toMatch(/haha|root:/)
  })
})

describe('a small file that asks for much work is read in time', () => {
  const cells = (count: number) => '<w:tc><w:p/></w:tc>'.repeat(count)
  test.each<[what: string, extension: string, content: () => Buffer | string]>([
    [
      'a sheet of a million repeated cells',
      'ods',
      () =>
        makeOdf(
          'spreadsheet',
          `<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"/></table:table-row></table:table>`,
        ),
    ],
    [
      'a sheet of overlapping merged cells',
      'xlsx',
      () =>
        makeWorkbook({
          rows: Array.from(
            { length: 20_000 },
            (_, index) => `<row r="${index + 1}"><c r="A${index + 1}"><v>1</v></c></row>`,
          ).join(''),
          after: `<mergeCells>${'<mergeCell ref="A1:B1048576"/>'.repeat(20_000)}</mergeCells>`,
        }),
    ],
    [
      'a sheet of cells in a diagonal',
      'xlsx',
      () =>
        makeWorkbook({
          rows: Array.from(
            { length: 16_000 },
            (_, index) => `<row r="${index + 1}">${'<c/>'.repeat(index % 500)}<c><v>1</v></c></row>`,
          ).join(''),
        }),
    ],
    [
      'rows of cells that span all rows',
      'docx',
      () =>
        makeDocument(
          `<w:tbl>${`<w:tr>${'<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>'.repeat(60)}</w:tr>`.repeat(2_000)}</w:tbl>${para(run('x'))}`,
        ),
    ],
    [
      'tables in tables',
      'docx',
      () =>
        makeDocument(
          `${'<w:tbl><w:tr><w:tc>'.repeat(300)}${para(run('x'))}${'</w:tc></w:tr></w:tbl>'.repeat(300)}`,
        ),
    ],
    [
      'wide spans',
      'docx',
      () =>
        makeDocument(
          `<w:tbl>${`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr>${para(run('x'))}</w:tc></w:tr>`.repeat(5_000)}</w:tbl>`,
        ),
    ],
    [
      'a wide table',
      'docx',
      () => makeDocument(`<w:tbl><w:tr>${cells(50_000)}<w:tc>${para(run('x'))}</w:tc></w:tr></w:tbl>`),
    ],
    [
      'fields without end',
      'docx',
      () =>
        makeDocument(
          `${para(run('x'))}${para('<w:r><w:fldChar w:fldCharType="begin"/></w:r>'.repeat(20_000), run('y'))}`,
        ),
    ],
    [
      'text boxes in text boxes',
      'docx',
      () =>
        makeDocument(
          `${'<w:p><w:r><w:txbxContent>'.repeat(300)}${para(run('x'))}${'</w:txbxContent></w:r></w:p>'.repeat(300)}`,
        ),
    ],
    [
      'styles that are based on each other',
      'docx',
      () =>
        makeDocument(`<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr>${run('x')}</w:p>`, [
          {
            name: 'word/styles.xml',
            content:
              '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>',
            relation: ['rId5', 'styles'],
          },
        ]),
    ],
    [
      'groups in an RTF',
      'rtf',
      () =>
        `{\\rtf1 x${'{\\b'.repeat(900)}${'}'.repeat(900)}${'{\\*\\zz '.repeat(50)}${'}'.repeat(50)}${'\\par'.repeat(200_000)}}`,
    ],
    ['control words in an RTF', 'rtf', () => `{\\rtf1 x ${'\\u8364 ?'.repeat(300_000)}}`],
    ['pictures in an RTF', 'rtf', () => `{\\rtf1 x{\\pict ${'0123456789abcdef\n'.repeat(600_000)}}}`],
    [
      'parts in an email',
      'eml',
      () =>
        `Subject: x\nContent-Type: multipart/mixed; boundary=a\n\n${'--a\nContent-Type: text/plain\n\nx\n'.repeat(900)}--a--`,
    ],
    ['a long header in an email', 'eml', () => `Subject: ${'x '.repeat(200_000)}\n\ntext`],
    ['messages in an email', 'eml', () => `${'Subject: x\nContent-Type: message/rfc822\n\n'.repeat(40)}text`],
    ['addresses in an email', 'eml', () => `Subject: s\nTo: ${'a@example.com, '.repeat(30_000)}\n\ntext`],
  ])('%s', async (_what, extension, content) => {
    const text = await readAs(content(), extension)
    expect(text).not.toBe('')
  })
})
