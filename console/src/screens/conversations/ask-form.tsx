import { ArrowUp, Square } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { isEnter } from '../../ui/keys.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('conversations')

interface AskFormProps {
  conversationId: string
  /** Whether replies are in progress. The next question can be sent after they end. */
  isUnderWay: boolean
  canAsk: boolean
  /** Resolves when all replies have ended: to false if every model refused the question, otherwise to true. */
  onAsk: (question: string) => Promise<boolean>
  onStop: () => void
}

export function AskForm({ conversationId, isUnderWay, canAsk, onAsk, onStop }: AskFormProps) {
  const { organization } = useHere()
  const notify = useNotify()
  const [text, setText] = useState('')
  const stop = useChange('POST /api/conversation/stop', { outdates: ['GET /api/conversation/messages'] })
  const ask = async (event?: FormEvent) => {
    event?.preventDefault()
    const question = text.trim()
    if (question === '' || isUnderWay || !canAsk) return
    setText('')
    // If every model refused the question, put it back into the field.
    if (!(await onAsk(question))) setText((now) => (now === '' ? question : now))
  }
  const press = (event: KeyboardEvent) => {
    if (!isEnter(event)) return
    event.preventDefault()
    void ask()
  }
  const stopAll = () => {
    const query = { org_id: organization.id, conversation_id: conversationId }
    // Call `onStop` before the request, so that no further model is asked.
    onStop()
    stop.mutate({ query }, { onError: notify })
  }
  return (
    <form
      onSubmit={(event) => void ask(event)}
      className="flex items-end gap-2 rounded-2xl border border-line-strong/60 bg-raised p-2 focus-within:border-accent"
    >
      <textarea
        aria-label={t('ask.label')}
        placeholder={canAsk ? t('ask.placeholder') : t('ask.addModel')}
        rows={1}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        className="field-sizing-content max-h-48 min-h-9 min-w-0 grow touch:min-h-10 resize-none bg-transparent px-2 py-1.5 outline-none"
      />
      {isUnderWay ? (
        <Button icon={Square} busy={stop.isPending} onClick={stopAll}>
          {t('ask.stop')}
        </Button>
      ) : (
        <Button type="submit" kind="primary" icon={ArrowUp} disabled={!canAsk || text.trim() === ''}>
          {t('ask.ask')}
        </Button>
      )}
    </form>
  )
}
