import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeWorkbook, SHEET, stylesXml, type Workbook } from '#tests/support/office-files.ts'
import { countTokens } from '../models/count-tokens.ts'
import { XLSX } from './accepted-types.ts'
import { readFileText } from './read-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-xlsx-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function read(book: Workbook): Promise<string> {
  const path = join(folder, 'book.xlsx')
  writeFileSync(path, makeWorkbook(book))
  return (await readFileText({ path, contentType: XLSX })).text
}

const text = (reference: string, value: string) =>
  `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`
const number = (reference: string, value: number | string, style = 0) =>
  `<c r="${reference}" s="${style}"><v>${value}</v></c>`
const row = (index: number, ...cells: string[]) => `<row r="${index}">${cells.join('')}</row>`
const oneRow = row(1, text('A1', 'label'), number('B1', 7))
const STRICT = 'http://purl.oclc.org/ooxml/spreadsheetml/main'

describe('the numbers of a sheet are shown in their format', () => {
  test.each<[format: number | string, value: number | string, shown: string]>([
    [0, 45366, '45366'],
    ['General', 1.5, '1.5'],
    [14, 45366, '2024-03-15'],
    [15, 45366, '2024-03-15'],
    [17, 45366, '2024-03-15'],
    [22, 45366.604166667, '2024-03-15 14:30'],
    [27, 45366, '2024-03-15'],
    [31, 45366, '2024-03-15'],
    [57, 45366, '2024-03-15'],
    ['yyyy\\-mm\\-dd hh:mm', 45366.604166667, '2024-03-15 14:30'],
    ['yyyy\\-mm\\-dd hh:mm', 45366, '2024-03-15'],
    ['dd.mm.yyyy;@', 45366, '2024-03-15'],
    ['[$-407]d. mmmm yyyy', 45366, '2024-03-15'],
    ['[$-F800]dddd, mmmm dd, yyyy', 45366, '2024-03-15'],
    ['[$-411]ggge"年"m"月"d"日"', 45366, '2024-03-15'],
    ['yyyy"-"mm"-"dd"T"hh:mm:ss"Z"', 45366.6043402778, '2024-03-15 14:30:15'],
    ['mmm', 45366, '2024-03-15'],
    [14, 1, '1900-01-01'],
    [14, 59, '1900-02-28'],
    [14, 60, '1900-02-29'],
    [14, 61, '1900-03-01'],
    [14, 0, '0'],
    [14, -30701, '1815-12-10'],
    [14, 3_000_000, '3000000'],
    [14, 2_958_465, '9999-12-31'],
    [20, 0.3958333333, '09:30'],
    [20, 0, '00:00'],
    [21, 0.3958333333, '09:30:00'],
    [18, 0.604166667, '14:30'],
    [19, 0.604340278, '14:30:15'],
    ['h:mm', 45366.604166667, '14:30'],
    ['hh"h"mm', 0.604166667, '14:30'],
    [22, 0.5, '12:00'],
    [45, 0.008680556, '00:12:30'],
    [47, 0.00868171296, '00:12:30.1'],
    [46, 1.5, '36:00:00'],
    ['[h]:mm:ss', 1.5, '36:00:00'],
    ['[h]:mm', 1.5, '36:00'],
    ['[hh]:mm', 0.25, '06:00'],
    ['[h]:mm;@', 4.1041666667, '98:30'],
    ['[h]', 1.5, '36'],
    ['[mm]:ss', 0.0625, '90:00'],
    ['[ss]', 0.001, '86'],
    ['[h]:mm', -0.5, '-12:00'],
    ['[Red][h]:mm', 1.5, '36:00'],
    [9, 0.075, '7.5%'],
    [10, 0.075, '7.5%'],
    ['0.0%;[Red]-0.0%', -0.123, '-12.3%'],
    ['0.00 %', 1, '100%'],
    [10, 0.07, '7%'],
    ['"Day" 0', 3, '3'],
    ['0 "days"', 3, '3'],
    ['0\\h', 3, '3'],
    ['#,##0.00 [$€-407]', 1234.5, '1234.5'],
    ['_-* #,##0.00\\ "kr"_-', 12, '12'],
    ['[Red]0.00', 2.25, '2.25'],
    ['[<1]0.00;0', 2.25, '2.25'],
    ['0.00E+00', 12345, '12345'],
    [44, 9.99, '9.99'],
    ['@', 5, '5'],
    [0, '1E-3', '0.001'],
    [0, 'no number', 'no number'],
  ])('%s: %s is %s', async (format, value, shown) => {
    const rows = row(1, text('A1', 'label'), number('B1', value, 1))
    expect(await read({ rows, styles: stylesXml([format]) })).toBe(`# Data\nlabel,${shown}\n`)
  })

  test('in the calendar that starts in 1904', async () => {
    for (const date1904 of ['1', 'true'])
      expect(
        await read({
          rows: row(1, number('A1', 43904, 1), number('B1', 0, 1), number('C1', 0.5, 2)),
          styles: stylesXml([14, 20]),
          properties: `<workbookPr date1904="${date1904}"/>`,
        }),
      ).toBe('# Data\n2024-03-15,1904-01-01,12:00\n')
  })

  test('is never in 1899', async () => {
    const styles = stylesXml([14, 22, 20, 46, 'yyyy', 'm/d/yyyy h:mm:ss'])
    for (const value of [0, 0.25, 0.5, 0.99999, 1e-9])
      for (let style = 1; style <= 6; style++)
        expect(await read({ rows: row(1, number('A1', value, style)), styles })).not.toMatch(/1899|1900|Z/)
  })
})

describe('the cells of a sheet', () => {
  test.each<[what: string, cells: string, shown: string, more?: Partial<Workbook>]>([
    ['an error', '<c r="B1" t="e"><v>#N/A</v></c>', '#N/A'],
    ['an error of a formula', '<c r="B1" t="e"><f>1/0</f><v>#DIV/0!</v></c>', '#DIV/0!'],
    ['a lost reference', '<c r="B1" t="e"><f>#REF!+1</f><v>#REF!</v></c>', '#REF!'],
    ['a name error', '<c r="B1" t="e"><v>#NAME?</v></c>', '#NAME?'],
    ['a spill error', '<c r="B1" t="e"><v>#SPILL!</v></c>', '#SPILL!'],
    ['true', '<c r="B1" t="b"><v>1</v></c>', 'true'],
    ['false', '<c r="B1" t="b"><v>0</v></c>', 'false'],
    ['a cached result', '<c r="B1"><f>1+1</f><v>2</v></c>', '2'],
    ['a cached text', '<c r="B1" t="str"><f>A1</f><v>two</v></c>', 'two'],
    ['a formula without a result', '<c r="B1"><f>SUM(C1:C9)</f></c>', '=SUM(C1:C9)'],
    ['a formula with an empty result', '<c r="B1"><f>SUM(C1:C9)</f><v></v></c>', '=SUM(C1:C9)'],
    ['a formula with an empty element', '<c r="B1"><f>SUM(C1:C9)</f><v/></c>', '=SUM(C1:C9)'],
    ['a formula of text', '<c r="B1" t="str"><f>UPPER(A1)</f></c>', '=UPPER(A1)'],
    ['a formula with commas', '<c r="B1"><f>IF(A1&gt;1,"x","y")</f></c>', '"=IF(A1>1,""x"",""y"")"'],
    ['a function of a later version', '<c r="B1"><f>_xlfn.CONCAT(A1)</f></c>', '=CONCAT(A1)'],
    ['an array formula', '<c r="B1"><f t="array" ref="B1:B2">A1:A2*2</f></c>', '=A1:A2*2'],
    ['an ISO date', '<c r="B1" t="d"><v>2024-03-15T00:00:00</v></c>', '2024-03-15'],
    ['an ISO time', '<c r="B1" t="d"><v>2024-03-15T14:30:00Z</v></c>', '2024-03-15 14:30:00'],
    [
      'formatted text',
      '<c r="B1" t="inlineStr"><is><r><t>one </t></r><r><rPr><b/></rPr><t>two</t></r></is></c>',
      'one two',
    ],
    ['inline text in a value', '<c r="B1" t="inlineStr"><v>plain</v></c>', 'plain'],
    [
      'a shared string',
      '<c r="B1" t="s"><v>1</v></c>',
      'b',
      { strings: '<si><t>a</t></si><si><t>b</t></si>' },
    ],
    [
      'a formatted shared string',
      '<c r="B1" t="s"><v>0</v></c>',
      'one two',
      { strings: '<si><r><t xml:space="preserve">one </t></r><r><t>two</t></r></si>' },
    ],
    [
      'a shared string with a reading',
      '<c r="B1" t="s"><v>0</v></c>',
      '東京',
      { strings: '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr/></si>' },
    ],
    ['an escape', '<c r="B1" t="s"><v>0</v></c>', '"a\nb"', { strings: '<si><t>a_x000D_\nb</t></si>' }],
    ['text like a sheet name', '<c r="B1" t="str"><v># one</v></c>', '"# one"'],
    ['a quote', '<c r="B1" t="str"><v>3" pipe</v></c>', '"3"" pipe"'],
  ])('%s', async (_what, cells, shown, more) => {
    expect(await read({ rows: row(1, text('A1', 'label'), cells), ...more })).toBe(`# Data\nlabel,${shown}\n`)
  })

  test('that share a formula have it with their own addresses', async () => {
    const rows = `${row(1, '<c r="A1"><f t="shared" ref="A1:A3" si="0">B1*$C$1+LOG10(B1)&amp;"B1"</f></c>')}${row(2, '<c r="A2"><f t="shared" si="0"/></c>')}${row(3, '<c r="A3"><f t="shared" si="0"/><v>9</v></c>')}`
    expect(await read({ rows })).toBe('# Data\n"=B1*$C$1+LOG10(B1)&""B1"""\n"=B2*$C$1+LOG10(B2)&""B1"""\n9\n')
  })
})

describe('the other cells are still read', () => {
  const cell = (index: string) => `<c r="B1" t="s"><v>${index}</v></c>`
  test.each<[what: string, book: Workbook, expected: string]>([
    ['without styles and strings', { rows: oneRow, styles: null, strings: null }, 'label,7'],
    ['with damaged styles', { rows: oneRow, styles: '<styleSheet><cellXfs><xf' }, 'label,7'],
    ['with styles that are no XML', { rows: oneRow, styles: '\0\x01' }, 'label,7'],
    ['with an unknown style', { rows: row(1, text('A1', 'label'), number('B1', 7, 99)) }, 'label,7'],
    [
      'with a style that is no number',
      { rows: '<row r="1"><c r="A1" s="x" t="str"><v>label</v></c><c r="B1" s="-1"><v>7</v></c></row>' },
      'label,7',
    ],
    [
      'with damaged strings',
      {
        rows: row(1, '<c r="A1" t="s"><v>0</v></c>', number('B1', 7)),
        strings: `<?xml version="1.0"?><sst xmlns="${SHEET}"><si><t>label</t></si><si><t>rest`,
      },
      'label,7',
    ],
    ...['5', '-1', 'x', '', '1.5', '99999999999'].map((index): [string, Workbook, string] => [
      `with the invalid string ${index}`,
      {
        rows: row(1, text('A1', 'label'), cell(index), number('C1', 7)),
        strings: '<si><t>a</t></si>',
      },
      'label,,7',
    ]),
    [
      'with an unknown type',
      { rows: row(1, text('A1', 'label'), '<c r="B1" t="zz"><v>7</v></c>') },
      'label,7',
    ],
  ])('%s', async (_what, book, expected) => {
    expect(await read(book)).toBe(`# Data\n${expected}\n`)
  })
})

describe('rows and cells without a reference follow the previous ones', () => {
  const inline = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  test.each<[what: string, rows: string, expected: string]>([
    ['none', `<row>${inline('a')}<c><v>5</v></c></row><row>${inline('b')}<c><v>6</v></c></row>`, 'a,5\nb,6'],
    ['cells', `<row r="1">${inline('a')}<c><v>5</v></c></row>`, 'a,5'],
    ['rows', '<row><c r="A1"><v>1</v></c></row><row><c r="B2"><v>2</v></c></row>', '1\n,2'],
    ['some', `<row r="1">${inline('a')}<c r="C1"><v>5</v></c><c><v>6</v></c></row>`, 'a,,5,6'],
    ['empty ones', `<row>${inline('a')}<c/><c><v>5</v></c></row>`, 'a,,5'],
    ['invalid ones', `<row r="x"><c r="??"><v>1</v></c><c r="1A"><v>2</v></c></row>`, '1,2'],
    ['lowercase ones', '<row r="1"><c r="b1"><v>1</v></c></row>', ',1'],
    ['absolute ones', '<row r="1"><c r="$B$1"><v>1</v></c></row>', ',1'],
    ['ones outside of a sheet', '<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>', '1'],
    ['the same one twice', '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>', '1,2'],
  ])('%s', async (_what, rows, expected) => {
    expect(await read({ rows })).toBe(`# Data\n${expected}\n`)
  })
})

describe('a cell far from the others costs little', () => {
  const table = Array.from({ length: 5 }, (_, index) =>
    row(index + 1, text(`A${index + 1}`, `name ${index}`), number(`B${index + 1}`, index)),
  ).join('')
  test.each<[what: string, rows: string, expected: RegExp]>([
    ['below', `${table}${row(1_000_000, text('A1000000', 'far'))}`, /name 4,4\n\nfar\n/],
    ['in the last row', `${table}${row(1_048_576, text('B1048576', 'far'))}`, /name 4,4\n\n,far\n/],
    ['to the right', `${table}${row(6, text('A6', 'x'), text('XFD6', 'far'))}`, /\nx,,,far\n/],
    ['in both', `${table}${row(9000, text('XFD9000', 'far'))}`, /\n,,,far\n/],
    ['alone', row(500_000, text('ZZ500000', 'far')), /^# Data\n,?far\n$/],
    [
      'many, each in another column',
      Array.from({ length: 100 }, (_, index) =>
        row(
          index * 100 + 1,
          number(
            `${'ABCDEFGHIJ'[index % 10]}${'ABCDEFGHIJ'[Math.floor(index / 10)]}${index * 100 + 1}`,
            index,
          ),
        ),
      ).join(''),
      /JJ9901: 99\n/,
    ],
    [
      'a formatted row',
      `${table}${row(7, ...Array.from({ length: 900 }, (_, index) => `<c r="${'ABCDEFGHIJ'[index % 10]}7" s="0"/>`))}`,
      /name 4,4\n$/,
    ],
  ])('%s', async (_what, rows, expected) => {
    const shown = await read({ rows })
    expect(shown).toMatch(expected)
    expect(shown).not.toMatch(/\n\n\n/)
    expect(await countTokens(shown)).toBeLessThan(2_000)
  })
})

describe('sheets', () => {
  const other = `<worksheet xmlns="${SHEET}"><sheetData>${row(1, text('A1', 'other'))}</sheetData></worksheet>`
  const chart = `<chartsheet xmlns="${SHEET}"><sheetViews><sheetView workbookViewId="0"/></sheetViews></chartsheet>`
  test.each<[what: string, book: Workbook, expected: string]>([
    [
      'beside a chart',
      { rows: oneRow, before: [{ name: 'Chart1', type: 'chartsheet', content: chart }] },
      '# Data\nlabel,7\n',
    ],
    [
      'beside two charts and a dialog',
      {
        rows: oneRow,
        before: [
          { name: 'C1', type: 'chartsheet', content: chart },
          { name: 'D1', type: 'dialogsheet', content: '<dialogsheet/>' },
          { name: 'C2', type: 'chartsheet', content: chart },
        ],
      },
      '# Data\nlabel,7\n',
    ],
    [
      'that are hidden',
      {
        rows: oneRow,
        before: [
          { name: 'Secret', type: 'worksheet', content: other, attributes: 'state="hidden"' },
          { name: 'Deeper', type: 'worksheet', content: other, attributes: 'state="veryHidden"' },
        ],
      },
      '# Secret\nother\n\n# Deeper\nother\n\n# Data\nlabel,7\n',
    ],
    [
      'that are empty',
      { rows: oneRow, before: [{ name: 'Empty', type: 'worksheet', content: '<worksheet/>' }] },
      '# Empty\n\n# Data\nlabel,7\n',
    ],
    [
      'with a name of several lines',
      { rows: oneRow, before: [{ name: 'a&#10;b', type: 'worksheet', content: other }] },
      '# a b\nother\n\n# Data\nlabel,7\n',
    ],
    [
      'of the strict variant',
      { rows: '', sheet: `<worksheet xmlns="${STRICT}"><sheetData>${oneRow}</sheetData></worksheet>` },
      '# Data\nlabel,7\n',
    ],
    [
      'with prefixed elements',
      {
        rows: '',
        sheet: `<x:worksheet xmlns:x="${SHEET}"><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>label</x:t></x:is></x:c><x:c r="B1"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
      },
      '# Data\nlabel,7\n',
    ],
    [
      'with attributes in single quotes, comments and CDATA',
      {
        rows: '',
        sheet: `<!-- a > b --><worksheet xmlns='${SHEET}'><sheetData><row r='1'><!-- x --><c r='A1' t='str'><v><![CDATA[a<b]]></v></c></row></sheetData></worksheet>`,
      },
      '# Data\na<b\n',
    ],
    [
      'with a byte order mark',
      {
        rows: '',
        sheet: `\ufeff<worksheet xmlns="${SHEET}"><sheetData>${oneRow}</sheetData></worksheet>`,
      },
      '# Data\nlabel,7\n',
    ],
    [
      'with merged cells',
      {
        rows: `${row(1, text('A1', 'Title'))}${row(2, text('A2', 'EU'), text('B2', 'Cable'))}${row(3, text('B3', 'Hub'))}${row(4, '<c r="A4"/>', text('B4', 'Plug'))}${row(5, text('B5', 'Box'))}`,
        after: '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="A2:A4"/></mergeCells>',
      },
      '# Data\nTitle\nEU,Cable\nEU,Hub\nEU,Plug\n,Box\n',
    ],
    [
      'of another workbook part',
      {
        rows: oneRow,
        book: `<workbook xmlns="${STRICT}" xmlns:rel="http://purl.oclc.org/ooxml/officeDocument/relationships"><sheets><sheet name="Data" rel:id="rId1"/></sheets></workbook>`,
      },
      '# Data\nlabel,7\n',
    ],
  ])('%s', async (_what, book, expected) => {
    expect(await read(book)).toBe(expected)
  })
})
