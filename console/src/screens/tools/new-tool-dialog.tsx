import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import {
  EXAMPLE_FUNCTION,
  EXAMPLE_INPUTS,
  EXAMPLE_OUTPUTS,
  EXAMPLES,
  LANGUAGE_NAMES,
  type Language,
} from './languages.ts'
import type { ToolFile } from './tool-file.ts'
import { useCategories } from './use-tools.ts'

interface NewToolDialogProps {
  /** A tool to import; null: an example that works. */
  file: ToolFile | null
  onClose: () => void
}

/** For a category that is not there yet. */
const NEW = 'new'

export function NewToolDialog({ file, onClose }: NewToolDialogProps) {
  const [name, setName] = useState(file?.name ?? '')
  const [description, setDescription] = useState(file?.description ?? '')
  const [language, setLanguage] = useState<Language>('javascript')
  const category = useCategoryChoice()
  const making = useMaking()
  const submit = () => {
    const parts = file ?? exampleIn(language)
    making.begin(category.choice, { ...parts, name, description })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={file ? 'Import a tool' : 'New tool'}
      description={
        file
          ? 'Its code is as it stands in the file. Read it before you give it to an agent.'
          : 'It begins as an example that works, for you to change.'
      }
      action={file ? 'Import the tool' : 'Make the tool'}
      busy={making.isBusy}
      disabled={!category.isReady}
      error={making.error}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextAreaField
        label="What it does"
        hint="Models read this to know when to call it"
        rows={2}
        maxLength={5_000}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      {!file && (
        <SelectField
          label="Language"
          value={language}
          onChange={({ target }) => setLanguage(target.value as Language)}
        >
          {Object.entries(LANGUAGE_NAMES).map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </SelectField>
      )}
      {category.field}
    </FormDialog>
  )
}

const exampleIn = (language: Language): Omit<ToolFile, 'name' | 'description'> => ({
  version: '1.0.0',
  configuration: [],
  inputs: EXAMPLE_INPUTS,
  outputs: EXAMPLE_OUTPUTS,
  settings: {
    function_info: { name: EXAMPLE_FUNCTION, code: EXAMPLES[language] },
    deployment: { framework: language, toolkit_class: false, standalone_function: true },
  },
})

/** One of the organization's categories, or the name of a new one. */
type CategoryChoice = { id: string } | { name: string }

function useCategoryChoice() {
  const categories = useCategories()
  const [id, setId] = useState<string>()
  const [name, setName] = useState('General')
  const chosen = id ?? categories.data?.[0]?.id ?? NEW
  const choice: CategoryChoice = chosen === NEW ? { name } : { id: chosen }
  const field = (
    <>
      {categories.error && <Failure error={categories.error} onRetry={() => void categories.refetch()} />}
      {categories.data && categories.data.length > 0 && (
        <SelectField label="Category" value={chosen} onChange={({ target }) => setId(target.value)}>
          {categories.data.map((category) => (
            <option key={category.id} value={category.id}>
              {category.name}
            </option>
          ))}
          <option value={NEW}>A new category</option>
        </SelectField>
      )}
      {categories.data && chosen === NEW && (
        <TextField
          label={categories.data.length > 0 ? 'Name of the category' : 'Category'}
          hint="Tools are sorted by category"
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      )}
    </>
  )
  return { choice, field, isReady: categories.data !== undefined }
}

/** The category where it is new, then the tool; and on to its page. */
function useMaking() {
  const { organization } = useHere()
  const navigate = useNavigate()
  const query = { org_id: organization.id }
  const [madeCategory, setMadeCategory] = useState<{ name: string; id: string }>()
  const category = useChange('POST /api/tools/create_category', {
    outdates: ['GET /api/tools/list_categories'],
  })
  const tool = useChange('POST /api/tools', {
    outdates: ['GET /api/tools/list_all'],
    onDone: ({ id }) => void navigate({ to: '/tools/$toolId', params: { toolId: id } }),
  })
  const begin = (choice: CategoryChoice, parts: ToolFile) => {
    const make = (category_id: string) => tool.mutate({ query, body: { ...parts, category_id } })
    if ('id' in choice) return make(choice.id)
    // Where only the tool was refused, the category is there.
    if (madeCategory?.name === choice.name) return make(madeCategory.id)
    category.mutate(
      { query, body: { name: choice.name, description: '' } },
      {
        onSuccess({ id }) {
          setMadeCategory({ name: choice.name, id })
          make(id)
        },
      },
    )
  }
  return { begin, isBusy: category.isPending || tool.isPending, error: category.error ?? tool.error }
}
