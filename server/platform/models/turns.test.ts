import { describe, expect, test } from 'vitest'
import { turnsOf, withValidTurns } from './turns.ts'
import type { ModelMessage } from './types.ts'

const user = (content: string): ModelMessage => ({ role: 'user', content })
const reply = (content: string): ModelMessage => ({ role: 'assistant', content })
const call = (content: string): ModelMessage => ({
  role: 'assistant',
  content,
  toolCalls: [{ id: 'c1', name: 'f', input: {} }],
})
const result: ModelMessage = { role: 'tool', toolCallId: 'c1', toolName: 'f', output: 'r' }
const image = { type: 'image' as const, mimeType: 'image/png', data: new Uint8Array([1]) }
const text = (value: string) => ({ type: 'text' as const, text: value })

const validOf = (...messages: ModelMessage[]) => withValidTurns({ messages }).messages

describe('valid turns', () => {
  const BLANKS = ['', ' ', '\n\n', '\t \r\n', '\u00a0', '\u200b', '\ufeff', '\u200e\u200f', '\u2066 \u2069']

  test.each(BLANKS)('leave out a reply of %j, and join the questions around it', (blank) => {
    expect(validOf(user('a'), reply(blank), user('b'))).toEqual([user('a\n\nb')])
    expect(validOf(user('a'), reply(blank), reply('c'), user('b'))).toEqual([
      user('a'),
      reply('c'),
      user('b'),
    ])
  })

  test.each(BLANKS)('leave out a question of %j, and join the replies around it', (blank) => {
    expect(validOf(user('a'), reply('b'), user(blank), reply('c'), user('d'))).toEqual([
      user('a'),
      reply('b\n\nc'),
      user('d'),
    ])
  })

  test.each(BLANKS)('keep the place of a first and a last question of %j', (blank) => {
    expect(validOf(user('a'), reply('b'), user(blank))).toEqual([
      user('a'),
      reply('b'),
      user('(empty message)'),
    ])
    expect(validOf(user(blank), reply('b'), user('c'))).toEqual([
      user('(empty message)'),
      reply('b'),
      user('c'),
    ])
    expect(validOf(user(blank))).toEqual([user('(empty message)')])
    expect(validOf(reply(blank))).toEqual([user('(empty message)')])
    expect(validOf(user('a'), user(blank))).toEqual([user('a')])
  })

  test.each(BLANKS)('leave out a part of %j', (blank) => {
    expect(validOf({ role: 'user', content: [text('x'), text(blank)] })).toEqual([
      { role: 'user', content: [text('x')] },
    ])
    expect(validOf({ role: 'user', content: [text(blank), image] })).toEqual([
      { role: 'user', content: [image] },
    ])
    expect(validOf({ role: 'user', content: [text(blank)] })).toEqual([user('(empty message)')])
  })

  test.each(BLANKS)('keep the calls beside the text %j, and their results', (blank) => {
    expect(validOf(user('a'), call(blank), result, reply(blank), user('b'))).toEqual([
      user('a'),
      call(''),
      result,
      user('b'),
    ])
  })

  test.each(BLANKS)('leave out the system prompt %j', (system) => {
    expect(withValidTurns({ system, messages: [user('a')] })).toEqual({ messages: [user('a')] })
  })

  test('join questions with images', () => {
    const shown: ModelMessage = { role: 'user', content: [text('see'), image] }
    const failed = reply('')
    expect(validOf(shown, failed, user('b'))).toEqual([
      { role: 'user', content: [text('see'), image, text('b')] },
    ])
    expect(validOf(user('b'), failed, shown)).toEqual([
      { role: 'user', content: [text('b'), text('see'), image] },
    ])
  })

  test('never join calls with another message', () => {
    const messages = [user('a'), call('x'), result, call('y'), result, reply('z'), user('b')]
    expect(validOf(...messages)).toEqual(messages)
    expect(turnsOf(messages)[2]).toEqual([result])
  })

  test('change nothing else', () => {
    const messages = [user(' a '), reply('\nb'), user('\u{1f600}'), reply('c'), user('.')]
    expect(validOf(...messages)).toEqual(messages)
    const side = [user('a'), user('b'), reply('c'), reply('d'), user('e')]
    expect(validOf(...side)).toEqual(side)
  })
})
