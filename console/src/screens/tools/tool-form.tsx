import type { Tool } from '@parley/client/schemas'
import { type Body, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import type { Edits } from '../../ui/edits.ts'
import { SelectField, SwitchField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { SavedForm } from '../../ui/unsaved.tsx'
import { CodeSection } from './code-section.tsx'
import { DescriptorsSection } from './descriptors-section.tsx'
import { NetworkSection } from './network-section.tsx'
import { SeenByModels } from './seen-by-models.tsx'
import type { ToolPart } from './tool-part.ts'
import { useCategories } from './use-tools.ts'

const t = translator('tools')

/**
 * The form for all settings of a tool. One button saves them. The server then loads the code and reports its errors.
 */
export function ToolForm({ tool: saved, edits }: { tool: Tool; edits: Edits<Tool> }) {
  const { may } = useHere()
  const mayWrite = may('tool:write')
  const save = useSaving(saved, edits)
  const part = { tool: edits.value, edit: edits.edit }
  return (
    <SavedForm
      label={t('form.label')}
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
      <CodeSection {...part} error={save.error} isReadOnly={!mayWrite} />
      <DescriptorsSection
        title={t('form.inputs')}
        description={t('form.inputsHint')}
        kind="input"
        descriptors={edits.value.inputs}
        onChange={(inputs) => edits.edit({ inputs: inputs as Tool['inputs'] })}
      />
      <OutputSection {...part} />
      <DescriptorsSection
        title={t('form.configuration')}
        description={t('form.configurationHint')}
        kind="value"
        withSecrets
        descriptors={edits.value.configuration}
        onChange={(configuration) => edits.edit({ configuration: configuration as Tool['configuration'] })}
      />
      <NetworkSection {...part} />
      <AccessSection {...part} />
      <SeenByModels tool={saved} />
    </SavedForm>
  )
}

/** Saves the form. Sends only changed fields, so that the server loads the code again only if necessary. */
function useSaving(saved: Tool, { changes, settle }: Edits<Tool>) {
  const update = useChange('PUT /api/tools', {
    outdates: ['GET /api/tools', 'GET /api/tools/list_all', 'GET /api/agents/get'],
  })
  const begin = () => {
    update.mutate(
      {
        query: { org_id: saved.organization_id, tool_id: saved.id },
        body: changes as Body<'PUT /api/tools'>,
      },
      { onSuccess: () => settle(changes) },
    )
  }
  return { begin, isSaving: update.isPending, error: update.error, forgetError: update.reset }
}

function BasicsSection({ tool, edit }: ToolPart) {
  const categories = useCategories()
  return (
    <Section title={t('form.details')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('form.name')}
          required
          maxLength={200}
          value={tool.name}
          onChange={({ target }) => edit({ name: target.value })}
        />
        <div className="grid grid-cols-2 gap-4">
          <TextField
            label={t('form.version')}
            required
            maxLength={50}
            value={tool.version}
            onChange={({ target }) => edit({ version: target.value })}
          />
          <SelectField
            label={t('form.category')}
            value={tool.category_id ?? ''}
            onChange={({ target }) => edit({ category_id: target.value })}
          >
            {categories.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      <TextAreaField
        label={t('form.description')}
        hint={t('form.descriptionHint')}
        rows={2}
        maxLength={5_000}
        value={tool.description}
        onChange={({ target }) => edit({ description: target.value })}
      />
    </Section>
  )
}

const OutputSection = ({ tool: { outputs }, edit }: ToolPart) => (
  <Section title={t('form.output')} description={t('form.outputHint')}>
    <div className="grid gap-4 sm:grid-cols-[10rem_1fr]">
      <TextField
        label={t('form.outputType')}
        maxLength={100}
        value={outputs.type}
        onChange={({ target }) => edit({ outputs: { ...outputs, type: target.value } })}
      />
      <TextField
        label={t('form.outputDescription')}
        maxLength={2_000}
        value={outputs.description}
        onChange={({ target }) => edit({ outputs: { ...outputs, description: target.value } })}
      />
    </div>
  </Section>
)

const AccessSection = ({ tool, edit }: ToolPart) => (
  <Section title={t('form.access')}>
    <SwitchField
      label={t('form.active')}
      hint={t('form.activeHint')}
      checked={tool.is_active}
      onChange={(is_active) => edit({ is_active })}
    />
    <SwitchField
      label={t('form.public')}
      hint={t('form.publicHint')}
      checked={tool.is_public}
      onChange={(is_public) => edit({ is_public })}
    />
  </Section>
)
