import { SelectField, TextAreaField, TextField } from './field.tsx'

/** What a value has to be, as tools describe their parameters and their configuration. */
export interface ValueDescriptor {
  name: string
  type: 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict'
  description: string
  required: boolean
  /** As text; null: none. */
  default: string | null
  secret?: boolean
}

interface ValueFieldProps {
  descriptor: ValueDescriptor
  /** The value as text, lists and objects as JSON; empty: none. */
  text: string
  onText: (text: string) => void
  /** A secret that is set already, and stays where nothing is typed. */
  isKept?: boolean
  error?: string | null
}

/** A field for one value of a tool, fit for its type. A secret goes in and never comes out. */
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
        placeholder={isKept ? 'Set. Type to replace it.' : undefined}
      />
    )
  if (type === 'bool')
    return (
      <SelectField {...common}>
        <option value="">
          {descriptor.default === null ? 'Not set' : `Default (${descriptor.default})`}
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

const TYPE_WORDS = {
  str: 'text',
  int: 'whole number',
  float: 'number',
  bool: 'true or false',
  list: 'list, as JSON',
  dict: 'object, as JSON',
}

const ValueLabel = ({ name, type, required }: ValueDescriptor) => (
  <>
    {name}{' '}
    <span className="font-normal text-muted">
      ({TYPE_WORDS[type]}
      {required ? '' : ', optional'})
    </span>
  </>
)

function hintOf({ description, default: usual, type }: ValueDescriptor, isKept: boolean): string | undefined {
  const parts = [
    description,
    usual !== null && type !== 'bool' && `Where empty: ${usual}`,
    isKept && 'A value is set. It is never shown again.',
  ]
  return (
    parts
      .filter((part) => part !== false && part !== '')
      .map((part, place, all) => (place < all.length - 1 ? ended(String(part)) : part))
      .join(' ') || undefined
  )
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
