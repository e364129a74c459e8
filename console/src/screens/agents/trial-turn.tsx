import { useState } from 'react'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { CallLine } from '../../ui/call-line.tsx'
import { Failure } from '../../ui/states.tsx'
import { Sources } from '../chat/citations.tsx'
import type { Turn } from './use-trial.ts'

const t = translator('agents')

export function TrialTurn({ turn, text }: { turn: Turn; text: string }) {
  const [openSource, setOpenSource] = useState<number | null>(null)
  const { question, reasoning, calls, citations, error, isWriting } = turn
  return (
    <div className="flex flex-col gap-3">
      <p className="max-w-[85%] self-end rounded-2xl bg-accent-soft px-3.5 py-2 wrap-anywhere whitespace-pre-wrap">
        <span className="sr-only">{t('test.you')} </span>
        {question}
      </p>
      {reasoning !== '' && (
        <details className="text-sm text-muted">
          <summary>{t('test.reasoning')}</summary>
          <p className="pt-1 wrap-anywhere whitespace-pre-wrap">{reasoning}</p>
        </details>
      )}
      {calls.map((call) => (
        <CallLine key={call.id} call={call} isOver={!isWriting} />
      ))}
      {text !== '' && (
        <ReplyText text={text} streaming={isWriting} citations={citations} onCitation={setOpenSource} />
      )}
      {isWriting && text === '' && (
        <p role="status" className="shimmer text-sm text-muted">
          {t('test.thinking')}
        </p>
      )}
      {error && <Failure error={error} />}
      {!isWriting && citations.length > 0 && (
        <Sources citations={citations} open={openSource} onOpen={setOpenSource} />
      )}
    </div>
  )
}
