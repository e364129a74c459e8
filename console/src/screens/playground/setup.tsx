import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Choice } from '../../ui/choices.ts'
import { Picker } from '../../ui/picker.tsx'
import { nameOf } from '../connections/connection-words.ts'
import { readActive } from './active-connections.ts'
import { useModelList } from './models.ts'
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
  const choices = usable.map(
    (instance): Choice => ({
      id: instance.id,
      name: nameOf(instance),
      note: instance.name === null ? undefined : instance.server_name,
    }),
  )
  const selection = choices.filter(({ id }) => chosen.includes(id))
  return (
    <div className="flex basis-full flex-wrap items-center gap-2">
      <Picker
        label={t('setup.connections')}
        several
        choices={choices}
        chosen={selection}
        onChange={(picked) => onChoose(picked.slice(0, CONNECTIONS_MAX).map(({ id }) => id))}
        empty={usable.length === 0 ? t('setup.noActive') : t('setup.noMatches')}
      >
        {selection.length > 0 ? undefined : t(usable.length > 0 ? 'setup.choose' : 'setup.none')}
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
  const list = useModelList(withTools)
  const mayRead = useHere().may('organization:read')
  const { data = [] } = useInfiniteQuery({ ...list.pages(''), enabled: mayRead })
  const choose = (id: string | undefined) =>
    void navigate({
      to: '/playground',
      search: (search) => ({ ...search, model: id || undefined }),
      replace: true,
    })
  const usual = { id: USUAL, name: t('setup.defaultModel') }
  const chosen =
    model === undefined ? usual : (data.find(({ id }) => id === model) ?? { id: model, name: model })
  return (
    <Picker
      label={t('setup.model')}
      choices={[usual]}
      lists={mayRead ? [list] : []}
      chosen={[chosen]}
      onChange={([next]) => choose(next?.id)}
    />
  )
}
