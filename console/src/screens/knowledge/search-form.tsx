import { Search as SearchIcon, Sparkles } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { useDefaultModel } from '../../shell/own.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { filterProblem } from './filter-problem.ts'
import { TextModelField } from './models.tsx'
import type { SearchParams } from './search-params.ts'

const t = translator('knowledge')

interface SearchFormProps {
  params: SearchParams
  isBusy: boolean
  onSubmit: (params: SearchParams) => void
}

/** A form for the query and its options. In `ask` mode, the user also chooses the model that answers. */
export function SearchForm({ params, isBusy, onSubmit }: SearchFormProps) {
  const defaultId = useDefaultModel()
  const isQuestion = params.mode === 'ask'
  const [asked, setAsked] = useState(() => textsOf(params))
  const [shown, setShown] = useState(params)
  // The URL's query has changed, for example through the Back button. Show it in the form.
  if (shown !== params) {
    setShown(params)
    setAsked(textsOf(params))
  }
  const field = (name: keyof typeof asked) => ({
    value: asked[name],
    onChange: ({ target }: { target: { value: string } }) => setAsked({ ...asked, [name]: target.value }),
  })
  const model = asked.model || (defaultId ?? '')
  const problem = filterProblem(asked.filter)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem === null) onSubmit(paramsOf({ ...asked, model: isQuestion ? model : asked.model }))
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-full grow sm:w-auto sm:min-w-56">
          <TextField
            label={isQuestion ? t('search.question') : t('search.questionOrKeywords')}
            type="search"
            placeholder={isQuestion ? t('search.questionPlaceholder') : t('search.placeholder')}
            required
            maxLength={10_000}
            {...field('q')}
          />
        </div>
        {isQuestion && (
          <div className="w-full sm:w-56">
            <TextModelField
              label={t('search.model')}
              value={model}
              onChange={(chosen) => setAsked({ ...asked, model: chosen })}
            />
          </div>
        )}
        <Button
          type="submit"
          kind="primary"
          icon={isQuestion ? Sparkles : SearchIcon}
          busy={isBusy}
          disabled={isQuestion && model === ''}
        >
          {isQuestion ? t('search.ask') : t('search.search')}
        </Button>
      </div>
      <details open={hasOptions(params)}>
        <summary className="w-fit text-sm font-medium text-muted">{t('search.options')}</summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('search.maxPassages')}
            type="number"
            min={1}
            max={100}
            placeholder="5"
            {...field('limit')}
          />
          {!isQuestion && (
            <TextField
              label={t('search.minimumScore')}
              hint={t('search.minimumScoreHint')}
              type="number"
              min={0}
              max={1}
              step="any"
              placeholder="0"
              {...field('least')}
            />
          )}
          <TextField
            label={t('filter.label')}
            hint={t('filter.hint')}
            placeholder={'{"mime_type": "application/pdf"}'}
            error={problem}
            {...field('filter')}
          />
          <TextModelField
            label={t('search.reranker')}
            hint={t('search.rerankerHint')}
            none={t('search.noReranker')}
            value={asked.rerank}
            onChange={(rerank) => setAsked({ ...asked, rerank })}
          />
        </div>
      </details>
    </form>
  )
}

const textsOf = ({ q = '', limit, least, filter, rerank = '', model = '' }: SearchParams) => ({
  q,
  limit: limit === undefined ? '' : String(limit),
  least: least === undefined ? '' : String(least),
  filter: filter === undefined ? '' : JSON.stringify(filter),
  rerank,
  model,
})

const paramsOf = ({ q, limit, least, filter, rerank, model }: ReturnType<typeof textsOf>): SearchParams => ({
  q: q.trim(),
  limit: limit === '' ? undefined : Number(limit),
  least: least === '' ? undefined : Number(least),
  filter: filter.trim() === '' ? undefined : (JSON.parse(filter) as Record<string, unknown>),
  rerank: rerank || undefined,
  model: model || undefined,
})

const hasOptions = ({ limit, least, filter, rerank }: SearchParams): boolean =>
  [limit, least, filter, rerank].some((option) => option !== undefined)
