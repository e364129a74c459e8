import { expect, test } from 'vitest'
import { foldSystem } from './fold-system.ts'
import type { ModelMessage } from './types.ts'

const MESSAGES: Record<string, ModelMessage> = {
  u: { role: 'user', content: 'u' },
  v: { role: 'user', content: [{ type: 'text', text: 'v' }] },
  a: { role: 'assistant', content: 'a' },
  c: { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'f', input: {} }] },
  t: { role: 'tool', toolCallId: '1', toolName: 'f', output: 't' },
  s: { role: 'system', content: 's' },
  z: { role: 'system', content: 'z' },
  b: { role: 'system', content: ' \n' },
}

const shown = (message: ModelMessage): string => {
  if (message.role === 'tool') return 't'
  if (message.role === 'assistant') return message.toolCalls ? 'c' : message.content
  const { content } = message
  return typeof content === 'string'
    ? content
    : `[${content.map((part) => 'text' in part && part.text).join('')}]`
}

test.each([
  ['u', 'u'],
  ['u s v', '[u] [sv]'],
  ['u s u', '[u] [su]'],
  ['s u', '[su]'],
  ['u s', '[us]'],
  ['u b v', '[u] [v]'],
  ['u b', '[u]'],
  ['u a s u', '[u] a [su]'],
  ['u a s', '[us] a'],
  ['u a s z', '[usz] a'],
  ['u s a z u', '[u] a [szu]'],
  ['u c t s', '[u] c t [s]'],
  ['u c s t', '[u] c t [s]'],
  ['u c s t v', '[u] c t [sv]'],
  ['u c t s v', '[u] c t [sv]'],
  ['u c s t a u', '[u] c t [s] a [u]'],
  ['u c t s a', '[u] c t [s] a'],
  ['u c t t s u', '[u] c t t [su]'],
  ['s', '[s]'],
  ['s a', '[s] a'],
])('%s becomes %s', (conversation, folded) => {
  const messages = conversation.split(' ').map((name) => MESSAGES[name] as ModelMessage)
  expect(foldSystem(messages).map(shown).join(' ')).toBe(folded)
})
