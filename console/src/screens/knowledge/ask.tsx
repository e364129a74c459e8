import { Square } from 'lucide-react'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { SearchForm } from './search-form.tsx'
import type { SearchParams } from './search-params.ts'
import { Passage } from './search-results.tsx'
import { type Answer, useAnswer } from './use-answer.ts'

/** Has a model answer from what is found. It is asked on pressing the button only: that is paid. */
export function Ask({ params, onAsk }: { params: SearchParams; onAsk: (params: SearchParams) => void }) {
  const { base } = useKnowledgeBase()
  const answer = useAnswer(base.id)
  const submit = (asked: SearchParams) => {
    onAsk(asked)
    const { q = '', model = '', limit, filter, rerank } = asked
    answer.ask({
      query: q,
      model,
      ...(limit !== undefined && { limit }),
      ...(filter !== undefined && { filter }),
      ...(rerank !== undefined && { rerank }),
    })
  }
  return (
    <>
      <SearchForm params={params} isBusy={answer.isBusy} onSubmit={submit} />
      {answer.error && <Failure error={answer.error} />}
      {(answer.isBusy || answer.text !== '') && <Written answer={answer} />}
      {answer.sources.length > 0 && <Sources kbId={base.id} answer={answer} />}
    </>
  )
}

function Written({ answer: { text, isBusy, sources, ended, stop } }: { answer: Answer }) {
  return (
    <Section
      title="Answer"
      actions={
        isBusy && (
          <Button size="small" icon={Square} onClick={stop}>
            Stop
          </Button>
        )
      }
    >
      <div aria-live="polite" aria-busy={isBusy}>
        {text === '' ? (
          <p className="shimmer text-muted">
            {sources.length > 0 ? 'Reading the passages…' : 'Looking for passages…'}
          </p>
        ) : (
          <ReplyText text={text} streaming={isBusy} citations={sources} onCitation={showSource} />
        )}
      </div>
      {ended && (
        <p className="text-sm text-muted">
          {formatNumber(ended.usage.input_tokens)} tokens read, {formatNumber(ended.usage.output_tokens)}{' '}
          written
        </p>
      )}
    </Section>
  )
}

const idOf = (number: number): string => `source-${number}`

function showSource(number: number): void {
  const source = document.getElementById(idOf(number))
  source?.scrollIntoView({ block: 'center' })
  source?.focus({ preventScroll: true })
}

const Sources = ({ kbId, answer: { sources, ended } }: { kbId: string; answer: Answer }) => (
  <section aria-labelledby="sources" className="flex flex-col gap-3">
    <h2 id="sources" className="font-semibold">
      What the model was given
    </h2>
    <ol className="flex flex-col gap-3">
      {sources.map((source) => (
        <li
          key={source.chunk_id}
          id={idOf(source.number)}
          tabIndex={-1}
          className="rounded-2xl border border-line bg-raised p-4"
        >
          <Passage kbId={kbId} passage={source} number={source.number}>
            {ended?.citations.includes(source.number) && <Badge tone="accent">Cited</Badge>}
          </Passage>
        </li>
      ))}
    </ol>
  </section>
)
