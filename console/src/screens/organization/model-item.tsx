import type { LanguageModel, ModelTest } from '@parley/client/schemas'
import { Ellipsis, Pencil, Power, Trash2 } from 'lucide-react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatCompact, formatCredits, formatNumber } from '../../ui/format.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

/** A model in the list: what it is, what it costs, and whether it answers. */
export function ModelItem({ model, onOpen }: { model: LanguageModel; onOpen: () => void }) {
  const { user, may } = useHere()
  const isOwn = model.organization_id !== null
  const test = useChange('POST /api/llm/test')
  return (
    <li aria-label={model.name} className="flex flex-col gap-3 px-4 py-3.5">
      <div className="flex items-start justify-between gap-3">
        <About model={model} />
        <div className="flex items-center gap-1">
          {isOwn && may('organization:write') && (
            <>
              <Button
                size="small"
                busy={test.isPending}
                onClick={() => test.mutate({ query: { model_id: model.id } })}
              >
                Test
              </Button>
              <OwnMenu model={model} onOpen={onOpen} />
            </>
          )}
          {!isOwn && user.is_system_admin && (
            <IconButton small icon={Pencil} label={`Set the price of ${model.name}`} onClick={onOpen} />
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

function About({ model: { name, provider, version, config, is_active } }: { model: LanguageModel }) {
  const facts = [
    `${provider} · ${config.model ?? version}`,
    config.context_window && `${formatCompact(config.context_window)} tokens of context`,
    priceOf(config),
  ]
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <span className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium break-words">{name}</span>
        {!is_active && <Badge tone="warning">Off</Badge>}
      </span>
      <span className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm text-muted">
        {facts.filter(Boolean).map((fact) => (
          <span key={fact as string} className="min-w-0 break-words">
            {fact}
          </span>
        ))}
      </span>
      <span className="flex flex-wrap gap-1.5">
        {(config.capabilities ?? []).map((capability) => (
          <Badge key={capability}>{capability}</Badge>
        ))}
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
  if (capabilities?.includes('transcription')) return `${credits(seconds_ratio)} a second`
  return input_ratio === output_ratio
    ? `${credits(input_ratio)} a token`
    : `${formatCredits(input_ratio)} in, ${formatCredits(output_ratio)} out, credits a token`
}

const credits = (ratio: number): string => `${formatCredits(ratio)} ${ratio === 1 ? 'credit' : 'credits'}`

const Outcome = ({ test: { successful, message, latency_ms } }: { test: ModelTest }) => (
  <p
    className={`rounded-lg px-3 py-2 text-sm break-words ${
      successful ? 'bg-success-soft text-success' : 'bg-danger-soft text-danger'
    }`}
  >
    {successful
      ? `It works: answered “${message}” in ${formatNumber(latency_ms)} ms.`
      : `It failed: ${message}`}
  </p>
)

function OwnMenu({ model, onOpen }: { model: LanguageModel; onOpen: () => void }) {
  const confirm = useConfirm()
  const notify = useNotify()
  const outdates = ['GET /api/llm/list'] as const
  const query = { model_id: model.id }
  const change = useChange('PUT /api/llm/update', {
    outdates,
    onDone: ({ name, is_active }) => notify(`${name} is ${is_active ? 'on' : 'off'}`),
  })
  const removal = useChange('DELETE /api/llm/delete', {
    outdates,
    onDone: () => notify(`${model.name} is deleted`),
  })
  const remove = async () => {
    const consequence = 'Its key is deleted too. What it has answered stays in the chats.'
    if (await confirm({ title: `Delete the model ${model.name}?`, consequence, action: 'Delete' }))
      removal.mutate({ query }, { onError: notify })
  }
  return (
    <Menu trigger={<IconButton small icon={Ellipsis} label={`Actions for ${model.name}`} />}>
      <MenuItem icon={Pencil} onSelect={onOpen}>
        Edit
      </MenuItem>
      <MenuItem
        icon={Power}
        onSelect={() => change.mutate({ query, body: { is_active: !model.is_active } }, { onError: notify })}
      >
        {model.is_active ? 'Switch off' : 'Switch on'}
      </MenuItem>
      <MenuItem danger icon={Trash2} onSelect={() => void remove()}>
        Delete
      </MenuItem>
    </Menu>
  )
}
