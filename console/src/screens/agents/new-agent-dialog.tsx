import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useDefaultModel } from '../../shell/own.ts'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ModelField } from './model-field.tsx'

const t = translator('agents')

/** The type of new agents. The type is only a label. */
const USUAL_TYPE = 'chat'

export function NewAgentDialog({ onClose }: { onClose: () => void }) {
  const { organization } = useHere()
  const navigate = useNavigate()
  const defaultId = useDefaultModel()
  const [agent, setAgent] = useState({ name: '', description: '', model_id: '' })
  const modelId = agent.model_id || defaultId || null
  const add = useChange('POST /api/agents', {
    outdates: ['GET /api/agents/list'],
    onDone: ({ id }) => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
  })
  const submit = () => {
    if (modelId === null) return
    const body = { ...agent, model_id: modelId, agent_type: USUAL_TYPE, params: {} }
    add.mutate({ query: { org_id: organization.id }, body })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('create.title')}
      description={t('create.description')}
      action={t('create.action')}
      busy={add.isPending}
      disabled={modelId === null}
      error={add.error}
      onSubmit={submit}
    >
      <TextField
        label={t('details.name')}
        required
        maxLength={200}
        value={agent.name}
        onChange={({ target }) => setAgent({ ...agent, name: target.value })}
      />
      <TextAreaField
        label={t('details.description')}
        hint={t('details.descriptionHint')}
        rows={2}
        maxLength={5_000}
        value={agent.description}
        onChange={({ target }) => setAgent({ ...agent, description: target.value })}
      />
      <ModelField modelId={modelId} onChange={(model_id) => setAgent({ ...agent, model_id })} />
    </FormDialog>
  )
}
