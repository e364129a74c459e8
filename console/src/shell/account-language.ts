import type { Language } from '@parley/messages'
import { useEffect, useRef } from 'react'
import { language } from '../messages/index.ts'
import { currentLanguage, storeLanguage } from '../messages/languages.ts'

/** Applies the language of the account when it is first known. Later changes apply when the page loads next. */
export function useAccountLanguage(chosen: Language | null | undefined): void {
  const isApplied = useRef(false)
  useEffect(() => {
    if (chosen === undefined || isApplied.current) return
    isApplied.current = true
    applyLanguage(chosen)
  }, [chosen])
}

/**
 * Stores the language of the account in this browser, and reloads the page if it is in another language. It never reloads
 * twice: after a reload, the page is in the language that is stored.
 *
 * @param chosen null: the browser's language
 */
export function applyLanguage(chosen: Language | null): void {
  storeLanguage(chosen)
  if (currentLanguage() !== language) location.reload()
}
