import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { ModelField, useChatModels } from './model-field.tsx'

/** The word for agents that are talked to; all kinds answer alike. */
const USUAL_TYPE = 'chat'

export const NewAgentDialog = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <Dialog
    open={open}
    onClose={onClose}
    title="New agent"
    description="Instructions, tools and knowledge come next."
  >
    <NewAgentForm onClose={onClose} />
  </Dialog>
)

function NewAgentForm({ onClose }: { onClose: () => void }) {
  const { organization } = useHere()
  const navigate = useNavigate()
  const form = useId()
  const models = useChatModels()
  const [agent, setAgent] = useState({ name: '', description: '', model_id: '' })
  const modelId = agent.model_id || models.usable[0]?.id || null
  const add = useChange('POST /api/agents', {
    outdates: ['GET /api/agents/list'],
    onDone: ({ id }) => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (modelId === null) return
    const body = { ...agent, model_id: modelId, agent_type: USUAL_TYPE, params: {} }
    add.mutate({ query: { org_id: organization.id }, body })
  }
  return (
    <>
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          maxLength={200}
          value={agent.name}
          onChange={({ target }) => setAgent({ ...agent, name: target.value })}
        />
        <TextAreaField
          label="What it is for"
          hint="Shown where people choose whom to talk to"
          rows={2}
          maxLength={5_000}
          value={agent.description}
          onChange={({ target }) => setAgent({ ...agent, description: target.value })}
        />
        <ModelField modelId={modelId} onChange={(model_id) => setAgent({ ...agent, model_id })} />
        {add.error && <Failure error={add.error} />}
      </form>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form={form} kind="primary" busy={add.isPending} disabled={modelId === null}>
          Make the agent
        </Button>
      </div>
    </>
  )
}
