import type { Deployment, DeploymentWithKey } from '@parley/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { useAgents } from './agents.tsx'
import { TYPE_NAMES, TYPES } from './deployment-words.ts'

interface NewDeploymentProps {
  open: boolean
  /** Chosen from the start. */
  agentId?: string | undefined
  onClose: () => void
}

export function NewDeploymentDialog({ open, agentId, onClose }: NewDeploymentProps) {
  const [made, setMade] = useState<DeploymentWithKey>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={made ? `${made.name} is ready` : 'New deployment'}
      {...(!made && { description: 'Agent and type stay as they are; all else can be changed later.' })}
    >
      {made ? (
        <Made deployment={made} />
      ) : (
        <NewDeploymentForm agentId={agentId} onMade={setMade} onCancel={close} />
      )}
    </Dialog>
  )
}

interface FormProps {
  agentId: string | undefined
  onMade: (deployment: DeploymentWithKey) => void
  onCancel: () => void
}

function NewDeploymentForm({ agentId, onMade, onCancel }: FormProps) {
  const { organization } = useHere()
  const agents = useAgents()
  const [form, setForm] = useState<{ name: string; agent_id: string; type: Deployment['deployment_type'] }>({
    name: '',
    agent_id: agentId ?? '',
    type: 'widget',
  })
  const make = useChange('POST /api/agent_deploy/create', {
    outdates: ['GET /api/agent_deploy/list'],
    onDone: onMade,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, agent_id, type: deployment_type } = form
    make.mutate({
      query: { org_id: organization.id },
      body: { name, agent_id, deployment_type, description: '', config: {} },
    })
  }
  const hasNone = agents.data?.length === 0
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <SelectField
        label="Agent"
        required
        value={form.agent_id}
        onChange={({ target }) => setForm({ ...form, agent_id: target.value })}
        error={hasNone ? 'There is no agent yet. Make one first, under Agents.' : null}
      >
        <option value="" disabled>
          {agents.isPending ? 'Loading' : 'Choose an agent'}
        </option>
        {agents.data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {agents.error && <Failure error={agents.error} onRetry={() => void agents.refetch()} />}
      {agents.hasNextPage && (
        <Button size="small" busy={agents.isFetchingNextPage} onClick={() => void agents.fetchNextPage()}>
          List older agents, too
        </Button>
      )}
      <TypeField value={form.type} onChange={(type) => setForm({ ...form, type })} />
      <TextField
        label="Name"
        hint={form.type === 'api' ? undefined : 'Visitors see it, unless you give a company name'}
        required
        maxLength={200}
        value={form.name}
        onChange={({ target }) => setForm({ ...form, name: target.value })}
      />
      {make.error && <Failure error={make.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" busy={make.isPending} disabled={hasNone}>
          Deploy
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
    <legend className="mb-1.5 text-sm font-medium">Where it answers</legend>
    {TYPE_NAMES.map((type) => {
      const { name, note, icon: Icon } = TYPES[type]
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
            <span className="font-medium">{name}</span>
            <span className="text-muted">{note}</span>
          </span>
        </label>
      )
    })}
  </fieldset>
)

/** The key is shown this once; whoever deploys to a website does not need it. */
function Made({ deployment: { id, api_key, deployment_type: type } }: { deployment: DeploymentWithKey }) {
  const navigate = useNavigate()
  const open = (tab: 'install' | 'look') =>
    void navigate({ to: '/deployments/$deploymentId', params: { deploymentId: id }, search: { tab } })
  return (
    <>
      <p className="text-sm">
        {type === 'api'
          ? 'Your program proves with this key who it is.'
          : 'Your website does not need this key. It is for programs that talk to the agent beside it.'}
      </p>
      <SecretOnce secret={api_key} />
      <div className="flex flex-wrap justify-end gap-2">
        {type !== 'api' && <Button onClick={() => open('look')}>Change the look</Button>}
        <Button kind="primary" onClick={() => open('install')}>
          {type === 'api' ? 'See how to call it' : 'See how to install it'}
        </Button>
      </div>
    </>
  )
}
