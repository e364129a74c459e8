import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { describe, expect, test } from 'vitest'
import type { Definition } from '#errors/define.ts'
import { findEarlyMessages } from '#tests/support/untranslated.ts'

/*
 * Checks the text of the interface: every language has every English message with the same arguments and tags, no
 * message contains HTML, and error messages belong to existing codes.
 */

/** The folders with messages: a file, or a folder with a file for each area, for each language. */
const FOLDERS = ['console/src/messages', 'widget/messages', 'server/platform/mail/messages']
const LANGUAGES = ['de']

/** Element names as tags would make a message look like HTML and invite writing HTML. */
const HTML = /<\/?(?:a|b|br|code|div|em|i|li|p|span|strong|ul)\b|&\w+;/

/** All messages of a language by their keys: of a folder with a file for each area, or of one file. */
async function messagesIn(folder: string, language: string): Promise<Map<string, string>> {
  const files = globSync([join(folder, `${language}.ts`), join(folder, language, '*.ts')])
  const areas = files.filter((file) => !/(?:first|chats|rest)\.ts$/.test(file))
  const messages = await Promise.all(
    areas.map(async (file) => {
      const { default: area } = await import(pathToFileURL(file).href)
      return flatten(area, file === `${folder}/${language}.ts` ? '' : `${basename(file, '.ts')}.`)
    }),
  )
  return new Map(messages.flat())
}

/** @param path where the messages are, with a dot at its end unless it is empty */
const flatten = (messages: object, path: string): [string, string][] =>
  Object.entries(messages).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flatten(value, `${path}${key}.`),
  )

/** Returns the distinct arguments and tags of a message as `name:kind`. */
const argumentsOf = (text: string): string[] => [...new Set(listArguments(parse(text)))].sort()

function listArguments(elements: MessageFormatElement[]): string[] {
  return elements.flatMap((element): string[] => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return []
    const own = `${element.value}:${element.type === TYPE.tag ? 'tag' : 'value'}`
    if (element.type === TYPE.tag) return [own, ...listArguments(element.children)]
    if (element.type === TYPE.plural || element.type === TYPE.select)
      return [own, ...Object.values(element.options).flatMap(({ value }) => listArguments(value))]
    return [own]
  })
}

/** Languages may have messages for different error codes: for some codes, English uses the server's own sentence. */
const isError = (key: string): boolean => /^(?:early-)?errors\./.test(key)

/** Errors of the client and of the console, with the values that the console supplies. */
const OWN_CODES: [code: string, sentence: string][] = [
  ['network', ''],
  ['stream.lost', ''],
  ['unknown', '{status}'],
  ['passkey.exists', ''],
  ['passkey.not_used', ''],
  ['passkey.wrong_address', ''],
]

/** Codes that need no translation, by reason. A code that ends in a dot is a prefix. */
const NOT_IN_THE_CONSOLE = {
  'Only programs make these mistakes.': [
    'events.',
    'openai.',
    'request.foreign_origin',
    'request.form_needed',
    'request.headers_too_large',
    'request.invalid_cursor',
    'request.method_not_allowed',
    'request.unsupported_type',
    'request.upgrade_needed',
    'request.uri_too_long',
  ],
  'Clients with a deployment key and the widget get these.': [
    'access.no_deployment',
    'deployment.not_api',
    'deployment.origin_not_allowed',
  ],
  'MCP clients get these.': ['mcp.link_invalid', 'mcp.sender_refused'],
  'The consent page shows these, and the server renders it.': ['oauth.'],
}

describe.each(FOLDERS)('the messages in %s', async (folder) => {
  const english = await messagesIn(folder, 'en')

  test('are ICU MessageFormat without HTML', () => {
    expect([...english.values()].filter((text) => HTML.test(text))).toEqual([])
    for (const text of english.values()) expect(() => parse(text), text).not.toThrow()
    expect(english.size).toBeGreaterThan(1)
  })

  test.each(LANGUAGES)('are complete in %s, with the same arguments', async (language) => {
    const translated = await messagesIn(folder, language)
    const keys = (messages: Map<string, string>): string[] =>
      [...messages.keys()].filter((key) => !isError(key)).sort()
    expect(keys(translated)).toEqual(keys(english))
    const different = keys(english).filter(
      (key) => String(argumentsOf(translated.get(key) ?? '')) !== String(argumentsOf(english.get(key) ?? '')),
    )
    expect(different).toEqual([])
    expect([...translated.values()].filter((text) => HTML.test(text))).toEqual([])
  })
})

test('every message of the console is used', async () => {
  const source = globSync('console/src/**/*.{ts,tsx}')
    .filter((file) => !file.includes('/messages/'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const english = await messagesIn('console/src/messages', 'en')
  const unused = [...english.keys()].filter((key) => {
    if (isError(key)) return false
    const [, ...path] = key.split('.')
    // Code names a key as a whole, or a template contains its beginning or its end.
    const ends = path.map((_, at) => path.slice(0, at + 1).join('.'))
    return !(
      source.includes(`'${path.join('.')}'`) || ends.some((start) => source.includes(`\`${start}.\${`))
    )
  })
  expect(unused).toEqual([])
})

test('no message is looked up before the translations are available', () => {
  const files = globSync('console/src/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$/.test(file))
  expect(files.flatMap(findEarlyMessages)).toEqual([])
})

describe('the messages for errors', async () => {
  const sentences = new Map([...(await sentencesByCode()), ...OWN_CODES])
  const errorsIn = async (language: string): Promise<Map<string, string>> => {
    const messages = await messagesIn('console/src/messages', language)
    return new Map([...messages].filter(([key]) => isError(key)).map(([key, text]) => [codeOf(key), text]))
  }

  test.each(['en', ...LANGUAGES])('have existing codes and values: %s', async (language) => {
    const messages = [...(await errorsIn(language))]
    expect(messages.length).toBeGreaterThan(20)
    expect(messages.map(([code]) => code).filter((code) => !sentences.has(code))).toEqual([])
    const unknown = messages.filter(([code, text]) => {
      const values = valuesIn(sentences.get(code) ?? '')
      return argumentsOf(text).some((argument) => !values.includes(argument))
    })
    expect(unknown).toEqual([])
  })

  test.each(LANGUAGES)('cover all errors of the console in %s', async (language) => {
    const messages = await errorsIn(language)
    const isExcluded = (code: string): boolean =>
      Object.values(NOT_IN_THE_CONSOLE)
        .flat()
        .some((excluded) => code === excluded || (excluded.endsWith('.') && code.startsWith(excluded)))
    expect([...sentences.keys()].filter((code) => messages.has(code) === isExcluded(code))).toEqual([])
  })
})

/** Returns the sentences of errors that are responses. Those without a status have no code in the console. */
async function sentencesByCode(): Promise<[string, string][]> {
  const parts = globSync('server/{parts,platform}/*/errors.ts').map(
    async (file) =>
      Object.values(await import(pathToFileURL(file).href))[0] as Record<string, Definition | string>,
  )
  return (await Promise.all(parts)).flatMap((definitions) =>
    Object.entries(definitions).flatMap(([code, definition]): [string, string][] =>
      typeof definition === 'string' ? [] : [[code, definition[1]]],
    ),
  )
}

const codeOf = (key: string): string => key.split('.').slice(1).join('.')

/**
 * Returns the arguments that a message may have: the placeholders of the sentence, and `size` for its `limit` in
 * bytes.
 */
const valuesIn = (sentence: string): string[] =>
  [...sentence.matchAll(/\{(\w+)\}( bytes)?/g)].flatMap(([, name, bytes]) =>
    bytes ? [`${name}:value`, 'size:value'] : [`${name}:value`],
  )
