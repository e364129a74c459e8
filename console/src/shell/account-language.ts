import type { Language } from '@parley/messages'
import { useEffect, useRef } from 'react'
import { language } from '../messages/index.ts'
import { currentLanguage, storeLanguage } from '../messages/languages.ts'

/** Applies the account's language when the account is loaded. A later change applies on the next page load. */
export function useAccountLanguage(chosen: Language | null | undefined): void {
  const isApplied = useRef(false)
  useEffect(() => {
    if (chosen === undefined || isApplied.current) return
    isApplied.current = true
    applyLanguage(chosen)
  }, [chosen])
}

/**
 * Stores the account's language in this browser, and reloads the page if its current language differs. After the
 * reload, the languages are equal, so the page reloads only once.
 *
 * @param chosen the account's language; null stands for the browser's language
 */
export function applyLanguage(chosen: Language | null): void {
  storeLanguage(chosen)
  if (currentLanguage() !== language) location.reload()
}
