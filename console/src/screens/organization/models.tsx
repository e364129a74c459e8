import type { LanguageModel } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Cpu, Plus } from 'lucide-react'
import { read, readPages } from '../../api/queries.ts'
import { useRecords } from '../../api/use-records.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty, Skeleton } from '../../ui/states.tsx'
import { RowsSkeleton } from '../../ui/table.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { ProviderCards } from '../providers/provider-cards.tsx'
import { useConnections } from '../providers/use-connect.ts'
import { EnvironmentModelDialog } from './environment-model-dialog.tsx'
import { ModelConnections } from './model-connections.tsx'
import { ModelDialog } from './model-dialog.tsx'
import { ModelItem } from './model-item.tsx'

const t = translator('models')

const NEW = 'new'

export function Models() {
  const { organization, user, may } = useHere()
  const { q = '', model_id } = useSearch({ from: '/app/models' })
  const navigate = useNavigate({ from: '/models' })
  const show = (id: string | undefined) => void navigate({ search: (old) => ({ ...old, model_id: id }) })
  const org_id = organization.id
  const models = useInfiniteQuery({
    ...readPages('GET /api/llm/list', { org_id, ...(q && { q }), limit: 100 }),
    placeholderData: keepPreviousData,
  })
  // The connections stand between the lists and give models their logos, so the lists appear with them.
  const isLoading = useConnections().isLoading
  const shown = { ...models, data: isLoading ? undefined : models.data }
  const { records } = useRecords(
    model_id === undefined || model_id === NEW ? [] : [model_id],
    models.data,
    (id) => read('GET /api/llm/get', { org_id, model_id: id }),
  )
  const open = records.find(({ id }) => id === model_id)
  const isOfInstallation = open?.organization_id === null
  const close = () => show(undefined)
  const connections = may('organization:write') && <ModelConnections />
  const add = may('organization:write') && (
    <Button kind="primary" icon={Plus} onClick={() => show(NEW)}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} description={t('description')} actions={add}>
      <SearchedList
        query={shown}
        q={q}
        label={t('search')}
        skeleton={<ModelsSkeleton />}
        empty={
          <>
            <NoModels add={add} />
            {connections}
          </>
        }
      >
        {(list) => {
          const own = list.filter((model) => model.organization_id !== null)
          const common = list.filter((model) => model.organization_id === null)
          return (
            <div className="flex flex-col gap-6">
              {own.length > 0 && <ModelList title={t('own')} models={own} onOpen={show} />}
              {own.length === 0 && q === '' && !models.hasNextPage && <NoModels add={add} />}
              {q === '' && connections}
              {common.length > 0 && <ModelList title={t('ofInstallation')} models={common} onOpen={show} />}
            </div>
          )
        }}
      </SearchedList>
      {may('organization:write') && (model_id === NEW || (open && !isOfInstallation)) && (
        <ModelDialog key={model_id} model={open ?? null} onClose={close} />
      )}
      {open && isOfInstallation && user.is_system_admin && (
        <EnvironmentModelDialog key={model_id} model={open} onClose={close} />
      )}
    </Page>
  )
}

const ModelsSkeleton = () => (
  <div className="flex flex-col gap-3">
    <Skeleton className="h-[1lh] w-40" />
    <RowsSkeleton />
  </div>
)

function NoModels({ add }: { add: React.ReactNode }) {
  const notify = useNotify()
  const onAdded = (added: LanguageModel[]) => notify(t('connect.added', { count: added.length }))
  return (
    <>
      <Empty icon={Cpu} title={t('empty')} action={add}>
        {t('emptyHint')}
      </Empty>
      {add && <ProviderCards action={t('connect.add')} onAdded={onAdded} />}
    </>
  )
}

interface ModelListProps {
  title: string
  models: LanguageModel[]
  onOpen: (id: string) => void
}

const ModelList = ({ title, models, onOpen }: ModelListProps) => (
  <section className="flex flex-col gap-3">
    <h2 className="font-semibold">{title}</h2>
    <ul aria-label={title} className="divide-y divide-line rounded-2xl border border-line bg-raised">
      {models.map((model) => (
        <ModelItem key={model.id} model={model} onOpen={() => onOpen(model.id)} />
      ))}
    </ul>
  </section>
)
