import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { api } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Ask } from './ask.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { SearchForm } from './search-form.tsx'
import type { SearchParams } from './search-params.ts'
import { SearchResults } from './search-results.tsx'
import { SearchStages } from './search-stages.tsx'

const t = translator('knowledge')

const LIMIT_DEFAULT = 5

const MODES = ['search', 'ask'] as const

/** Shows what chats and agents would find in a knowledge base. The URL contains the query and its options. */
export function Search() {
  const params = useSearch({ from: '/app/knowledge/$kbId/search' })
  const navigate = useNavigate()
  const show = (search: SearchParams) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }) })
  return (
    <div className="flex flex-col gap-5">
      <Tabs
        minor
        label={t('search.mode.label')}
        tabs={MODES.map((mode) => [mode, t(`search.mode.${mode}`)] as const)}
        value={params.mode ?? 'search'}
        onChange={(mode) => show({ mode: mode === 'ask' ? 'ask' : undefined })}
      />
      {params.mode === 'ask' ? <Ask params={params} onAsk={show} /> : <Find params={params} onFind={show} />}
    </div>
  )
}

function Find({ params, onFind }: { params: SearchParams; onFind: (search: SearchParams) => void }) {
  const { base } = useKnowledgeBase()
  const { q, limit = LIMIT_DEFAULT, least, filter, rerank } = params
  const body = {
    query: q ?? '',
    limit,
    explain: true,
    ...(least !== undefined && { score_threshold: least }),
    ...(filter !== undefined && { filter }),
    ...(rerank !== undefined && { rerank }),
  }
  const found = useQuery({
    queryKey: ['POST /api/kb/search', base.id, body],
    queryFn: ({ signal }) => api.request('POST /api/kb/search', { query: { kb_id: base.id }, body, signal }),
    enabled: q !== undefined,
    placeholderData: (before) => before,
    // Don't refetch: reranking and embedding models cost credits, so search only when the user submits the form.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <>
      <SearchForm
        params={params}
        isBusy={found.isFetching}
        onSubmit={(asked) => {
          onFind(asked)
          if (asked.q === q) void found.refetch()
        }}
      />
      {q !== undefined && (
        <Loaded query={found}>
          {({ results, receipt }) => (
            <div
              className={found.isPlaceholderData ? 'flex flex-col gap-5 opacity-50' : 'flex flex-col gap-5'}
            >
              <p role="status" className="sr-only">
                {t('search.found', { count: results.length })}
              </p>
              {results.length === 0 ? (
                <Empty icon={SearchX} title={t('search.noMatchTitle')}>
                  {receipt && receipt.dropped.below_threshold > 0
                    ? t('search.allBelowMinimum')
                    : t('search.noMatchHint')}
                </Empty>
              ) : (
                <SearchResults kbId={base.id} results={results} receipt={receipt} />
              )}
              {receipt && <SearchStages receipt={receipt} results={results} />}
            </div>
          )}
        </Loaded>
      )}
    </>
  )
}
