import type { PlaygroundMemoryEntry } from '@parley/client/schemas'
import { ReplyText } from '../../markdown/reply-text.tsx'

/** What was said before, as the next reply is told it. */
export const Remembered = ({ entries }: { entries: readonly PlaygroundMemoryEntry[] }) => (
  <section aria-label="Remembered" className="flex flex-col gap-4">
    <p className="text-center text-xs text-muted">Remembered from before; calls of tools are not kept</p>
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
    <span className="sr-only">You: </span>
    {text}
  </p>
)
