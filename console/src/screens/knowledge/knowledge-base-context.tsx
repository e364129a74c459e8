import type { KnowledgeBase } from '@parley/client/schemas'
import { createContext, use } from 'react'
import type { Uploads } from './use-uploads.ts'

interface OpenKnowledgeBase {
  base: KnowledgeBase
  /** Of files on their way into it: they go on while another tab is looked at. */
  uploads: Uploads
}

export const KnowledgeBaseContext = createContext<OpenKnowledgeBase | null>(null)

/** Within a tab: the knowledge base that is open. */
export function useKnowledgeBase(): OpenKnowledgeBase {
  const open = use(KnowledgeBaseContext)
  if (!open) throw new Error('useKnowledgeBase is for the tabs of a knowledge base')
  return open
}
