import { translator } from '../../messages/index.ts'

const t = translator('account')

const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  // The order matters: most browsers above also name Chrome in their User-Agent, and most browsers name Safari.
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

/**
 * Returns a device's name from its User-Agent, such as "Firefox on Windows". For programs that are not browsers,
 * returns the program's name.
 */
export function deviceOf(userAgent: string | null): { name: string; isPhone: boolean } {
  if (!userAgent) return { name: t('device.unknown'), isPhone: false }
  const find = (names: readonly (readonly [mark: string, name: string])[]) =>
    names.find(([mark]) => userAgent.includes(mark))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  const own = userAgent.split(/[/ ]/, 1)[0]?.slice(0, NAME_CHARACTERS_MAX) || t('device.unknown')
  const name = browser && system ? t('device.browserOn', { browser, system }) : (browser ?? system ?? own)
  return { name, isPhone: system !== undefined && PHONES.includes(system) }
}
