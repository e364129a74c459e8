import type { DeploymentSessionMessage } from '@parley/client/schemas'
import { t } from './text.ts'

export interface Question {
  role: 'user'
  key: string
  text: string
  /** Why sending failed. Null if the message was sent or is being sent. */
  problem: string | null
}

export interface Reply {
  role: 'assistant'
  key: string
  text: string
  reasoning: string
  status: 'streaming' | 'complete' | 'stopped' | 'error'
  /** Why the model ended the reply. Null if the reply is in progress, or if the reason is unknown. */
  finishReason: DeploymentSessionMessage['finish_reason']
  /** Why the reply failed. Null if it did not fail. */
  problem: string | null
}

export type Entry = Question | Reply

export const newReply = (key: string): Reply => ({
  role: 'assistant',
  key,
  text: '',
  reasoning: '',
  status: 'streaming',
  finishReason: null,
  problem: null,
})

export function entryOf({ id, role, content, status, finish_reason }: DeploymentSessionMessage): Entry {
  if (role === 'user') return { role, key: id, text: content, problem: null }
  const problem = status === 'error' ? t('replyFailed') : null
  return { ...newReply(id), text: content, status, finishReason: finish_reason, problem }
}
