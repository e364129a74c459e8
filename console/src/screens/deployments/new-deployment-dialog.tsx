import type { Deployment, DeploymentWithKey } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { type Choice, listChoices } from '../../ui/choices.ts'
import { SecretOnce } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { PickerField } from '../../ui/picker-field.tsx'
import { Failure } from '../../ui/states.tsx'
import { useAgents } from './agents.tsx'
import { ICONS, TYPES } from './deployment-words.ts'

const t = translator('deployments')

interface NewDeploymentProps {
  open: boolean
  /** The id of the agent that is selected when the dialog opens. */
  agentId?: string | undefined
  onClose: () => void
}

export function NewDeploymentDialog({ open, agentId, onClose }: NewDeploymentProps) {
  const [created, setCreated] = useState<DeploymentWithKey>()
  const close = () => {
    setCreated(undefined)
    onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={created ? t('new.created', { name: created.name }) : t('new.title')}
      {...(!created && { description: t('new.description') })}
    >
      {created ? (
        <Created deployment={created} />
      ) : (
        <NewDeploymentForm agentId={agentId} onCreated={setCreated} onCancel={close} />
      )}
    </Dialog>
  )
}

interface FormProps {
  agentId: string | undefined
  onCreated: (deployment: DeploymentWithKey) => void
  onCancel: () => void
}

function NewDeploymentForm({ agentId, onCreated, onCancel }: FormProps) {
  const { organization } = useHere()
  const { newest, agent: given } = useAgents(agentId)
  const [form, setForm] = useState<{ name: string; agent?: Choice; type: Deployment['deployment_type'] }>({
    name: '',
    type: 'widget',
  })
  const agent = form.agent ?? given
  const create = useChange('POST /api/agent_deploy/create', {
    outdates: ['GET /api/agent_deploy/list'],
    onDone: onCreated,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, type: deployment_type } = form
    if (!agent) return
    create.mutate({
      query: { org_id: organization.id },
      body: { name, agent_id: agent.id, deployment_type, description: '', config: {} },
    })
  }
  const hasNone = newest.data?.length === 0
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <PickerField
        label={t('agent')}
        lists={[
          listChoices('GET /api/agents/list', { org_id: organization.id }, ({ id, name }) => ({ id, name })),
        ]}
        chosen={agent ? [agent] : []}
        onChange={([chosen]) => chosen && setForm({ ...form, agent: chosen })}
        error={hasNone ? t('new.noAgents') : null}
      >
        {agent ? undefined : t('new.choose')}
      </PickerField>
      <TypeField value={form.type} onChange={(type) => setForm({ ...form, type })} />
      <TextField
        label={t('new.name')}
        hint={form.type === 'api' ? undefined : t('new.nameHint')}
        required
        maxLength={200}
        value={form.name}
        onChange={({ target }) => setForm({ ...form, name: target.value })}
      />
      {create.error && <Failure error={create.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('new.cancel')}</Button>
        <Button type="submit" kind="primary" busy={create.isPending} disabled={!agent}>
          {t('new.create')}
        </Button>
      </div>
    </form>
  )
}

interface TypeFieldProps {
  value: Deployment['deployment_type']
  onChange: (type: Deployment['deployment_type']) => void
}

const TypeField = ({ value, onChange }: TypeFieldProps) => (
  <fieldset className="flex flex-col gap-1.5">
    <legend className="mb-1.5 text-sm font-medium">{t('type')}</legend>
    {TYPES.map((type) => {
      const Icon = ICONS[type]
      return (
        <label
          key={type}
          className="flex cursor-pointer items-center gap-3 rounded-xl border border-line px-3 py-2.5 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type="radio"
            name="deployment_type"
            value={type}
            checked={type === value}
            onChange={() => onChange(type)}
            className="size-4 shrink-0 accent-accent"
          />
          <Icon aria-hidden size={18} className="shrink-0 text-muted" />
          <span className="flex min-w-0 flex-col text-sm">
            <span className="font-medium">{t(`types.${type}`)}</span>
            <span className="text-muted">{t(`typeNotes.${type}`)}</span>
          </span>
        </label>
      )
    })}
  </fieldset>
)

/** Shows the API key of a new deployment, once. Websites don't need the key. */
function Created({ deployment: { id, api_key, deployment_type: type } }: { deployment: DeploymentWithKey }) {
  const navigate = useNavigate()
  const open = (tab: 'install' | 'look') =>
    void navigate({ to: '/deployments/$deploymentId', params: { deploymentId: id }, search: { tab } })
  return (
    <>
      <p className="text-sm">{t(type === 'api' ? 'new.keyForProgram' : 'new.keyForWebsite')}</p>
      <SecretOnce secret={api_key} />
      <div className="flex flex-wrap justify-end gap-2">
        {type !== 'api' && <Button onClick={() => open('look')}>{t('new.appearance')}</Button>}
        <Button kind="primary" onClick={() => open('install')}>
          {t(type === 'api' ? 'new.showApi' : 'new.showCode')}
        </Button>
      </div>
    </>
  )
}
