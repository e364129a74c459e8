import { expect, test } from 'vitest'
import { suggestModel } from './suggest-model.ts'

const offered = (...versions: string[]) =>
  versions.map((version) => ({
    version,
    context_window: null,
    capabilities: version.includes('embed') ? ['embedding' as const] : ['text' as const],
  }))

test.each([
  ['openai', ['gpt-4o', 'gpt-5', 'gpt-5-mini', 'gpt-5.1-mini', 'gpt-5-mini-2025-08-07'], 'gpt-5.1-mini'],
  [
    'anthropic',
    ['claude-sonnet-4-20250514', 'claude-opus-4-5', 'claude-sonnet-4-5-20250929'],
    'claude-sonnet-4-5-20250929',
  ],
  ['google', ['gemini-embed', 'gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-3-pro'], 'gemini-2.5-flash'],
  ['openai-compatible', ['embed-1', 'house-1', 'house-2'], 'house-1'],
  ['ollama', [], undefined],
])('suggests a model of %s', (provider, versions, expected) => {
  expect(suggestModel(provider, offered(...versions))?.version).toBe(expected)
})
