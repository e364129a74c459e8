/** The letter and color of each provider's mark. The letters are white, with a contrast of at least 4.5. */
const MARKS: Record<string, readonly [letter: string, color: string]> = {
  openai: ['O', '#0b7a5e'],
  anthropic: ['A', '#b04a28'],
  google: ['G', '#1a66d6'],
  deepseek: ['D', '#4058d8'],
  ollama: ['L', '#3f3f46'],
  'openai-compatible': ['+', '#5b5b66'],
  route: ['R', '#6d3fc4'],
}
const OTHER = ['P', '#5b5b66'] as const

/** A provider's mark: a letter in a colored square. Decorative, because the provider's name stands beside it. */
export function ProviderMark({ provider, size = 28 }: { provider: string; size?: number }) {
  const [letter, color] = MARKS[provider] ?? OTHER
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 28 28" className="shrink-0">
      <rect width="28" height="28" rx="7" fill={color} />
      <text x="14" y="19" textAnchor="middle" fontSize="14" fontWeight="700" fill="#fff">
        {letter}
      </text>
    </svg>
  )
}
