import type { Connectable, Provider } from './provider-list.ts'

const KEY_PAGES: Partial<Record<Connectable, string>> = {
  openai: 'https://platform.openai.com/api-keys',
  anthropic: 'https://platform.claude.com/settings/keys',
  google: 'https://aistudio.google.com/apikey',
  deepseek: 'https://platform.deepseek.com/api_keys',
}

/** Returns the page on which users create a key, or null if there is none. */
export const keysPageOf = (provider: Connectable): string | null => KEY_PAGES[provider] ?? null

/** Returns whether the provider has no default URL, so that forms require one. */
export const needsAddress = (provider: Provider): boolean =>
  provider === 'openai-compatible' || provider === 'ollama'
export const needsKey = (provider: Provider): boolean => !needsAddress(provider) && provider !== 'demo'
