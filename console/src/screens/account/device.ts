const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  // All those before say that they are Chrome, and all of them Safari.
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

const PHONES = ['iPhone', 'Android']
const NAME_CHARACTERS_MAX = 40

/** What people call the device of a User-Agent: "Firefox on Windows"; of programs, what they call themselves. */
export function deviceOf(userAgent: string | null): { name: string; isPhone: boolean } {
  if (!userAgent) return { name: 'Unknown device', isPhone: false }
  const find = (names: readonly (readonly [mark: string, name: string])[]) =>
    names.find(([mark]) => userAgent.includes(mark))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  const own = userAgent.split(/[/ ]/, 1)[0]?.slice(0, NAME_CHARACTERS_MAX) || 'Unknown device'
  const name = browser && system ? `${browser} on ${system}` : (browser ?? system ?? own)
  return { name, isPhone: system !== undefined && PHONES.includes(system) }
}
