import type { PlaygroundMemoryEntry } from '@parley/client/schemas'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'

const t = translator('playground')

/** The messages of earlier visits that the model receives. */
export const Remembered = ({ entries }: { entries: readonly PlaygroundMemoryEntry[] }) => (
  <section aria-label={t('memory.label')} className="flex flex-col gap-4">
    <p className="text-center text-xs text-muted">{t('memory.note')}</p>
    {entries.map(({ role, content, created_at }) =>
      role === 'user' ? (
        <Question key={`${created_at} ${role}`} text={content} />
      ) : (
        <ReplyText key={`${created_at} ${role}`} text={content} streaming={false} />
      ),
    )}
  </section>
)

export const Question = ({ text }: { text: string }) => (
  <p className="max-w-[85%] self-end rounded-2xl bg-accent-soft px-3.5 py-2 wrap-anywhere whitespace-pre-wrap">
    <span className="sr-only">{t('turn.you')} </span>
    {text}
  </p>
)
