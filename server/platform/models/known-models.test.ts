import { expect, test } from 'vitest'
import { countTokens } from './count-tokens.ts'
import { defaultContextWindow, guessCapabilities } from './known-models.ts'
import type { Provider } from './types.ts'

test.each<[Provider, string, string]>([
  ['openai', 'gpt-4o-mini', 'text tools vision'],
  ['openai', 'gpt-5.2', 'text tools vision reasoning'],
  ['openai', 'gpt-3.5-turbo', 'text tools'],
  ['openai', 'o3', 'text tools vision reasoning'],
  ['openai', 'text-embedding-3-small', 'embedding'],
  ['openai', 'whisper-1', 'transcription'],
  ['openai', 'gpt-image-1', 'image'],
  ['openai', 'gpt-image-1.5-2025-12-16', 'image'],
  ['openai', 'chatgpt-image-latest', 'image'],
  ['openai', 'dall-e-3', 'image'],
  ['openai', 'sora-2-pro', 'video'],
  ['openai', 'gpt-4o-mini-transcribe', 'transcription'],
  ['openai', 'gpt-4o-mini-tts', 'speech'],
  ['openai', 'tts-1-hd', 'speech'],
  ['google', 'models/gemini-2.5-flash-image', 'image'],
  ['google', 'gemini-3-pro-image-preview', 'image'],
  ['google', 'imagen-4.0-generate-001', 'image'],
  ['google', 'models/veo-3.1-generate-preview', 'video'],
  ['google', 'gemini-3.5-transcribe', 'transcription'],
  ['google', 'gemini-embedding-001', 'embedding'],
  ['openai-compatible', 'black-forest-labs/FLUX.1-schnell', 'image'],
  ['openai-compatible', 'stabilityai/stable-diffusion-xl-base-1.0', 'image'],
  ['openai-compatible', 'Qwen/Qwen-Image', 'image'],
  ['openai-compatible', 'Wan-AI/Wan2.2-T2V-A14B', 'video'],
  ['openai-compatible', 'openai/whisper-large-v3-turbo', 'transcription'],
  ['openai-compatible', 'BAAI/bge-m3', 'embedding'],
  ['openai-compatible', 'imaginary-chat', 'text tools'],
  ['ollama', 'all-minilm:33m', 'embedding'],
  ['ollama', 'nomic-embed-text', 'embedding'],
  ['ollama', 'mxbai-embed-large', 'embedding'],
  ['ollama', 'embeddinggemma:300m', 'embedding'],
  ['ollama', 'bge-large', 'embedding'],
  ['ollama', 'granite-embedding:278m', 'embedding'],
  ['openai-compatible', 'intfloat/multilingual-e5-large', 'embedding'],
  ['openai-compatible', 'Alibaba-NLP/gte-Qwen2-7B-instruct', 'embedding'],
  ['openai-compatible', 'jinaai/jina-embeddings-v3', 'embedding'],
  ['openai-compatible', 'voyage-3-large', 'embedding'],
  ['anthropic', 'claude-3-5-sonnet-20241022', 'text tools vision'],
  ['anthropic', 'claude-opus-4-7', 'text tools vision reasoning'],
  ['google', 'gemini-2.0-flash', 'text tools vision'],
  ['google', 'models/gemini-3-pro-preview', 'text tools vision reasoning'],
  ['deepseek', 'deepseek-chat', 'text tools reasoning'],
  ['openai-compatible', 'anthropic/claude-sonnet-4.5', 'text tools vision reasoning'],
  ['openai-compatible', 'Qwen/Qwen3-32B', 'text tools reasoning'],
  ['openai-compatible', 'Qwen/Qwen3-30B-A3B-Instruct-2507', 'text tools'],
  ['ollama', 'llava:13b', 'text tools vision'],
  ['ollama', 'deepseek-r1:8b', 'text tools reasoning'],
  ['demo', 'parley-demo', 'text tools vision reasoning'],
  ['demo', 'parley-demo-image', 'image'],
  ['demo', 'parley-demo-video', 'video'],
  ['demo', 'parley-demo-transcription', 'transcription'],
])('%s %s supports %s', (provider, model, capabilities) => {
  expect(guessCapabilities(provider, model).join(' ')).toBe(capabilities)
})

test('every model has a default context window', () => {
  expect(defaultContextWindow('openai', 'gpt-4.1-mini')).toBe(1_000_000)
  expect(defaultContextWindow('openai-compatible', 'openai/gpt-4o')).toBe(128_000)
  expect(defaultContextWindow('ollama', 'nobody-knows-it')).toBe(8_192)
})

test('tokens of any text are counted', async () => {
  expect(await countTokens('')).toBe(0)
  expect(await countTokens('Hello world')).toBe(2)
  expect(await countTokens('<|endoftext|>')).toBeGreaterThan(0)
  expect(await countTokens('\ud83d\0')).toBeGreaterThan(0)
  const long = await countTokens('word '.repeat(200_000))
  expect(Math.abs(long - 200_000)).toBeLessThan(2_000)
})
