import type { Tool } from '@parley/client/schemas'
import { type Body, useChange } from '../../api/queries.ts'
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

/** All of a tool, saved as one: the server loads the code, and says what is wrong with it. */
export function ToolForm({ tool: saved, edits }: { tool: Tool; edits: Edits<Tool> }) {
  const { may } = useHere()
  const mayWrite = may('tool:write')
  const save = useSaving(saved, edits)
  const part = { tool: edits.value, edit: edits.edit }
  return (
    <SavedForm
      label="Tool"
      refusal={mayWrite ? null : 'Your role may not change tools.'}
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
        title="Inputs"
        description="What the model gives with each call. Names are those of the function’s parameters."
        thing="input"
        descriptors={edits.value.inputs}
        onChange={(inputs) => edits.edit({ inputs: inputs as Tool['inputs'] })}
      />
      <OutputSection {...part} />
      <DescriptorsSection
        title="Configuration"
        description="What whoever gives the tool to an agent sets, such as a key. The code reads it from config; models never see it."
        thing="value"
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

/** Only what was changed is sent: the code is loaded again only where that may matter. */
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
    <Section title="What it is">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          maxLength={200}
          value={tool.name}
          onChange={({ target }) => edit({ name: target.value })}
        />
        <div className="grid grid-cols-2 gap-4">
          <TextField
            label="Version"
            required
            maxLength={50}
            value={tool.version}
            onChange={({ target }) => edit({ version: target.value })}
          />
          <SelectField
            label="Category"
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
        label="What it does"
        hint="Models read this to know when to call it, unless the function says more of itself below"
        rows={2}
        maxLength={5_000}
        value={tool.description}
        onChange={({ target }) => edit({ description: target.value })}
      />
    </Section>
  )
}

const OutputSection = ({ tool: { outputs }, edit }: ToolPart) => (
  <Section title="Output" description="What the function gives back. For people who choose the tool.">
    <div className="grid gap-4 sm:grid-cols-[10rem_1fr]">
      <TextField
        label="Type"
        maxLength={100}
        value={outputs.type}
        onChange={({ target }) => edit({ outputs: { ...outputs, type: target.value } })}
      />
      <TextField
        label="Description"
        maxLength={2_000}
        value={outputs.description}
        onChange={({ target }) => edit({ outputs: { ...outputs, description: target.value } })}
      />
    </div>
  </Section>
)

const AccessSection = ({ tool, edit }: ToolPart) => (
  <Section title="Who can use it">
    <SwitchField
      label="Active"
      hint="A tool that is not active is left out of what agents call."
      checked={tool.is_active}
      onChange={(is_active) => edit({ is_active })}
    />
    <SwitchField
      label="Public"
      hint="Agents of all organizations here may use it. They are never shown its code."
      checked={tool.is_public}
      onChange={(is_public) => edit({ is_public })}
    />
  </Section>
)
