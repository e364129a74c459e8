import type { ChatMessage } from '@parley/client/schemas'
import { translator } from '../messages/index.ts'

const t = translator('ui')

/** Returns a sentence for a complete reply that the model or its provider ended early, or null for any other. */
export const earlyEndText = (reason: ChatMessage['finish_reason']): string | null =>
  reason === 'length' || reason === 'content_filter' || reason === 'refusal' ? t(`earlyEnd.${reason}`) : null
