import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Picker } from '../../ui/picker.tsx'
import { nameOf } from '../connections/connection-words.ts'
import { readActive } from './active-connections.ts'
import { useModelChoices } from './models.ts'
import { CONNECTIONS_MAX } from './search-params.ts'

const t = translator('playground')

interface SetupProps {
  chosen: readonly string[]
  model: string | undefined
  onChoose: (ids: readonly string[]) => void
}

export function Setup({ chosen, model, onChoose }: SetupProps) {
  const { organization } = useHere()
  const instances = useQuery(readActive(organization.id))
  const usable = instances.data ?? []
  const isGone = (id: string) => instances.data !== undefined && !usable.some((one) => one.id === id)
  const gone = chosen.filter(isGone)
  const names = usable.filter(({ id }) => chosen.includes(id))
  return (
    <div className="flex basis-full flex-wrap items-center gap-2">
      <Picker
        label={t('setup.connections')}
        several
        choices={usable.map((instance) => ({
          id: instance.id,
          name: nameOf(instance),
          note: instance.name === null ? undefined : instance.server_name,
        }))}
        chosen={chosen}
        onChange={(ids) => onChoose(ids.filter((id) => !isGone(id)).slice(0, CONNECTIONS_MAX))}
        empty={usable.length === 0 ? t('setup.noActive') : t('setup.noMatches')}
      >
        {names.length > 0 ? undefined : t(usable.length > 0 ? 'setup.choose' : 'setup.none')}
      </Picker>
      <ModelPicker model={model} withTools={chosen.length > 0} />
      <Badge tone={chosen.length > 0 ? 'accent' : 'neutral'}>
        {chosen.length > 0 ? t('setup.direct') : t('setup.discovery')}
      </Badge>
      {instances.data?.length === 0 && (
        <Link
          to="/connections"
          search={(search) => ({ org_id: search.org_id, tab: 'catalogue' })}
          className="reach text-sm text-accent hover:underline"
        >
          {t('setup.connect')}
        </Link>
      )}
      {gone.length > 0 && (
        <p role="status" className="basis-full text-sm text-warning">
          {t('setup.inactive', { count: gone.length })}
        </p>
      )}
    </div>
  )
}

const USUAL = ''

function ModelPicker({ model, withTools }: { model: string | undefined; withTools: boolean }) {
  const navigate = useNavigate()
  const models = useModelChoices(withTools)
  const choose = (id: string | undefined) =>
    void navigate({
      to: '/playground',
      search: (search) => ({ ...search, model: id || undefined }),
      replace: true,
    })
  const isKnown = model === undefined || models.some(({ id }) => id === model)
  return (
    <Picker
      label={t('setup.model')}
      choices={[
        { id: USUAL, name: t('setup.defaultModel') },
        ...models,
        ...(isKnown ? [] : [{ id: model, name: model }]),
      ]}
      chosen={[model ?? USUAL]}
      onChange={([id]) => choose(id)}
    />
  )
}
