import type { KnowledgeBase } from '@parley/client/schemas'
import { createContext, use } from 'react'
import type { Uploads } from './use-uploads.ts'

interface OpenKnowledgeBase {
  base: KnowledgeBase
  /** Uploads continue while the user is on another tab. */
  uploads: Uploads
}

export const KnowledgeBaseContext = createContext<OpenKnowledgeBase | null>(null)

/** Returns the open knowledge base. Only within its tabs. */
export function useKnowledgeBase(): OpenKnowledgeBase {
  const open = use(KnowledgeBaseContext)
  if (!open) throw new Error('useKnowledgeBase works only within the tabs of a knowledge base')
  return open
}
