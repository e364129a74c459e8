import { describe, expect, test } from 'vitest'
import { readCallArguments } from './call-arguments.ts'

describe('arguments', () => {
  const TEXT = '{"text": "a \\"b\\" {c}", "n": 1234567890123456789}'
  const twice = JSON.stringify(TEXT)

  test.each([TEXT, ` ${TEXT}\n`])('of one object are read, and keep their text: %j', (text) => {
    const read = readCallArguments(text)
    expect(JSON.stringify(read.input)).toBe('{"text":"a \\"b\\" {c}","n":1234567890123456789}')
    expect(read.text).toBe(text)
    expect(read.fault).toBeUndefined()
  })

  test.each([
    `\`\`\`json\n${TEXT}\n\`\`\``,
    `\`\`\`\n${TEXT}\n\`\`\`\n`,
    `\n\`\`\`JSON\r\n${TEXT}\r\n\`\`\``,
    `\`\`\`\`json5\n${TEXT}\n\`\`\`\``,
    `\`\`\`json ${TEXT} \`\`\``,
    `~~~json\n${TEXT}\n~~~`,
    `\`${TEXT}\``,
    twice,
    JSON.stringify(twice),
    `\`\`\`json\n${twice}\n\`\`\``,
    JSON.stringify(`\`\`\`json\n${TEXT}\n\`\`\``),
    `{}${TEXT}`,
    `${TEXT}{}`,
    `null${TEXT}`,
    `${TEXT}\n${TEXT}`,
    `{}${TEXT}${TEXT}`,
  ])('with more around their object are read: %j', (text) => {
    expect(readCallArguments(text)).toEqual({ ...readCallArguments(TEXT), text: TEXT })
  })

  test.each([
    '',
    ' \n',
    'null',
    ' null ',
    '{}',
    ' { } ',
    '""',
    '"{}"',
    '"null"',
    '```json\n{}\n```',
    '```\n```',
  ])('that are none: %j', (text) => {
    const { input, fault } = readCallArguments(text)
    expect([input, fault]).toEqual([{}, undefined])
  })

  test.each<[string, RegExp]>([
    ['{"text": "on', /Unterminated string/],
    ['{"text":"a"}{"text":"b"}', /after JSON at position 12/],
    ['{"text":"a"} and {"text":"a"}', /after JSON/],
    ['{"a":}', /Unexpected token/],
    ["{'a': 1}", /Expected property name/],
    ['{"a":1,}', /position/],
    ['[1]', /not a JSON object/],
    ['[{"a":1}]', /not a JSON object/],
    ['7', /not a JSON object/],
    ['1234567890123456789', /not a JSON object/],
    ['true', /not a JSON object/],
    ['"text"', /./],
    ['text', /not valid JSON/],
    ['```json\n{"a"\n```', /./],
    ['[['.repeat(50_000), /./],
    ['{"a":1'.repeat(50_000), /./],
    ['`'.repeat(100_000), /./],
    ['{"a":'.repeat(70) + '1'.padEnd(71, '}'), /nested too deeply/],
  ])('that are broken have a fault: %.40j', (text, fault) => {
    const read = readCallArguments(text)
    expect(read).toMatchObject({ input: {}, text })
    expect(read.fault).toMatch(fault)
    expect((read.fault ?? '').length).toBeLessThan(300)
  })
})
