import { expect, test } from 'vitest'
import { csvFile } from './csv.ts'

test('cells are quoted where necessary and never start a formula', () => {
  const cells = [
    'plain',
    'a,b',
    'say "hi"',
    'two\r\nlines',
    '=1+1',
    '+1',
    '-1',
    '@x',
    ' =1',
    '\t=1',
    'a=b',
    '',
  ]
  const { content } = csvFile(
    't.csv',
    ['text', 'number'],
    [...cells.map((text) => ({ text, number: -1 })), { text: null, number: undefined }],
  )
  expect(content).toBe(
    [
      'text,number',
      'plain,-1',
      '"a,b",-1',
      '"say ""hi""",-1',
      '"two\r\nlines",-1',
      "'=1+1,-1",
      "'+1,-1",
      "'-1,-1",
      "'@x,-1",
      "' =1,-1",
      "'\t=1,-1",
      'a=b,-1',
      ',-1',
      ',',
      '',
    ].join('\r\n'),
  )
})
