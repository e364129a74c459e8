import { useSyncExternalStore } from 'react'

/** What somebody wants; `system` is what the device says. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'parley.theme'
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export const useTheme = (): Theme => useSyncExternalStore(subscribe, chosenTheme)

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  showTheme()
}

/** Puts `data-theme` on the page, which the colours of app.css follow. */
export function showTheme(): void {
  const theme = chosenTheme()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

prefersDark.addEventListener('change', showTheme)
window.addEventListener('storage', ({ key }) => key === KEY && showTheme())
