import type { Deployment } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { classNames } from '../../ui/class-names.ts'
import type { Edits } from '../../ui/edits.ts'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { SavedForm } from '../../ui/unsaved.tsx'
import { ChatPreview } from './chat-preview.tsx'
import { configOf, type LookEdits } from './config-edits.ts'

const t = translator('deployments')

interface LookFormProps {
  deployment: Deployment
  edits: Edits<LookEdits>
  save: { run: () => void; isPending: boolean; error: Error | null }
  readOnly: boolean
}

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
        label={t(isShown ? 'page.appearance' : 'page.limits')}
        refusal={readOnly ? t('look.readOnly') : null}
        isUnsaved={edits.isChanged}
        isSaving={save.isPending}
        error={save.error}
        onSave={save.run}
        onDiscard={edits.discard}
      >
        {isShown && <LookSection edits={edits} type={type} />}
        <LimitsSection edits={edits} isShown={isShown} />
      </SavedForm>
      {isShown && <ChatPreview deployment={deployment} config={configOf(edits.value, type)} />}
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
    <Section title={t('look.title')} description={t('look.description')}>
      <TextField
        label={t('look.company')}
        hint={t('look.companyHint')}
        maxLength={200}
        {...text('company')}
      />
      <TextField
        label={t('look.logo')}
        type="url"
        pattern="https?://.*"
        title={t('look.logoFormat')}
        placeholder="https://www.example.com/logo.png"
        maxLength={2_000}
        {...text('logo')}
      />
      <ColorField value={value.color} onChange={(color) => edit({ color })} />
      <TextField
        label={t('look.font')}
        placeholder="Open Sans, Arial"
        hint={t('look.fontHint')}
        maxLength={200}
        {...text('font')}
      />
      <TextAreaField
        label={t('look.welcome')}
        hint={t('look.welcomeHint')}
        rows={3}
        maxLength={2_000}
        {...text('welcome')}
      />
      <TextAreaField
        label={t('look.starters')}
        hint={t('look.startersHint')}
        rows={3}
        {...text('starters')}
      />
      {type === 'widget' && (
        <SelectField label={t('look.placement')} {...text('placement')}>
          <option value="bottom-right">{t('look.bottomRight')}</option>
          <option value="bottom-left">{t('look.bottomLeft')}</option>
        </SelectField>
      )}
    </Section>
  )
}

/** The chat's default color (docs/widget.md). */
const DEFAULT_COLOR = '#4338ca'

const ColorField = ({ value, onChange }: { value: string; onChange: (color: string) => void }) => (
  <div className="flex items-end gap-2">
    <div className="min-w-0 grow">
      <TextField
        label={t('look.color')}
        placeholder={DEFAULT_COLOR}
        pattern="#[0-9a-fA-F]{6}"
        title={t('look.colorFormat')}
        maxLength={7}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
    <input
      type="color"
      aria-label={t('look.pickColor')}
      value={/^#[\da-f]{6}$/i.test(value) ? value : DEFAULT_COLOR}
      onChange={({ target }) => onChange(target.value)}
      className="h-9 touch:h-10 w-14 shrink-0 rounded-lg border border-line-strong/60 bg-raised p-1"
    />
  </div>
)

const LimitsSection = ({ edits: { value, edit }, isShown }: PartProps & { isShown: boolean }) => (
  <Section title={t('look.limits')}>
    {isShown && (
      <TextAreaField
        label={t('look.origins')}
        hint={t('look.originsHint')}
        placeholder={'https://www.example.com\nhttps://shop.example.com'}
        rows={3}
        spellCheck={false}
        value={value.origins}
        onChange={({ target }) => edit({ origins: target.value })}
      />
    )}
    <TextField
      label={t('look.daily')}
      type="number"
      min={1}
      max={1_000_000}
      step={1}
      placeholder={t('look.noLimit')}
      hint={t('look.dailyHint')}
      value={value.limit}
      onChange={({ target }) => edit({ limit: target.value })}
    />
  </Section>
)
