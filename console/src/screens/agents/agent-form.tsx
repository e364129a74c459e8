import type { Agent } from '@parley/client/schemas'
import { type Body, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import type { Edits } from '../../ui/edits.ts'
import { SwitchField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { SavedForm } from '../../ui/unsaved.tsx'
import type { AgentPart } from './agent-part.ts'
import { ConnectionsSection } from './connections-section.tsx'
import { KnowledgeSection } from './knowledge-section.tsx'
import { ModelSection } from './model-section.tsx'
import { ToolsSection } from './tools-section.tsx'

const t = translator('agents')

/** The form for an agent's settings. One button saves all of them. */
export function AgentForm({ agent: saved, edits }: { agent: Agent; edits: Edits<Agent> }) {
  const { may } = useHere()
  const mayWrite = may('agent:write')
  const save = useSaving(saved, edits)
  const part = { agent: edits.value, edit: edits.edit }
  return (
    <SavedForm
      label={t('agent')}
      refusal={mayWrite ? null : t('form.readOnly')}
      isUnsaved={edits.isChanged}
      isSaving={save.isSaving}
      error={save.error}
      onSave={save.begin}
      onDiscard={() => {
        edits.discard()
        save.forgetError()
      }}
    >
      <BasicsSection {...part} />
      <ModelSection {...part} />
      <ToolsSection {...part} saved={saved} />
      <KnowledgeSection {...part} />
      <ConnectionsSection {...part} />
      <AccessSection {...part} />
    </SavedForm>
  )
}

/** Saves the form. Sends only changed fields, so that concurrent changes to other fields are not overwritten. */
function useSaving(saved: Agent, { changes, settle }: Edits<Agent>) {
  const update = useChange('PUT /api/agents/update', {
    outdates: ['GET /api/agents/get', 'GET /api/agents/list', 'GET /api/mcp/list_instances'],
  })
  const begin = () => {
    update.mutate(
      { query: { agent_id: saved.id }, body: bodyOf(changes, saved) },
      { onSuccess: () => settle(changes) },
    )
  }
  return { begin, isSaving: update.isPending, error: update.error, forgetError: update.reset }
}

/** `params` is merged by key, so parameters that were removed are sent as null. */
const bodyOf = ({ tools, params, ...rest }: Partial<Agent>, saved: Agent): Body<'PUT /api/agents/update'> =>
  ({
    ...rest,
    ...(params && { params: { ...removalsOf(saved.params ?? {}), ...params } }),
    ...(tools && { tools: tools.map(({ name: _name, ...tool }) => tool) }),
  }) as Body<'PUT /api/agents/update'>

const removalsOf = (params: object): Record<string, null> =>
  Object.fromEntries(Object.keys(params).map((name) => [name, null]))

const BasicsSection = ({ agent, edit }: AgentPart) => (
  <Section title={t('details.title')}>
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={t('details.name')}
        required
        maxLength={200}
        value={agent.name}
        onChange={({ target }) => edit({ name: target.value })}
      />
      <TextField
        label={t('details.type')}
        hint={t('details.typeHint')}
        required
        maxLength={50}
        value={agent.agent_type}
        onChange={({ target }) => edit({ agent_type: target.value })}
      />
    </div>
    <TextAreaField
      label={t('details.description')}
      hint={t('details.descriptionHint')}
      rows={2}
      maxLength={5_000}
      value={agent.description}
      onChange={({ target }) => edit({ description: target.value })}
    />
  </Section>
)

const AccessSection = ({ agent, edit }: AgentPart) => (
  <Section title={t('access.title')}>
    <SwitchField
      label={t('active')}
      hint={t('access.activeHint')}
      checked={agent.is_active}
      onChange={(is_active) => edit({ is_active })}
    />
    <SwitchField
      label={t('public')}
      hint={t('access.publicHint')}
      checked={agent.is_public}
      onChange={(is_public) => edit({ is_public })}
    />
  </Section>
)
