import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileText, Plus, Search as SearchIcon } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useHidden } from '../../ui/deletions.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table.tsx'
import { DropFiles, OutgoingFiles, PickFiles } from './add-files.tsx'
import { AddSource } from './add-source.tsx'
import { DocumentTable } from './document-table.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { Pages } from './pages.tsx'
import { isUnderWay, POLL_MS } from './status.tsx'

const t = translator('knowledge')

const PAGE_SIZE = 25

export function Documents() {
  const { may } = useHere()
  const { base, uploads } = useKnowledgeBase()
  const navigate = useNavigate()
  const { find, page = 1 } = useSearch({ from: '/app/knowledge/$kbId/documents' })
  const [isAdding, setAdding] = useState(false)
  const documents = useQuery({
    ...read('GET /api/kb/list_documents', { kb_id: base.id, page, limit: PAGE_SIZE, search: find }),
    placeholderData: (before) => before,
    refetchInterval: isUnderWay(base.status) ? POLL_MS : false,
  })
  const hidden = useHidden()
  const show = (search: { find?: string; page?: number }) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }) })
  const add = may('kb:write') && (
    <div className="flex flex-wrap justify-[inherit] gap-2 max-sm:w-full max-sm:*:grow">
      <Button icon={Plus} onClick={() => setAdding(true)}>
        {t('add.title')}
      </Button>
      <PickFiles uploads={uploads} />
    </div>
  )
  return (
    <DropFiles uploads={may('kb:write') ? uploads : null}>
      <Loaded query={documents} skeleton={<TableSkeleton columns={5} />}>
        {({ documents: all, total: stored }) => {
          const rows = all.filter(({ id }) => !hidden.has(id))
          const total = stored - (all.length - rows.length)
          if (total === 0 && find === undefined && uploads.files.length === 0)
            return (
              <Empty icon={FileText} title={t('documents.emptyTitle')} action={add}>
                {t('documents.empty')}
              </Empty>
            )
          return (
            <>
              <div className="flex flex-wrap items-center justify-between gap-3">
                <Find find={find} onFind={(text) => show({ find: text, page: undefined })} />
                {add}
              </div>
              <OutgoingFiles uploads={uploads} />
              {rows.length > 0 && <DocumentTable documents={rows} />}
              {rows.length === 0 && (
                <p className="py-8 text-center text-muted">
                  {total > 0 || find === undefined
                    ? t('documents.emptyPage')
                    : t('documents.noMatch', { name: find })}
                </p>
              )}
              <Pages
                of="documents"
                page={page}
                limit={PAGE_SIZE}
                total={total}
                onChange={(to) => show({ page: to === 1 ? undefined : to })}
              />
            </>
          )
        }}
      </Loaded>
      <AddSource open={isAdding} onClose={() => setAdding(false)} />
    </DropFiles>
  )
}

function Find({
  find = '',
  onFind,
}: {
  find: string | undefined
  onFind: (text: string | undefined) => void
}) {
  const [text, setText] = useState(find)
  const [shown, setShown] = useState(find)
  // The URL's search has changed, for example through the Back button. Show it in the field.
  if (shown !== find) {
    setShown(find)
    setText(find)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onFind(text.trim() || undefined)
  }
  return (
    <search className="w-full sm:w-72">
      <form onSubmit={submit} className="relative">
        <SearchIcon aria-hidden size={16} className="absolute top-2.5 left-3 text-muted" />
        <input
          type="search"
          aria-label={t('documents.find')}
          placeholder={t('documents.findPlaceholder')}
          maxLength={200}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            if (target.value === '' && find !== '') onFind(undefined)
          }}
          className="h-9 touch:h-10 w-full rounded-lg border border-line-strong/60 bg-raised pr-3 pl-9"
        />
      </form>
    </search>
  )
}
