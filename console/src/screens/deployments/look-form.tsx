import type { Deployment } from '@parley/client/schemas'
import { classNames } from '../../ui/class-names.ts'
import type { Edits } from '../../ui/edits.ts'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { SavedForm } from '../../ui/unsaved.tsx'
import { ChatPreview } from './chat-preview.tsx'
import type { LookEdits } from './config-edits.ts'

interface LookFormProps {
  deployment: Deployment
  edits: Edits<LookEdits>
  save: { run: () => void; isPending: boolean; error: Error | null }
  readOnly: boolean
}

/** How the chat looks, who may show it, and how much it may be used. */
export function LookForm({ deployment, edits, save, readOnly }: LookFormProps) {
  const { deployment_type: type } = deployment
  const isShown = type !== 'api'
  return (
    <div
      className={classNames(
        'grid items-start gap-6',
        isShown && 'lg:grid-cols-[minmax(0,1fr)_minmax(0,25rem)]',
      )}
    >
      <SavedForm
        label="Look and limits"
        refusal={readOnly ? 'Your role may look at this, and not change it.' : null}
        isUnsaved={edits.isChanged}
        isSaving={save.isPending}
        error={save.error}
        onSave={save.run}
        onDiscard={edits.discard}
      >
        {isShown && <LookSection edits={edits} type={type} />}
        <LimitsSection edits={edits} isShown={isShown} />
      </SavedForm>
      {isShown && <ChatPreview deployment={deployment} />}
    </div>
  )
}

interface PartProps {
  edits: Edits<LookEdits>
}

function LookSection({ edits: { value, edit }, type }: PartProps & { type: Deployment['deployment_type'] }) {
  const text = (name: keyof LookEdits) => ({
    value: value[name],
    onChange: ({ target }: { target: { value: string } }) => edit({ [name]: target.value }),
  })
  return (
    <Section title="Look" description="The preview shows it as it is saved.">
      <TextField
        label="Company name"
        hint="At the head of the chat; without one the name of the deployment"
        maxLength={200}
        {...text('company')}
      />
      <TextField
        label="Logo"
        type="url"
        pattern="https?://.*"
        title="An address that begins with https://"
        placeholder="https://www.example.com/logo.png"
        maxLength={2_000}
        {...text('logo')}
      />
      <ColorField value={value.color} onChange={(color) => edit({ color })} />
      <TextField
        label="Font"
        placeholder="Open Sans, Arial"
        hint="Names of fonts that your visitors have, with commas between them; none is loaded"
        maxLength={200}
        {...text('font')}
      />
      <TextAreaField
        label="Welcome message"
        hint="What a visitor reads first. Markdown works."
        rows={3}
        maxLength={2_000}
        {...text('welcome')}
      />
      {type === 'widget' && (
        <SelectField label="Where the button is" {...text('placement')}>
          <option value="bottom-right">At the bottom right</option>
          <option value="bottom-left">At the bottom left</option>
        </SelectField>
      )}
    </Section>
  )
}

/** What the chat has where nothing is said (docs/widget.md). */
const USUAL_COLOR = '#4338ca'

const ColorField = ({ value, onChange }: { value: string; onChange: (color: string) => void }) => (
  <div className="flex items-end gap-2">
    <div className="min-w-0 grow">
      <TextField
        label="Colour"
        placeholder={USUAL_COLOR}
        pattern="#[0-9a-fA-F]{6}"
        title="As #0b5fff"
        maxLength={7}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
    <input
      type="color"
      aria-label="Pick a colour"
      value={/^#[\da-f]{6}$/i.test(value) ? value : USUAL_COLOR}
      onChange={({ target }) => onChange(target.value)}
      className="h-9 w-14 shrink-0 rounded-lg border border-line-strong/60 bg-raised p-1"
    />
  </div>
)

const LimitsSection = ({ edits: { value, edit }, isShown }: PartProps & { isShown: boolean }) => (
  <Section title="Limits">
    {isShown && (
      <TextAreaField
        label="Pages that may show it"
        hint="One origin on each line; none: any page may"
        placeholder={'https://www.example.com\nhttps://shop.example.com'}
        rows={3}
        spellCheck={false}
        value={value.origins}
        onChange={({ target }) => edit({ origins: target.value })}
      />
    )}
    <TextField
      label="Messages a day"
      type="number"
      min={1}
      max={1_000_000}
      step={1}
      placeholder="No limit"
      hint="Of all visitors together, by UTC. After that they are asked to come back tomorrow."
      value={value.limit}
      onChange={({ target }) => edit({ limit: target.value })}
    />
  </Section>
)
