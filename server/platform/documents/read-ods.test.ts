import { describe, expect, test } from 'vitest'
import { makeOdf } from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

describe('an ODS', () => {
  const cell = (type: string, value: string, more = '') =>
    `<table:table-cell office:value-type="${type}" ${more}><text:p>${value}</text:p></table:table-cell>`
  const sheet = (name: string, ...rows: string[]) =>
    `<table:table table:name="${name}">${rows.map((cells) => (cells.startsWith('<table:table-row') ? cells : `<table:table-row>${cells}</table:table-row>`)).join('')}</table:table>`
  test.each<[what: string, body: string, expected: string]>([
    [
      'with text and numbers',
      sheet('Data', cell('string', 'Hub') + cell('float', '7.00', 'office:value="7"')),
      '# Data\nHub,7',
    ],
    [
      'with a date',
      sheet('Data', cell('date', '15.03.24', 'office:date-value="2024-03-15"')),
      '# Data\n2024-03-15',
    ],
    [
      'with a date and time',
      sheet('Data', cell('date', 'x', 'office:date-value="2024-03-15T14:30:00"')),
      '# Data\n2024-03-15 14:30:00',
    ],
    ['with a time', sheet('Data', cell('time', 'x', 'office:time-value="PT09H30M00S"')), '# Data\n09:30'],
    [
      'with a duration',
      sheet('Data', cell('time', 'x', 'office:time-value="PT36H00M05S"')),
      '# Data\n36:00:05',
    ],
    ['with a percentage', sheet('Data', cell('percentage', '8%', 'office:value="0.075"')), '# Data\n7.5%'],
    [
      'with an amount',
      sheet('Data', cell('currency', '1.234,50 €', 'office:value="1234.5"')),
      '# Data\n1234.5',
    ],
    [
      'with a truth value',
      sheet('Data', cell('boolean', 'WAHR', 'office:boolean-value="true"')),
      '# Data\ntrue',
    ],
    [
      'with an error',
      sheet(
        'Data',
        '<table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value=""><text:p>#DIV/0!</text:p></table:table-cell>' +
          cell('string', 'x'),
      ),
      '# Data\n#DIV/0!,x',
    ],
    [
      'with a formula without a result',
      sheet('Data', '<table:table-cell table:formula="of:=SUM([.C1:.C9])"/>'),
      '# Data\n=SUM(C1:C9)',
    ],
    [
      'with a formula with a result',
      sheet('Data', cell('float', '2', 'table:formula="of:=1+1" office:value="2"')),
      '# Data\n2',
    ],
    [
      'with empty cells and rows',
      sheet(
        'Data',
        cell('string', 'a') + '<table:table-cell table:number-columns-repeated="2"/>' + cell('string', 'b'),
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>',
        cell('string', 'far'),
      ),
      '# Data\na,,,b\n\nfar',
    ],
    [
      'with repeated cells',
      sheet('Data', cell('float', '1', 'office:value="1" table:number-columns-repeated="3"')),
      '# Data\n1,1,1',
    ],
    [
      'with repeated rows',
      sheet(
        'Data',
        `<table:table-row table:number-rows-repeated="2">${cell('string', 'x')}</table:table-row>`,
      ),
      '# Data\nx\nx',
    ],
    [
      'with merged cells',
      sheet(
        'Data',
        cell('string', 'EU', 'table:number-rows-spanned="2"') + cell('string', 'Cable'),
        '<table:covered-table-cell/>' + cell('string', 'Hub'),
      ),
      '# Data\nEU,Cable\nEU,Hub',
    ],
    [
      'with several sheets',
      sheet('A', cell('string', 'a')) + sheet('B', cell('string', 'b')),
      '# A\na\n\n# B\nb',
    ],
    [
      'with comments',
      sheet(
        'Data',
        '<table:table-cell office:value-type="string"><office:annotation><text:p>remark</text:p></office:annotation><text:p>text</text:p></table:table-cell>',
      ),
      '# Data\ntext',
    ],
    [
      'with several lines in a cell',
      sheet(
        'Data',
        '<table:table-cell office:value-type="string"><text:p>one</text:p><text:p>two</text:p></table:table-cell>',
      ),
      '# Data\n"one\ntwo"',
    ],
  ])('%s', async (_what, body, expected) => {
    expect(await readAs(makeOdf('spreadsheet', body), 'ods')).toBe(expected)
  })
})

describe('an ODP', () => {
  const frame = (kind: string, ...texts: string[]) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${texts.map((text) => `<text:p>${text}</text:p>`).join('')}</draw:text-box></draw:frame>`
  test.each<[what: string, body: string, expected: string]>([
    [
      'with a title and text',
      `<draw:page>${frame('title', 'Plan')}${frame('outline', 'one', 'two')}</draw:page>`,
      '## Slide 1: Plan\n\none\n\ntwo',
    ],
    [
      'with points',
      `<draw:page>${frame('title', 'Plan')}<draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list></draw:text-box></draw:frame></draw:page>`,
      '## Slide 1: Plan\n\n- one',
    ],
    [
      'with a shape',
      '<draw:page><draw:custom-shape><text:p>in a shape</text:p></draw:custom-shape></draw:page>',
      '## Slide 1\n\nin a shape',
    ],
    [
      'with notes',
      `<draw:page>${frame('title', 'A')}<presentation:notes>${frame('notes', 'Say hello')}</presentation:notes></draw:page>`,
      '## Slide 1: A\n\nNotes: Say hello',
    ],
    [
      'with a table',
      '<draw:page><draw:frame><table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></draw:frame></draw:page>',
      '## Slide 1\n\n| a | b |\n| --- | --- |',
    ],
    [
      'with several slides',
      `<draw:page>${frame('title', 'A')}</draw:page><draw:page>${frame('title', 'B')}</draw:page>`,
      '## Slide 1: A\n\n## Slide 2: B',
    ],
  ])('%s', async (_what, body, expected) => {
    expect(await readAs(makeOdf('presentation', body), 'odp')).toBe(expected)
  })
})
