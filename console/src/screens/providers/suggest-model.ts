import type { OfferedModels } from '@parley/client/schemas'

export type Offered = OfferedModels['data'][number]

/** Names of each provider's models for general use, the preferred ones first. */
const PREFERRED: Record<string, readonly RegExp[]> = {
  openai: [/^gpt-[\d.]+-mini$/, /^gpt-[\d.]+$/, /^gpt-4o/],
  anthropic: [/^claude-sonnet-[\d-]+$/, /^claude-.*sonnet/],
  google: [/^gemini-[\d.]+-flash$/, /^gemini-[\d.]+-pro$/],
  deepseek: [/^deepseek-chat$/],
}

export const canChat = ({ capabilities }: Offered): boolean => capabilities.includes('text')

/** Returns the model to preselect: the highest version of the provider's preferred models, or the first text model. */
export function suggestModel(provider: string, offered: readonly Offered[]): Offered | undefined {
  const usable = offered.filter(canChat)
  for (const pattern of PREFERRED[provider] ?? []) {
    const [newest] = usable.filter(({ version }) => pattern.test(version)).sort(byVersion)
    if (newest) return newest
  }
  return usable[0]
}

/** Sorts higher versions first. Equal versions are sorted by date, which follows in the name. */
function byVersion(one: Offered, other: Offered): number {
  const [a, b] = [numbersOf(one.version), numbersOf(other.version)]
  for (let place = 0; place < Math.max(a.length, b.length); place += 1) {
    const difference = (b[place] ?? 0) - (a[place] ?? 0)
    if (difference !== 0) return difference
  }
  return other.version.localeCompare(one.version)
}

const DATE_DIGITS = 6
const numbersOf = (version: string): number[] =>
  (version.match(/\d+(?:\.\d+)?/g) ?? []).filter((digits) => digits.length < DATE_DIGITS).map(Number)
