import type { LanguageModel, ModelConnection } from '@parley/client/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAllPages } from '../../api/all-pages.ts'
import { read, readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ProgressText } from '../../ui/progress-text.tsx'
import { Loaded } from '../../ui/states.tsx'
import { canChat, type Offered, suggestModel } from './suggest-model.ts'
import { useAddModels } from './use-add-models.ts'

const t = translator('models')

/** The search field appears if there are at least this many models. */
const SEARCHED_FROM = 8

interface ChooseModelsProps {
  connection: ModelConnection
  action: string
  onAdded: (models: LanguageModel[]) => void
  onOtherKey: () => void
  onClose: () => void
}

/** Lists the models that a connection offers. The suggested one is selected. */
export function ChooseModels({ connection, action, onAdded, onOtherKey, onClose }: ChooseModelsProps) {
  const query = { connection_id: connection.id }
  const offered = useQuery(read('GET /api/llm/connections/list_models', query))
  const added = useAddedVersions(connection.id)
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const { addition, progress } = useAddModels(connection, onAdded)
  const left = offered.data?.data.filter(({ version }) => !added.includes(version)) ?? []
  const suggested = suggestModel(connection.provider, left)
  const versions = chosen ?? (suggested ? [suggested.version] : [])
  const selected = left.filter(({ version }) => versions.includes(version))
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('connect.choose', { name: connection.name })}
      description={t('connect.chooseHint')}
      action={action}
      busy={addition.isPending}
      disabled={selected.length === 0}
      error={addition.error}
      onSubmit={() => addition.mutate(selected)}
    >
      <Loaded query={offered}>
        {() =>
          left.length === 0 ? (
            <Nothing />
          ) : (
            <Versions offered={left} suggested={suggested} chosen={versions} onChange={setChosen} />
          )
        }
      </Loaded>
      <button type="button" onClick={onOtherKey} className="reach w-fit text-sm text-accent underline">
        {t('connect.otherKey')}
      </button>
      {addition.isPending && <ProgressText>{progress}</ProgressText>}
    </FormDialog>
  )
}

/** Returns the versions that the organization has added from a connection. */
function useAddedVersions(connectionId: string): string[] {
  const { organization } = useHere()
  const models = useInfiniteQuery(readPages('GET /api/llm/list', { org_id: organization.id, limit: 100 }))
  useAllPages(models, true)
  return (models.data ?? [])
    .filter(({ config }) => config.connection_id === connectionId)
    .map(({ version }) => version)
}

const Nothing = () => (
  <p className="text-sm text-muted">
    {t.rich('connect.nothing', {
      link: (text) => (
        <Link to="/models" search={{ model_id: 'new' }} className="text-accent underline">
          {text}
        </Link>
      ),
    })}
  </p>
)

interface VersionsProps {
  offered: readonly Offered[]
  suggested: Offered | undefined
  chosen: readonly string[]
  onChange: (versions: readonly string[]) => void
}

/** Checkboxes of all versions: the suggested one first, then those that can chat. */
function Versions({ offered, suggested, chosen, onChange }: VersionsProps) {
  const [search, setSearch] = useState('')
  const rank = (model: Offered) => (model === suggested ? 0 : canChat(model) ? 1 : 2)
  const shown = offered
    .filter(({ version }) => version.toLowerCase().includes(search.trim().toLowerCase()))
    .toSorted((one, other) => rank(one) - rank(other))
  return (
    <>
      {offered.length >= SEARCHED_FROM && (
        <TextField
          label={t('connect.search')}
          type="search"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <fieldset className="max-h-64 overflow-y-auto rounded-xl border border-line p-1">
        <legend className="sr-only">{t('connect.models')}</legend>
        {shown.map((model) => (
          <div
            key={model.version}
            className="flex min-h-10 items-center gap-2 rounded-lg px-2 hover:bg-hover"
          >
            <div className="min-w-0 grow break-words">
              <CheckField
                label={model.version}
                checked={chosen.includes(model.version)}
                onChange={({ target }) =>
                  onChange(
                    target.checked
                      ? [...chosen, model.version]
                      : chosen.filter((version) => version !== model.version),
                  )
                }
              />
            </div>
            {model === suggested && <Badge tone="accent">{t('connect.suggested')}</Badge>}
            {!canChat(model) && model.capabilities[0] && (
              <Badge>{t(`capability.${model.capabilities[0]}`)}</Badge>
            )}
          </div>
        ))}
      </fieldset>
    </>
  )
}
