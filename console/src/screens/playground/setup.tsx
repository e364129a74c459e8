import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Picker } from '../../ui/picker.tsx'
import { nameOf } from '../connections/connection-words.ts'
import { readActive } from './active-connections.ts'
import { useModelChoices } from './models.ts'
import { CONNECTIONS_MAX } from './search-params.ts'

interface SetupProps {
  chosen: readonly string[]
  model: string | undefined
  onChoose: (ids: readonly string[]) => void
}

/** Which connections, and which model. */
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
        label="Connections"
        several
        choices={usable.map((instance) => ({
          id: instance.id,
          name: nameOf(instance),
          note: instance.name === null ? undefined : instance.server_name,
        }))}
        chosen={chosen}
        onChange={(ids) => onChoose(ids.filter((id) => !isGone(id)).slice(0, CONNECTIONS_MAX))}
        empty={usable.length === 0 ? 'You have no active connection' : 'Nothing found'}
      >
        {names.length > 0 ? undefined : 'No connections'}
      </Picker>
      <ModelPicker model={model} withTools={chosen.length > 0} />
      <Badge tone={chosen.length > 0 ? 'accent' : 'neutral'}>
        {chosen.length > 0 ? 'Direct: uses their tools' : 'Discovery: finds servers'}
      </Badge>
      {instances.data?.length === 0 && (
        <Link
          to="/connections"
          search={(search) => ({ org_id: search.org_id, tab: 'catalogue' })}
          className="text-sm text-accent hover:underline"
        >
          Connect an account
        </Link>
      )}
      {gone.length > 0 && (
        <p role="status" className="basis-full text-sm text-warning">
          {gone.length === 1 ? 'One of the connections is' : `${gone.length} of the connections are`} not
          active any more, and left out.
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
      label="Model"
      choices={[
        { id: USUAL, name: 'Default model', note: 'of the mode' },
        ...models,
        ...(isKnown ? [] : [{ id: model, name: model }]),
      ]}
      chosen={[model ?? USUAL]}
      onChange={([id]) => choose(id)}
    />
  )
}
