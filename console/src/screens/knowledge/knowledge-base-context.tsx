import type { KnowledgeBase } from '@parley/client/schemas'
import { createContext, use } from 'react'
import type { Uploads } from './use-uploads.ts'

interface OpenKnowledgeBase {
  base: KnowledgeBase
  /** The file uploads. They belong to the knowledge base, so they continue when the user opens another tab. */
  uploads: Uploads
}

export const KnowledgeBaseContext = createContext<OpenKnowledgeBase | null>(null)

/** Returns the open knowledge base. Throws if called outside the tabs of a knowledge base. */
export function useKnowledgeBase(): OpenKnowledgeBase {
  const open = use(KnowledgeBaseContext)
  if (!open) throw new Error('useKnowledgeBase works only within the tabs of a knowledge base')
  return open
}
