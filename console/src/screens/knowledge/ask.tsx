import { Square } from 'lucide-react'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { SearchForm } from './search-form.tsx'
import type { SearchParams } from './search-params.ts'
import { Passage } from './search-results.tsx'
import { type Answer, useAnswer } from './use-answer.ts'

const t = translator('knowledge')

/**
 * Asks a model to answer from the passages found. Each answer costs credits, so the question is sent only when the
 * user submits the form.
 */
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
      title={t('ask.answer')}
      actions={
        isBusy && (
          <Button size="small" icon={Square} onClick={stop}>
            {t('ask.stop')}
          </Button>
        )
      }
    >
      <div aria-live="polite" aria-busy={isBusy}>
        {text === '' ? (
          <p className="shimmer text-muted">{sources.length > 0 ? t('ask.reading') : t('ask.searching')}</p>
        ) : (
          <ReplyText text={text} streaming={isBusy} citations={sources} onCitation={showSource} />
        )}
      </div>
      {ended && (
        <p className="text-sm text-muted">
          {t('ask.tokens', { input: ended.usage.input_tokens, output: ended.usage.output_tokens })}
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
      {t('ask.passages')}
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
            {ended?.citations.includes(source.number) && <Badge tone="accent">{t('ask.cited')}</Badge>}
          </Passage>
        </li>
      ))}
    </ol>
  </section>
)
