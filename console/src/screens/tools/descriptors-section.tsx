import { Plus, X } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { soundsSecret } from './sounds-secret.ts'

const t = translator('tools')

interface Descriptor {
  name: string
  type: 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict'
  description: string
  required: boolean
  default: string | null
  /** Whether a configuration value is secret. If omitted, the name decides (sounds-secret.ts). */
  secret?: boolean
}

const DESCRIPTORS_MAX = 50

const TYPES: readonly Descriptor['type'][] = ['str', 'int', 'float', 'bool', 'list', 'dict']

interface DescriptorsSectionProps {
  title: string
  description: string
  kind: 'input' | 'value'
  withSecrets?: boolean
  descriptors: readonly Descriptor[]
  onChange: (descriptors: Descriptor[]) => void
}

/** A section that lists a tool's inputs or configuration values. */
export function DescriptorsSection({
  title,
  description,
  kind,
  withSecrets = false,
  descriptors,
  onChange,
}: DescriptorsSectionProps) {
  const add = () =>
    onChange([...descriptors, { name: '', type: 'str', description: '', required: true, default: null }])
  return (
    <Section title={title} description={description}>
      {descriptors.length === 0 && <p className="text-sm text-muted">{t(`values.empty.${kind}`)}</p>}
      {descriptors.map((descriptor, place) => (
        <DescriptorRow
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
          key={place}
          kind={kind}
          name={descriptor.name || String(place + 1)}
          withSecrets={withSecrets}
          descriptor={descriptor}
          onChange={(changed) => onChange(descriptors.with(place, changed))}
          onRemove={() => onChange(descriptors.toSpliced(place, 1))}
        />
      ))}
      <div>
        <Button size="small" icon={Plus} disabled={descriptors.length >= DESCRIPTORS_MAX} onClick={add}>
          {t(`values.add.${kind}`)}
        </Button>
      </div>
    </Section>
  )
}

interface DescriptorRowProps {
  kind: 'input' | 'value'
  /** The descriptor's name. If it has none yet, its number. */
  name: string
  withSecrets: boolean
  descriptor: Descriptor
  onChange: (descriptor: Descriptor) => void
  onRemove: () => void
}

function DescriptorRow({
  kind,
  name: shownName,
  withSecrets,
  descriptor,
  onChange,
  onRemove,
}: DescriptorRowProps) {
  const { name, type, description, required, default: usual } = descriptor
  const secretBy = (newName: string) => withSecrets && (descriptor.secret ?? soundsSecret(newName))
  const isSecret = secretBy(name)
  const set = (part: Partial<Descriptor>) => onChange({ ...descriptor, ...part })
  return (
    <div
      role="group"
      aria-label={t(`values.label.${kind}`, { name: shownName })}
      className="flex flex-col gap-3 rounded-xl border border-line p-3"
    >
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-3 sm:grid-cols-[minmax(0,1fr)_10rem_auto]">
        <TextField
          label={t('values.name')}
          required
          maxLength={64}
          pattern="(?!__)[A-Za-z_][A-Za-z0-9_]*"
          title={t('code.nameFormat')}
          spellCheck={false}
          autoCapitalize="none"
          className="font-mono text-sm"
          value={name}
          onChange={({ target }) =>
            set({ name: target.value, ...(secretBy(target.value) && { default: null }) })
          }
        />
        <IconButton
          icon={X}
          label={t(`values.remove.${kind}`, { name: shownName })}
          onClick={onRemove}
          className="sm:order-last"
        />
        <div className="max-sm:col-span-2">
          <SelectField
            label={t('values.type')}
            value={type}
            onChange={({ target }) => set({ type: target.value as Descriptor['type'] })}
          >
            {TYPES.map((id) => (
              <option key={id} value={id}>
                {t(`types.${id}`)}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_13rem]">
        <TextField
          label={t('values.description')}
          maxLength={2_000}
          value={description}
          onChange={({ target }) => set({ description: target.value })}
        />
        {!isSecret && (
          <TextField
            label={t('values.default')}
            placeholder={type === 'list' || type === 'dict' ? t('values.json') : t('values.noDefault')}
            maxLength={10_000}
            value={usual ?? ''}
            onChange={({ target }) => set({ default: target.value === '' ? null : target.value })}
          />
        )}
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <CheckField
          label={t('values.required')}
          checked={required}
          onChange={({ target }) => set({ required: target.checked })}
        />
        {withSecrets && (
          <CheckField
            label={t('values.secret')}
            hint={isSecret ? t('values.secretHint') : undefined}
            checked={isSecret}
            onChange={({ target }) =>
              set({ secret: target.checked, ...(target.checked && { default: null }) })
            }
          />
        )}
      </div>
    </div>
  )
}
