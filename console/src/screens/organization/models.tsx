import type { LanguageModel } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Cpu, Plus } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, More, Skeleton } from '../../ui/states.tsx'
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
  const { model_id } = useSearch({ from: '/app/models' })
  const navigate = useNavigate({ from: '/models' })
  const show = (id: string | undefined) => void navigate({ search: (old) => ({ ...old, model_id: id }) })
  const models = useInfiniteQuery(readPages('GET /api/llm/list', { org_id: organization.id, limit: 100 }))
  // The connections stand between the lists and give models their logos, so the lists appear with them.
  const connections = useConnections()
  const shown = { ...models, data: connections.isLoading ? undefined : models.data }
  const open = models.data?.find(({ id }) => id === model_id)
  const isOfInstallation = open?.organization_id === null
  const close = () => show(undefined)
  const add = may('organization:write') && (
    <Button kind="primary" icon={Plus} onClick={() => show(NEW)}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} description={t('description')} actions={add}>
      <Loaded query={shown} skeleton={<ModelsSkeleton />}>
        {(list) => (
          <>
            <Own models={list.filter((model) => model.organization_id !== null)} add={add} onOpen={show} />
            {may('organization:write') && (
              <ModelConnections connections={connections.data?.data ?? []} models={list} />
            )}
            <OfInstallation models={list.filter((model) => model.organization_id === null)} onOpen={show} />
            <More query={models} />
          </>
        )}
      </Loaded>
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

interface PartProps {
  models: LanguageModel[]
  onOpen: (id: string) => void
}

function Own({ models, add, onOpen }: PartProps & { add: React.ReactNode }) {
  const notify = useNotify()
  const onAdded = (added: LanguageModel[]) => notify(t('connect.added', { count: added.length }))
  return models.length === 0 ? (
    <>
      <Empty icon={Cpu} title={t('empty')} action={add}>
        {t('emptyHint')}
      </Empty>
      {add && <ProviderCards action={t('connect.add')} onAdded={onAdded} />}
    </>
  ) : (
    <ModelList title={t('own')} models={models} onOpen={onOpen} />
  )
}

const OfInstallation = (props: PartProps) =>
  props.models.length > 0 && <ModelList title={t('ofInstallation')} {...props} />

const ModelList = ({ title, models, onOpen }: PartProps & { title: string }) => (
  <section className="flex flex-col gap-3">
    <h2 className="font-semibold">{title}</h2>
    <ul aria-label={title} className="divide-y divide-line rounded-2xl border border-line bg-raised">
      {models.map((model) => (
        <ModelItem key={model.id} model={model} onOpen={() => onOpen(model.id)} />
      ))}
    </ul>
  </section>
)
