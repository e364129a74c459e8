import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { CONTENT } from './status.tsx'

type SourceType = 'web' | 's3' | 'text'

const TYPES = [
  ['web', 'Website'],
  ['s3', 'S3 bucket'],
  ['text', 'Text'],
] as const

const EMPTY = {
  url: '',
  max_pages: '50',
  max_depth: '2',
  bucket: '',
  prefix: '',
  region: '',
  endpoint: '',
  access_key_id: '',
  secret_access_key: '',
  refresh_interval_hours: '',
  name: '',
  content: '',
}

type Fields = typeof EMPTY
type FieldOf = (name: keyof Fields) => {
  value: string
  onChange: (event: { target: { value: string } }) => void
}

const NAMES: Record<SourceType, (keyof Fields)[]> = {
  web: ['url', 'max_pages', 'max_depth', 'refresh_interval_hours'],
  s3: [
    'bucket',
    'prefix',
    'region',
    'endpoint',
    'access_key_id',
    'secret_access_key',
    'refresh_interval_hours',
  ],
  text: ['name', 'content'],
}
const NUMBERS: readonly (keyof Fields)[] = ['max_pages', 'max_depth', 'refresh_interval_hours']

/** Adds what is read from elsewhere, or written down here. */
export function AddSource({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { base } = useKnowledgeBase()
  const notify = useNotify()
  const [type, setType] = useState<SourceType>('web')
  const [fields, setFields] = useState(EMPTY)
  const add = useChange('POST /api/kb/add_source', {
    outdates: CONTENT,
    onDone: () => {
      setFields(EMPTY)
      notify(type === 'text' ? 'The text is being indexed' : 'The source is being read')
      onClose()
    },
  })
  const field: FieldOf = (name) => ({
    value: fields[name],
    onChange: ({ target }) => setFields({ ...fields, [name]: target.value }),
  })
  const submit = () => {
    add.mutate({ query: { kb_id: base.id }, body: { type, config: configOf(type, fields) } })
  }
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Add a source"
      action="Add"
      busy={add.isPending}
      error={add.error}
      onSubmit={submit}
    >
      <SelectField
        label="What kind"
        value={type}
        onChange={({ target }) => {
          setType(target.value as SourceType)
          add.reset()
        }}
      >
        {TYPES.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </SelectField>
      {FORMS[type](field)}
    </FormDialog>
  )
}

/** What is left empty is not said. */
const configOf = (type: SourceType, fields: Fields): Record<string, string | number> =>
  Object.fromEntries(
    NAMES[type]
      .filter((name) => fields[name].trim() !== '')
      .map((name) => [name, NUMBERS.includes(name) ? Number(fields[name]) : fields[name]]),
  )

const FORMS: Record<SourceType, (field: FieldOf) => ReactNode> = {
  web: (field) => (
    <>
      <TextField
        label="Address"
        type="url"
        placeholder="https://example.com/docs"
        hint="Where reading begins. Links to pages of the same site are followed."
        required
        maxLength={2000}
        {...field('url')}
      />
      <div className="grid grid-cols-2 gap-4">
        <TextField label="Pages at most" type="number" min={1} required {...field('max_pages')} />
        <TextField
          label="Links deep"
          hint="0: this page only"
          type="number"
          min={0}
          max={20}
          required
          {...field('max_depth')}
        />
      </div>
      <Refresh field={field} />
    </>
  ),
  s3: (field) => (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Bucket" required maxLength={63} {...field('bucket')} />
        <TextField label="Prefix" placeholder="handbook/" maxLength={1024} {...field('prefix')} />
        <TextField label="Region" placeholder="us-east-1" maxLength={32} {...field('region')} />
        <TextField
          label="Endpoint"
          type="url"
          placeholder="Amazon S3"
          maxLength={2000}
          {...field('endpoint')}
        />
        <TextField label="Access key id" autoComplete="off" maxLength={200} {...field('access_key_id')} />
        <TextField
          label="Secret access key"
          type="password"
          autoComplete="off"
          hint="Kept encrypted, never shown again"
          maxLength={200}
          {...field('secret_access_key')}
        />
      </div>
      <p className="text-sm text-muted">Without keys the bucket is read as anybody may read it.</p>
      <Refresh field={field} />
    </>
  ),
  text: (field) => (
    <>
      <TextField label="Name" placeholder="Opening hours" required maxLength={200} {...field('name')} />
      <TextAreaField label="Text" rows={10} required maxLength={2_000_000} {...field('content')} />
    </>
  ),
}

const Refresh = ({ field }: { field: FieldOf }) => (
  <TextField
    label="Read again every so many hours"
    hint="Empty: only when somebody asks for it"
    type="number"
    min={1}
    max={8760}
    {...field('refresh_interval_hours')}
  />
)
