import { translator } from '../messages/index.ts'
import { SelectField, TextAreaField, TextField } from './field.tsx'

const t = translator('ui')

/** Describes a tool's parameter or configuration value. */
export interface ValueDescriptor {
  name: string
  type: 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict'
  description: string
  required: boolean
  /** The default value as text. Null if there is none. */
  default: string | null
  secret?: boolean
}

interface ValueFieldProps {
  descriptor: ValueDescriptor
  /** The value as text. Lists and objects are JSON. Empty if there is no value. */
  text: string
  onText: (text: string) => void
  /** Whether a blank field keeps the stored secret. */
  isKept?: boolean
  error?: string | null
}

/**
 * A field for a tool's parameter or configuration value. The control depends on the value's type. Secrets can be set
 * but not read.
 */
export function ValueField({ descriptor, text, onText, isKept = false, error }: ValueFieldProps) {
  const { name, type, secret = false } = descriptor
  const common = {
    label: <ValueLabel {...descriptor} />,
    hint: hintOf(descriptor, isKept),
    error,
    value: text,
    required: descriptor.required && descriptor.default === null && !isKept,
    onChange: ({ target }: { target: { value: string } }) => onText(target.value),
  }
  if (secret)
    return (
      <TextField
        {...common}
        type="password"
        autoComplete="new-password"
        placeholder={isKept ? t('value.kept') : undefined}
      />
    )
  if (type === 'bool')
    return (
      <SelectField {...common}>
        <option value="">
          {descriptor.default === null
            ? t('value.notSet')
            : t('value.default', { value: descriptor.default })}
        </option>
        <option value="true">true</option>
        <option value="false">false</option>
      </SelectField>
    )
  if (type === 'list' || type === 'dict')
    return (
      <TextAreaField
        {...common}
        rows={2}
        spellCheck={false}
        className="font-mono text-sm"
        placeholder={descriptor.default ?? (type === 'list' ? '["one", "two"]' : '{"key": "value"}')}
      />
    )
  const isNumber = type === 'int' || type === 'float'
  return (
    <TextField
      {...common}
      name={name}
      {...(isNumber && { type: 'number', step: type === 'int' ? 1 : 'any' })}
      placeholder={descriptor.default ?? undefined}
    />
  )
}

const ValueLabel = ({ name, type, required }: ValueDescriptor) => (
  <>
    {name}{' '}
    <span className="font-normal text-muted">
      {t(required ? 'value.required' : 'value.optional', { type: t(`value.type.${type}`) })}
    </span>
  </>
)

function hintOf({ description, default: usual, type }: ValueDescriptor, isKept: boolean): string | undefined {
  const parts = [
    description,
    usual !== null && type !== 'bool' && t('value.default', { value: usual }),
    isKept && t('value.hidden'),
  ]
  return (
    parts
      .filter((part) => part !== false && part !== '')
      .map((part, place, all) => (place < all.length - 1 ? ended(String(part)) : part))
      .join(' ') || undefined
  )
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
