import { describe, expect, test } from 'vitest'
import { makeOdf } from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

describe('an ODT', () => {
  const p = (text: string, style = '') => `<text:p text:style-name="${style}">${text}</text:p>`
  const item = (text: string, inner = '') => `<text:list-item>${p(text)}${inner}</text:list-item>`
  const listStyle = (levels: string) => `<text:list-style style:name="L1">${levels}</text:list-style>`
  const numbers = (level: number, format: string, suffix: string, more = '') =>
    `<text:list-level-style-number text:level="${level}" style:num-format="${format}" style:num-suffix="${suffix}" ${more}/>`
  const cell = (text: string, more = '') => `<table:table-cell ${more}>${p(text)}</table:table-cell>`
  const formula = {
    name: 'Object 1/content.xml',
    content:
      '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow><annotation encoding="StarMath 5.0">E = m c^2</annotation></semantics></math>',
  }
  test.each<[what: string, body: string, options: Parameters<typeof makeOdf>[2], expected: string]>([
    ['with headings', '<text:h text:outline-level="2">Title</text:h>' + p('Text.'), {}, '## Title\n\nText.'],
    [
      'with spans, spaces and breaks',
      p('a<text:s text:c="2"/>b<text:tab/>c<text:line-break/><text:span>d</text:span>'),
      {},
      'a b c\nd',
    ],
    ['with bullets', `<text:list>${item('one')}${item('two')}</text:list>`, {}, '- one\n- two'],
    [
      'with numbers',
      `<text:list text:style-name="L1">${item('one')}${item('two')}</text:list>`,
      { automatic: listStyle(numbers(1, '1', '.')) },
      '1. one\n2. two',
    ],
    [
      'with a start and a prefix',
      `<text:list text:style-name="L1">${item('one')}${item('two')}</text:list>`,
      { automatic: listStyle(numbers(1, '1', '', 'style:num-prefix="§" text:start-value="5"')) },
      '§5 one\n\n§6 two',
    ],
    [
      'with levels',
      `<text:list text:style-name="L1">${item('one', `<text:list>${item('deeper')}</text:list>`)}</text:list>`,
      { automatic: listStyle(numbers(1, '1', '.') + numbers(2, '1', '', 'text:display-levels="2"')) },
      '1. one\n\n1.1 deeper',
    ],
    [
      'with letters',
      `<text:list text:style-name="L1">${item('one')}</text:list>`,
      { automatic: listStyle(numbers(1, 'a', ')')) },
      'a) one',
    ],
    [
      'with numbered headings',
      '<text:h text:outline-level="1">A</text:h><text:h text:outline-level="2">B</text:h>',
      {
        styles:
          '<office:styles><text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style></office:styles>',
      },
      '# 1 A\n\n## 1.1 B',
    ],
    [
      'with a table',
      `<table:table><table:table-row>${cell('Name')}${cell('Units')}</table:table-row><table:table-row>${cell('Hub')}${cell('7')}</table:table-row></table:table>`,
      {},
      '| Name | Units |\n| --- | --- |\n| Hub | 7 |',
    ],
    [
      'with merged cells',
      `<table:table><table:table-row>${cell('a')}${cell('b')}</table:table-row><table:table-row>${cell('EU', 'table:number-rows-spanned="2"')}${cell('1')}</table:table-row><table:table-row><table:covered-table-cell/>${cell('2')}</table:table-row><table:table-row>${cell('both', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row></table:table>`,
      {},
      '| a | b |\n| --- | --- |\n| EU | 1 |\n| EU | 2 |\n| both |  |',
    ],
    [
      'with a footnote',
      p(
        'See<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>The note.</text:p></text:note-body></text:note>.',
      ),
      {},
      'See[1].\n\n1. The note.',
    ],
    [
      'with a text box',
      p('a<draw:frame><draw:text-box><text:p>BOX</text:p></draw:text-box></draw:frame>b'),
      {},
      'ab\n\nBOX',
    ],
    [
      'with a link',
      p('<text:a xlink:href="https://example.com/">site</text:a>'),
      {},
      '[site](https://example.com/)',
    ],
    [
      'with a header and a footer',
      p('Body.'),
      {
        styles:
          '<office:master-styles><style:master-page><style:header><text:p>Contract 4711</text:p></style:header><style:header-left><text:p>Contract 4711</text:p></style:header-left><style:footer><text:p>Page <text:page-number>3</text:page-number></text:p></style:footer></style:master-page></office:master-styles>',
      },
      'Contract 4711\n\nBody.\n\nPage',
    ],
    [
      'with deleted text and comments',
      '<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion></text:changed-region></text:tracked-changes>' +
        p('new<office:annotation><text:p>remark</text:p></office:annotation>'),
      {},
      'new',
    ],
    [
      'with hidden text',
      p('seen<text:span text:style-name="T1"> unseen</text:span>'),
      {
        automatic: '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>',
      },
      'seen',
    ],
    [
      'with a formula',
      p('Formula<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>.'),
      { parts: [formula] },
      'Formula $E = m c^2$ .',
    ],
    [
      'with fields',
      p('Contract <text:user-defined>C-4711</text:user-defined> of <text:date>15 March</text:date>'),
      {},
      'Contract C-4711 of 15 March',
    ],
    [
      'with a picture',
      p('<draw:frame><draw:image/><svg:title>t</svg:title><svg:desc>A red car</svg:desc></draw:frame>'),
      {},
      'A red car',
    ],
  ])('%s', async (_what, body, options, expected) => {
    expect(await readAs(makeOdf('text', body, options), 'odt')).toBe(expected)
  })
})

test('an encrypted OpenDocument file says so', async () => {
  const manifest = {
    name: 'META-INF/manifest.xml',
    content:
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
  }
  for (const [kind, extension, name] of [
    ['text', 'odt', 'document'],
    ['spreadsheet', 'ods', 'spreadsheet'],
    ['presentation', 'odp', 'presentation'],
  ] as const)
    await expect(readAs(makeOdf(kind, '', { parts: [manifest] }), extension)).rejects.toThrow(
      `This ${name} is encrypted.`,
    )
})
