import { globSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { describe, expect, test } from 'vitest'
import type { Definition } from '#errors/define.ts'
import { MESSAGE_FOLDERS, messagesIn } from '#tests/support/messages.ts'
import { findEarlyMessages, findUntranslated } from '#tests/support/untranslated.ts'

/*
 * Checks the text of the interface: every language has every English message with the same arguments and tags, no
 * message contains HTML, and error messages belong to existing codes.
 */

const LANGUAGES = ['de']

/** Tags must not have the names of HTML elements, because translators could mistake such messages for HTML. */
const HTML = /<\/?(?:a|b|br|code|div|em|i|li|p|span|strong|ul)\b|&\w+;/

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
    'auth.invalid_key',
    'anthropic.',
    'events.',
    'openai.',
    'request.foreign_origin',
    'request.form_needed',
    'request.headers_too_large',
    'request.invalid_cursor',
    'request.read_only',
    'request.method_not_allowed',
    'request.unsupported_type',
    'health.',
    'request.upgrade_needed',
    'request.uri_too_long',
  ],
  'Clients with a deployment key and the widget get these.': [
    'access.no_deployment',
    'deployment.not_api',
    'deployment.origin_not_allowed',
  ],
  'MCP clients get these.': [
    'kb.document_too_long',
    'kb.document_without_text',
    'mcp.link_invalid',
    'mcp.sender_refused',
  ],
  'The consent page shows these, and the server renders it.': ['oauth.'],
}

/** Text outside the message files, by reason. */
const UNTRANSLATED = {
  'The title that the server gives a chat. The console shows its own text instead.': ['New Chat'],
  'Names of products, formats and programming languages.': [
    'Amazon S3',
    'Android',
    'Anthropic',
    'Chrome',
    'curl',
    'Edge',
    'Firefox',
    'Fireworks AI',
    'Google',
    'iframe',
    'Linux',
    'LM Studio',
    'Ollama',
    'Opera',
    'Parley',
    'Python',
    'Safari',
    'Samsung Internet',
    'Together AI',
    'TypeScript',
    'Windows',
  ],
  'Parts of User-Agent headers.': ['Edg', 'Mac OS X'],
  'Names of headers.': ['Authorization', 'webhook-id'],
  'Values that people enter as they are, as examples.': [
    'ac_…',
    'api.example.com',
    'Bearer YOUR_API_KEY',
    'gpt-5-mini',
    'handbook/',
    'Open Sans, Arial',
    'report:read',
    'us-east-1',
  ],
  'Fonts in CSS.': ['{}, system-ui, sans-serif'],
  'The default name of the server that the console replaces.': ['Authenticator app'],
  'Errors that only developers see, or that are caught.': [
    'A token is missing',
    'A token is not in the text',
    'Nested too deep',
    'The browser used no passkey.',
    'Used outside a conversation',
    'useHere works only within the shell',
    'useMenuParts works only within a menu',
    'useKnowledgeBase works only within the tabs of a knowledge base',
  ],
} as const satisfies Record<string, readonly string[]>

describe.each(MESSAGE_FOLDERS)('the messages in %s', async (folder) => {
  const english = await messagesIn(folder, 'en')

  test('are ICU MessageFormat without HTML', () => {
    expect([...english.values()].filter((text) => HTML.test(text))).toEqual([])
    for (const text of english.values()) expect(() => parse(text), text).not.toThrow()
    expect(english.size).toBeGreaterThan(1)
  })

  test('write apostrophes as ’', () => {
    expect([...english.values()].filter((text) => /[a-z]'[a-z]|s' /i.test(text))).toEqual([])
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
    // The code contains the whole key, or a template literal that starts with a part of the key.
    const ends = path.map((_, at) => path.slice(0, at + 1).join('.'))
    return !(
      source.includes(`'${path.join('.')}'`) || ends.some((start) => source.includes(`\`${start}.\${`))
    )
  })
  expect(unused).toEqual([])
})

describe('text outside the message files', () => {
  const files = globSync(['console/src/**/*.{ts,tsx}', 'widget/**/*.{ts,tsx}']).filter(
    (file) => !/\.test\.tsx?$|\/messages\/|\/node_modules\//.test(file),
  )

  test('is the same in every language, and the list of it is current', () => {
    const allowed = new Set<string>(Object.values(UNTRANSLATED).flat())
    const found = files.flatMap((file) => findUntranslated(file))
    const texts = new Set(found.map(({ text }) => text))
    expect(files.length).toBeGreaterThan(300)
    expect(found.filter(({ text }) => !allowed.has(text))).toEqual([])
    expect([...allowed].filter((text) => !texts.has(text))).toEqual([])
  })

  test.each([
    ['text of an element', '<p>Hello there</p>', 'Hello there'],
    ['a word', '<p>Hello</p>', 'Hello'],
    ['an attribute that people read', '<input placeholder="name" />', 'name'],
    ['an attribute of a component', '<CopyButton what="Copy key" />', 'Copy key'],
    ['one side of a condition', "<p>{isOpen ? 'open' : t('shut')}</p>", 'open'],
    ['a sentence with values', `notify(\`Deleted $\{name} for good\`)`, 'Deleted {} for good'],
    ['a list', "const LABELS = ['First name', t('last')]", 'First name'],
    ['a name of several words', "const device = { name: 'Unknown device' }", 'Unknown device'],
    ['an error', "throw new Error('The file is too large.')", 'The file is too large.'],
  ])('finds %s', (_, content, text) => {
    expect(findUntranslated('file.tsx', content)).toEqual([{ place: 'file.tsx:1', text }])
  })

  test.each([
    ['classes', "const LOOK = isOpen ? 'flex hover:underline' : 'mt-2 text-muted data-[state=on]:hidden'"],
    ['URLs, ids and JSON', `<input placeholder={isUrl ? 'https://example.com' : '{"key": "value"}'} />`],
    ['source code', 'const CODE = `const answer = {\n  value: 1,\n}`'],
    [
      'the level of text of a screen',
      "lateScreen(() => import('./screen.tsx'), 'Screen', { text: 'first' })",
    ],
    ['keys of messages', "<p>{t('profile.first name')}</p>"],
    ['values to compare', "status === 'Not found'"],
  ])('ignores %s', (_, content) => {
    expect(findUntranslated('file.tsx', content)).toEqual([])
  })
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

  test('write apostrophes as ASCII in the sentences of the API', () => {
    expect([...sentences.values()].filter((text) => text.includes('’'))).toEqual([])
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

/**
 * Errors without a status whose codes reach the console: the reasons for failed replies, `net.busy` among them, and, for a
 * model's base URL, those of `NetError`.
 */
const REASONS_FOR_REPLIES = [
  /^(model|reply)\./,
  /^agent\.foreign_failed$/,
  /^net\.(busy|not_an_address|protocol|credentials|not_public|cloud_metadata)$/,
]

/**
 * Returns the code and the sentence of each error that can be a response or a reason for a failed reply. The codes of
 * other errors never reach the console.
 */
async function sentencesByCode(): Promise<[string, string][]> {
  const parts = globSync('server/{parts,platform}/*/errors.ts').map(
    async (file) =>
      Object.values(await import(pathToFileURL(file).href))[0] as Record<string, Definition | string>,
  )
  return (await Promise.all(parts)).flatMap((definitions) =>
    Object.entries(definitions).flatMap(([code, definition]): [string, string][] =>
      typeof definition !== 'string'
        ? [[code, definition[1]]]
        : REASONS_FOR_REPLIES.some((reason) => reason.test(code))
          ? [[code, definition]]
          : [],
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
