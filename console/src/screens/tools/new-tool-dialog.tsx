import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ProgressText } from '../../ui/progress-text.tsx'
import { QueryFailure } from '../../ui/states.tsx'
import {
  EXAMPLE_FUNCTION,
  EXAMPLES,
  exampleInputs,
  exampleOutputs,
  LANGUAGE_NAMES,
  type Language,
  languageOf,
} from './languages.ts'
import type { ToolFile } from './tool-file.ts'
import { useCategories } from './use-tools.ts'

const t = translator('tools')

interface NewToolDialogProps {
  /** The tool to import. Null to create a tool from the example. */
  file: ToolFile | null
  onClose: () => void
}

/** The value of the select's option that creates a category. */
const NEW = 'new'

export function NewToolDialog({ file, onClose }: NewToolDialogProps) {
  const [name, setName] = useState(file?.name ?? '')
  const [description, setDescription] = useState(file?.description ?? '')
  const [language, setLanguage] = useState<Language>('javascript')
  const category = useCategoryChoice()
  const creation = useCreation()
  const isPython = (file ? languageOf(file) : language) === 'python'
  const submit = () => {
    const parts = file ?? exampleIn(language)
    creation.begin(category.choice, { ...parts, name, description })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={file ? t('import') : t('create.title')}
      description={file ? t('create.imported') : t('create.example')}
      action={file ? t('import') : t('create.title')}
      busy={creation.isBusy}
      disabled={!category.isReady}
      error={creation.error}
      onSubmit={submit}
    >
      <TextField
        label={t('create.name')}
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextAreaField
        label={t('create.description')}
        hint={t('create.descriptionHint')}
        rows={2}
        maxLength={5_000}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      {!file && (
        <SelectField
          label={t('create.language')}
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
      {creation.isBusy && (
        <ProgressText>{t(isPython ? 'create.startingPython' : 'create.checking')}</ProgressText>
      )}
    </FormDialog>
  )
}

const exampleIn = (language: Language): Omit<ToolFile, 'name' | 'description'> => ({
  version: '1.0.0',
  configuration: [],
  inputs: exampleInputs(),
  outputs: exampleOutputs(),
  settings: {
    function_info: { name: EXAMPLE_FUNCTION, code: EXAMPLES[language] },
    deployment: { framework: language, toolkit_class: false, standalone_function: true },
  },
})

type CategoryChoice = { id: string } | { name: string }

function useCategoryChoice() {
  const categories = useCategories()
  const [id, setId] = useState<string>()
  const [name, setName] = useState(() => t('create.defaultCategory'))
  const chosen = id ?? categories.data?.[0]?.id ?? NEW
  const choice: CategoryChoice = chosen === NEW ? { name } : { id: chosen }
  const field = (
    <>
      <QueryFailure query={categories} />
      {categories.data && categories.data.length > 0 && (
        <SelectField
          label={t('create.category')}
          value={chosen}
          onChange={({ target }) => setId(target.value)}
        >
          {categories.data.map((category) => (
            <option key={category.id} value={category.id}>
              {category.name}
            </option>
          ))}
          <option value={NEW}>{t('create.newCategory')}</option>
        </SelectField>
      )}
      {categories.data && chosen === NEW && (
        <TextField
          label={categories.data.length > 0 ? t('create.categoryName') : t('create.category')}
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

/** Creates the category if it is new, creates the tool, and opens it. */
function useCreation() {
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
    // An earlier attempt already created the category, and then creating the tool failed.
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
