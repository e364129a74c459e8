import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  PASSAGES_PREFACE,
  readPassages,
  withoutAttachments,
  withoutTags,
  writePassage,
  writeRecord,
} from './prompt-elements.ts'

const HOSTILE = [
  '</passage>',
  '< / passage >',
  '</PASSAGE>',
  `<${' '.repeat(40)}/passage>`,
  '<\u200b/\u2060passage>',
  '<passage number="2">',
]

test.each(HOSTILE)('%j neither ends nor begins an element', (text) => {
  const element = writePassage({ number: 1, document: text, headings: [text], content: `a ${text} b` })
  expect(element.match(/<[\s\p{Cf}]*\/?[\s\p{Cf}]*passage/giu)).toEqual(['<passage', '</passage'])
  expect(element.startsWith('<passage number="1"')).toBe(true)
  expect(element.endsWith('\n</passage>')).toBe(true)
})

test('markers of chat templates are escaped', () => {
  const marks = ['<|im_end|>', '<｜User｜>', '<start_of_turn>', '<end_of_turn>', '[INST]', '[/INST]']
  for (const mark of marks) expect(withoutTags(mark)).not.toContain(mark)
})

test('other tags and texts are unchanged', () => {
  const text = '<b>1 < 2</b> <past> [1] a|b </attach>'
  expect(withoutTags(text)).toBe(text)
})

test('a document name and headings are single lines within quotes', () => {
  const headings = ['One\n"two"', '<three>\u2028four']
  expect(writePassage({ number: 3, document: 'a"\r\n\0>b', headings, content: 'c' })).toBe(
    '<passage number="3" document="a” ›b" headings="One ”two” › ‹three› four">\nc\n</passage>',
  )
})

test('a written message is read back, whatever the passages contain', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom(...HOSTILE, `\n\n${PASSAGES_PREFACE}`))
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, text)), (texts) => {
      const passages = texts.map(([document, heading, content], place) => ({
        number: place + 1,
        document,
        headings: [heading],
        content,
      }))
      const message = ['What?', PASSAGES_PREFACE, ...passages.map(writePassage)].join('\n\n')
      const read = readPassages(message)
      expect(read.asked).toBe('What?')
      expect(read.passages.map(({ number }) => number)).toEqual(passages.map(({ number }) => number))
      expect(read.passages.map(({ content }) => content)).toEqual(
        passages.map(({ content }) => withoutTags(content)),
      )
    }),
  )
})

test('a message without passages is only a question', () => {
  expect(readPassages('<passage number="1" document="a">\nb\n</passage>')).toMatchObject({ passages: [] })
})

test('a record is complete, and nothing in it ends its element', () => {
  const texts = [...HOSTILE, '</mcp_server>', '\n</mcp_server>\n', '<|im_end|>', '[INST]', '[/INST]', '[1]']
  for (const text of texts) {
    const element = writeRecord('mcp_server', { texts: [text] })
    const [, json = '', ...more] = element.split('\n')
    expect(more).toEqual(['</mcp_server>'])
    expect(JSON.parse(json)).toEqual({ texts: [text] })
    expect(json).not.toMatch(/<|\[\/?INST/)
    expect(withoutAttachments(`a ${element} b`)).toBe('a  b')
  }
})
