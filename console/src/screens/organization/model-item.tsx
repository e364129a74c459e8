import type { LanguageModel, ModelTest } from '@parley/client/schemas'
import { Ellipsis, Pencil, Power, Trash2 } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Logo } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatCompact, formatCredits } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { logoOfServer } from '../providers/known-servers.ts'
import { useConnections } from '../providers/use-connect.ts'
import { canBeDefault, DefaultBadges, useDefaultItems } from './default-choices.tsx'
import { providerName } from './model-draft.ts'

const t = translator('models')

export function ModelItem({ model, onOpen }: { model: LanguageModel; onOpen: () => void }) {
  const { user, may } = useHere()
  const isOwn = model.organization_id !== null
  const mayManage = may('organization:write')
  const mayBeDefault = may('chats:write') && canBeDefault(model)
  const test = useChange('POST /api/llm/test')
  return (
    <li aria-label={model.name} className="flex flex-col gap-3 px-4 py-3.5">
      <div className="flex flex-wrap items-start gap-3">
        <Logo name={useLogo(model)} />
        <About model={model} />
        <div className="ml-auto flex items-center gap-1">
          {isOwn && mayManage && (
            <Button
              size="small"
              busy={test.isPending}
              onClick={() => test.mutate({ query: { model_id: model.id } })}
            >
              {t('test')}
            </Button>
          )}
          {!isOwn && user.is_system_admin && (
            <IconButton small icon={Pencil} label={t('editPrice', { name: model.name })} onClick={onOpen} />
          )}
          {((isOwn && mayManage) || mayBeDefault) && (
            <ModelMenu
              model={model}
              mayManage={isOwn && mayManage}
              mayBeDefault={mayBeDefault}
              onOpen={onOpen}
            />
          )}
        </div>
      </div>
      <div role="status" className="empty:hidden">
        {test.data && !test.isPending && <Outcome test={test.data} />}
      </div>
      {test.error && <Failure error={test.error} />}
    </li>
  )
}

/** Returns the logo of the server that a model is on, or of its provider. */
function useLogo({ provider, config }: LanguageModel): string {
  const connection = useConnections().data?.data.find(({ id }) => id === config.connection_id)
  return logoOfServer(config.base_url ?? connection?.base_url) ?? provider
}

function About({ model }: { model: LanguageModel }) {
  const { name, provider, version, config, is_active } = model
  const facts = [
    `${providerName(provider)} · ${config.model ?? version}`,
    config.context_window && t('context', { tokens: formatCompact(config.context_window) }),
    priceOf(config),
  ]
  return (
    <div className="flex min-w-0 grow basis-56 flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium break-words">{name}</span>
        <DefaultBadges {...model} />
        {!is_active && <Badge tone="warning">{t('disabled')}</Badge>}
      </span>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        {facts.filter(Boolean).map((fact) => (
          <span key={fact as string} className="min-w-0 break-words">
            {fact}
          </span>
        ))}
        <span className="flex flex-wrap gap-1.5">
          {(config.capabilities ?? []).map((capability) => (
            <Badge key={capability}>{t(`capability.${capability}`)}</Badge>
          ))}
        </span>
      </span>
    </div>
  )
}

function priceOf({
  input_ratio = 1,
  output_ratio = 1,
  seconds_ratio = 1,
  capabilities,
}: LanguageModel['config']) {
  if (capabilities?.includes('transcription'))
    return t('pricePerSecond', { count: seconds_ratio, price: formatCredits(seconds_ratio) })
  return input_ratio === output_ratio
    ? t('pricePerToken', { count: input_ratio, price: formatCredits(input_ratio) })
    : t('prices', { input: formatCredits(input_ratio), output: formatCredits(output_ratio) })
}

const Outcome = ({ test: { successful, message, latency_ms } }: { test: ModelTest }) => (
  <p
    className={`rounded-lg px-3 py-2 text-sm break-words ${
      successful ? 'bg-success-soft text-success' : 'bg-danger-soft text-danger'
    }`}
  >
    {successful ? t('connected', { message, ms: latency_ms }) : t('failed', { message })}
  </p>
)

interface ModelMenuProps {
  model: LanguageModel
  mayManage: boolean
  mayBeDefault: boolean
  onOpen: () => void
}

function ModelMenu({ model, mayManage, mayBeDefault, onOpen }: ModelMenuProps) {
  const defaultItems = useDefaultItems(model)
  const confirm = useConfirm()
  const notify = useNotify()
  const outdates = ['GET /api/llm/list', 'GET /api/llm/defaults'] as const
  const query = { model_id: model.id }
  const change = useChange('PUT /api/llm/update', {
    outdates,
    onDone: ({ name, is_active }) => notify(t(is_active ? 'nowEnabled' : 'nowDisabled', { name })),
  })
  const removal = useChange('DELETE /api/llm/delete', {
    outdates,
    onDone: () => notify(t('deleted', { name: model.name })),
  })
  const remove = async () => {
    const isSure = await confirm({
      title: t('deleteTitle', { name: model.name }),
      consequence: t('deleteConsequence'),
      action: t('delete'),
    })
    if (isSure) removal.mutate({ query }, { onError: notify })
  }
  return (
    <Menu trigger={<IconButton small icon={Ellipsis} label={t('actions', { name: model.name })} />}>
      {mayBeDefault && defaultItems}
      {mayManage && (
        <>
          <MenuItem icon={Pencil} onSelect={onOpen}>
            {t('edit')}
          </MenuItem>
          <MenuItem
            icon={Power}
            onSelect={() =>
              change.mutate({ query, body: { is_active: !model.is_active } }, { onError: notify })
            }
          >
            {t(model.is_active ? 'disable' : 'enable')}
          </MenuItem>
          <MenuItem danger icon={Trash2} onSelect={() => void remove()}>
            {t('delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
