import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { CONTENT } from './status.tsx'

const t = translator('knowledge')

type SourceType = 'web' | 's3' | 'text'

const TYPES: readonly SourceType[] = ['web', 's3', 'text']

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

/** Adds a website, a bucket or a text as a source. add-files.tsx adds files. */
export function AddSource({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { base } = useKnowledgeBase()
  const notify = useNotify()
  const [type, setType] = useState<SourceType>('web')
  const [fields, setFields] = useState(EMPTY)
  const add = useChange('POST /api/kb/add_source', {
    outdates: CONTENT,
    onDone: () => {
      setFields(EMPTY)
      notify(t('add.added'))
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
      title={t('add.title')}
      action={t('add.title')}
      busy={add.isPending}
      error={add.error}
      onSubmit={submit}
    >
      <SelectField
        label={t('add.type')}
        value={type}
        onChange={({ target }) => {
          setType(target.value as SourceType)
          add.reset()
        }}
      >
        {TYPES.map((name) => (
          <option key={name} value={name}>
            {t(`source.type.${name}`)}
          </option>
        ))}
      </SelectField>
      {FORMS[type](field)}
    </FormDialog>
  )
}

/** Converts the fields to a source's config. Omits blank fields. */
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
        label={t('add.url')}
        type="url"
        placeholder="https://example.com/docs"
        hint={t('add.urlHint')}
        required
        maxLength={2000}
        {...field('url')}
      />
      <div className="grid grid-cols-2 gap-4">
        <TextField label={t('add.maxPages')} type="number" min={1} required {...field('max_pages')} />
        <TextField
          label={t('add.depth')}
          hint={t('add.depthHint')}
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
        <TextField label={t('add.bucket')} required maxLength={63} {...field('bucket')} />
        <TextField label={t('add.prefix')} placeholder="handbook/" maxLength={1024} {...field('prefix')} />
        <TextField label={t('add.region')} placeholder="us-east-1" maxLength={32} {...field('region')} />
        <TextField
          label={t('add.endpoint')}
          type="url"
          placeholder="Amazon S3"
          maxLength={2000}
          {...field('endpoint')}
        />
        <TextField
          label={t('add.accessKeyId')}
          autoComplete="off"
          maxLength={200}
          {...field('access_key_id')}
        />
        <TextField
          label={t('add.secretAccessKey')}
          type="password"
          autoComplete="off"
          hint={t('add.secretHint')}
          maxLength={200}
          {...field('secret_access_key')}
        />
      </div>
      <p className="text-sm text-muted">{t('add.keysHint')}</p>
      <Refresh field={field} />
    </>
  ),
  text: (field) => (
    <>
      <TextField
        label={t('add.name')}
        placeholder={t('add.namePlaceholder')}
        required
        maxLength={200}
        {...field('name')}
      />
      <TextAreaField label={t('add.text')} rows={10} required maxLength={2_000_000} {...field('content')} />
    </>
  ),
}

const Refresh = ({ field }: { field: FieldOf }) => (
  <TextField
    label={t('add.refresh')}
    hint={t('add.refreshHint')}
    type="number"
    min={1}
    max={8760}
    {...field('refresh_interval_hours')}
  />
)
