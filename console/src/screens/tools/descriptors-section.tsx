import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { soundsSecret } from './sounds-secret.ts'

interface Descriptor {
  name: string
  type: 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict'
  description: string
  required: boolean
  default: string | null
  /** Of configuration; absent until somebody says: then its name tells. */
  secret?: boolean
}

const DESCRIPTORS_MAX = 50

const TYPES: Record<Descriptor['type'], string> = {
  str: 'Text',
  int: 'Whole number',
  float: 'Number',
  bool: 'True or false',
  list: 'List',
  dict: 'Object',
}

interface DescriptorsSectionProps {
  title: string
  description: string
  /** What one is called: "input". */
  thing: string
  withSecrets?: boolean
  descriptors: readonly Descriptor[]
  onChange: (descriptors: Descriptor[]) => void
}

/** What a tool takes, one below the other. */
export function DescriptorsSection({
  title,
  description,
  thing,
  withSecrets = false,
  descriptors,
  onChange,
}: DescriptorsSectionProps) {
  const add = () =>
    onChange([...descriptors, { name: '', type: 'str', description: '', required: true, default: null }])
  return (
    <Section title={title} description={description}>
      {descriptors.length === 0 && <p className="text-sm text-muted">None.</p>}
      {descriptors.map((descriptor, place) => (
        <DescriptorRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a name is what is typed here
          key={place}
          label={`${thing} ${descriptor.name || place + 1}`}
          withSecrets={withSecrets}
          descriptor={descriptor}
          onChange={(changed) => onChange(descriptors.with(place, changed))}
          onRemove={() => onChange(descriptors.toSpliced(place, 1))}
        />
      ))}
      <div>
        {' '}
        <Button size="small" icon={Plus} disabled={descriptors.length >= DESCRIPTORS_MAX} onClick={add}>
          Add {thing === 'input' ? 'an' : 'a'} {thing}
        </Button>
      </div>
    </Section>
  )
}

interface DescriptorRowProps {
  label: string
  withSecrets: boolean
  descriptor: Descriptor
  onChange: (descriptor: Descriptor) => void
  onRemove: () => void
}

function DescriptorRow({ label, withSecrets, descriptor, onChange, onRemove }: DescriptorRowProps) {
  const { name, type, description, required, default: usual } = descriptor
  const secretBy = (called: string) => withSecrets && (descriptor.secret ?? soundsSecret(called))
  const isSecret = secretBy(name)
  const set = (part: Partial<Descriptor>) => onChange({ ...descriptor, ...part })
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-3 rounded-xl border border-line p-3">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-3 sm:grid-cols-[minmax(0,1fr)_10rem_auto]">
        <TextField
          label="Name"
          required
          maxLength={64}
          pattern="(?!__)[A-Za-z_][A-Za-z0-9_]*"
          title="Letters, digits and underscores, not beginning with a digit or two underscores"
          spellCheck={false}
          autoCapitalize="none"
          className="font-mono text-sm"
          value={name}
          onChange={({ target }) =>
            set({ name: target.value, ...(secretBy(target.value) && { default: null }) })
          }
        />
        <IconButton icon={X} label={`Remove ${label}`} onClick={onRemove} className="sm:order-last" />
        <div className="max-sm:col-span-2">
          <SelectField
            label="Type"
            value={type}
            onChange={({ target }) => set({ type: target.value as Descriptor['type'] })}
          >
            {Object.entries(TYPES).map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_13rem]">
        <TextField
          label="Description"
          maxLength={2_000}
          value={description}
          onChange={({ target }) => set({ description: target.value })}
        />
        {!isSecret && (
          <TextField
            label="Default"
            placeholder={type === 'list' || type === 'dict' ? 'As JSON' : 'None'}
            maxLength={10_000}
            value={usual ?? ''}
            onChange={({ target }) => set({ default: target.value === '' ? null : target.value })}
          />
        )}
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <CheckField
          label="Required"
          checked={required}
          onChange={({ target }) => set({ required: target.checked })}
        />
        {withSecrets && (
          <CheckField
            label="Secret"
            hint={isSecret ? 'Kept encrypted, and shown to nobody again' : undefined}
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
